# Prints at the end of the configuration which optional parts are built, and why others are not.
#
# geoid_part(name condition reason): records whether the part `name` is built. `condition` is one
# string with the arguments of if(). `reason` says why the part is missing, and names the package or
# option that enables it. The function only records: the caller has the same condition in an if()
# beside the call.
# geoid_print_summary(): prints the list.
function(geoid_part name condition reason)
    separate_arguments(words UNIX_COMMAND "${condition}")
    if(${words})
        set_property(GLOBAL APPEND PROPERTY GEOID_PARTS_BUILT "${name}")
    else()
        set_property(GLOBAL APPEND PROPERTY GEOID_PARTS_LEFT_OUT "${name}: ${reason}")
    endif()
endfunction()

function(geoid_print_summary)
    get_property(built GLOBAL PROPERTY GEOID_PARTS_BUILT)
    get_property(left_out GLOBAL PROPERTY GEOID_PARTS_LEFT_OUT)
    list(JOIN built ", " built)
    message(STATUS "Geoid ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
    message(STATUS "  built: loader, drivers, compiler, tools, ${built}")
    if(NOT left_out)
        message(STATUS "  left out: nothing")
    endif()
    foreach(part ${left_out})
        message(STATUS "  left out: ${part}")
    endforeach()
endfunction()
