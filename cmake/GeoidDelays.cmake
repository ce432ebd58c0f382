# Puts random delays (tests/harness/delays.c) in front of the thread sanitizer's atomic operations,
# in every target that is linked after this file is included.
if(NOT GEOID_SANITIZE MATCHES "thread")
    message(FATAL_ERROR "GEOID_DELAYS needs the thread sanitizer: set GEOID_SANITIZE=thread")
endif()

add_library(geoid_delays OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/tests/harness/delays.c)
target_link_libraries(geoid_delays PRIVATE geoid_options)
# Default visibility lets a program's copy also serve the libraries that it loads.
target_compile_options(geoid_delays PRIVATE -fno-sanitize=thread -fvisibility=default)

link_libraries($<TARGET_OBJECTS:geoid_delays>)
foreach(bits 8 16 32 64)
    foreach(operation load store exchange fetch_add fetch_sub fetch_and fetch_or
                      compare_exchange_strong compare_exchange_weak)
        set(name __tsan_atomic${bits}_${operation})
        # lld wraps only symbols that are referenced: --undefined adds a reference.
        add_link_options(-Wl,--wrap=${name},--undefined=${name})
    endforeach()
endforeach()
