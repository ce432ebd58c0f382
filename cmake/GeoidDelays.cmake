# What all that is linked from here on has in front of the thread sanitizer's atomic operations: tests/harness/delays.c.
if(NOT GEOID_SANITIZE MATCHES "thread")
    message(FATAL_ERROR "GEOID_DELAYS wants GEOID_SANITIZE=thread")
endif()

add_library(geoid_delays OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/tests/harness/delays.c)
target_link_libraries(geoid_delays PRIVATE geoid_options)
target_compile_options(geoid_delays PRIVATE -fno-sanitize=thread -fvisibility=default) # programs' serve their libraries

link_libraries($<TARGET_OBJECTS:geoid_delays>)
foreach(bits 8 16 32 64)
    foreach(operation load store exchange fetch_add fetch_sub fetch_and fetch_or
                      compare_exchange_strong compare_exchange_weak)
        set(name __tsan_atomic${bits}_${operation})
        add_link_options(-Wl,--wrap=${name},--undefined=${name}) # lld knows only symbols that are wanted
    endforeach()
endforeach()
