# geoid_add_test(NAME name SOURCES a.c ... [LIBS lib ...] [LABELS label ...] [ENV VAR=value ...]
#                [ARGS ...])
# Adds a cmocka program and runs it as one test of ctest. Tests find the built libraries through
# GEOID_BUILD_DIR and start with a clean Level Zero environment.
if(GEOID_TESTS)
    find_library(CMOCKA_LIBRARY cmocka REQUIRED)
    find_program(GEOID_SPIRV_AS NAMES spirv-as REQUIRED)
endif()

function(geoid_add_test)
    cmake_parse_arguments(T "" "NAME" "SOURCES;LIBS;LABELS;ENV;ARGS" ${ARGN})
    if(NOT TARGET ${T_NAME})
        add_executable(${T_NAME} ${T_SOURCES} $<TARGET_OBJECTS:geoid_test_filter>)
        set_target_properties(${T_NAME} PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
        target_link_libraries(${T_NAME} PRIVATE ${T_LIBS} geoid_options geoid_test_level ${CMOCKA_LIBRARY} Threads::Threads)
    endif()
    add_test(NAME ${T_NAME} COMMAND ${T_NAME} ${T_ARGS})
    set_tests_properties(${T_NAME} PROPERTIES LABELS "${T_LABELS}")
    geoid_test_environment(${T_NAME} ${T_ENV})
endfunction()

# Options of the sanitizers. LLVM and pocl are not instrumented, so container annotations would be
# wrong.
set(GEOID_SANITIZER_ENV)
if(GEOID_SANITIZE MATCHES "address")
    list(APPEND GEOID_SANITIZER_ENV "ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=1:strict_string_checks=1"
        "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
elseif(GEOID_SANITIZE MATCHES "thread")
    list(APPEND GEOID_SANITIZER_ENV "TSAN_OPTIONS=halt_on_error=0:second_deadlock_stack=1")
endif()

# The limit on the time of a build is off: under emulation, builds take longer than it allows.
if(CMAKE_CROSSCOMPILING)
    list(APPEND GEOID_SANITIZER_ENV GEOID_BUILD_TIME=0)
endif()

# Sets the environment of a test. VAR=value arguments after the name override the defaults. On every
# machine the test sees one device, no GPU and no cache. A test that exits with 77 counts as skipped
# and prints the reason (tests/harness/level.h).
function(geoid_test_environment name)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT
        "GEOID_BUILD_DIR=${CMAKE_BINARY_DIR};GEOID_SOURCE_DIR=${CMAKE_SOURCE_DIR};GEOID_DEVICES=1;GEOID_NVIDIA=off;GEOID_CACHE_SIZE=off;${GEOID_SANITIZER_ENV};${ARGN}")
endfunction()
