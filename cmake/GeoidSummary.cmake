# What is built and what is not, and why, said at the end of the configuration.
#
# geoid_part(name condition reason): notes whether `name` is built; `condition` is what if() takes, as one string; `reason`
# says why it is not, with the package or option that would bring it. It decides nothing: the place that leaves something
# out has the same condition in an if() of its own, beside this call.
# geoid_print_summary(): the list.
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
