# Compile options of all targets of Geoid. A target gets them by linking geoid_options PRIVATE.
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(geoid_options INTERFACE)
target_compile_definitions(geoid_options INTERFACE _GNU_SOURCE)
target_compile_options(geoid_options INTERFACE
    -Wall -Wextra -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes$<SEMICOLON>-Wmissing-prototypes>
    -Wundef
    -fno-strict-aliasing -fno-semantic-interposition)
target_include_directories(geoid_options INTERFACE
    ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/gen)
target_link_libraries(geoid_options INTERFACE geoid_headers)

# The architectures that code can be made for, and LLVM's names of them. A new architecture also
# needs a row in src/machine, src/compiler/codegen/target.h, src/compiler/lower/arch.h,
# src/backend/cpu/elf_rules.c and src/native/target.c.
set(GEOID_ARCHITECTURES x86_64 aarch64)
set(GEOID_LLVM_OF_x86_64 x86)
set(GEOID_LLVM_OF_aarch64 aarch64)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(GEOID_MACHINE x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(GEOID_MACHINE aarch64)
else()
    message(FATAL_ERROR
        "the processor ${CMAKE_SYSTEM_PROCESSOR} is not supported, only: ${GEOID_ARCHITECTURES}")
endif()
if(NOT GEOID_TARGETS)
    set(GEOID_TARGETS ${GEOID_MACHINE})
endif()

# Hardening: makes memory errors hard to exploit. scripts/check_hardening verifies the built files.
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-fstack-protector-strong)
if(GEOID_MACHINE STREQUAL "x86_64")
    add_compile_options(-fcf-protection=full)
endif()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
add_link_options(-Wl,--build-id=sha1) # part of the key of cached modules (src/driver/compile/key.c)
if(NOT GEOID_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug") # _FORTIFY_SOURCE needs -O1 or more
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()

# Debug information names sources by the paths of a source package, wherever they are compiled. gdb then
# needs `set substitute-path`. So builds for developers keep the paths of their machine.
if(GEOID_REPRODUCIBLE)
    add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=/usr/src/geoid-${PROJECT_VERSION}
        -ffile-prefix-map=${CMAKE_BINARY_DIR}=/usr/src/geoid-${PROJECT_VERSION}/build)
endif()

if(GEOID_SANITIZE)
    add_compile_options(-fsanitize=${GEOID_SANITIZE} -fno-omit-frame-pointer
                        -fno-sanitize-recover=all)
    # Accesses beyond an object are found by the address sanitizer, too. This saves a tenth of the time
    # of a build.
    if(GEOID_SANITIZE MATCHES "address.*undefined")
        add_compile_options(-fno-sanitize=object-size)
    endif()
    # Reports need lines, not variables. This makes builds a tenth faster.
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        add_compile_options(-gline-tables-only)
    endif()
    add_link_options(-fsanitize=${GEOID_SANITIZE})
    add_compile_definitions(GEOID_SANITIZED=1)
else()
    add_link_options(-Wl,--no-undefined -Wl,-z,defs)
endif()

# Assertions of invariants (src/base/assert.h) cost time, so builds for users leave them out.
if(GEOID_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(assertions ON)
else()
    set(assertions OFF)
endif()
option(GEOID_ASSERTIONS "Check invariants of Geoid's own code (on in Debug and sanitizer builds)" ${assertions})
if(GEOID_ASSERTIONS)
    add_compile_definitions(GEOID_ASSERTIONS=1)
endif()

# lld links LLVM's large archives in under a second; ld takes many seconds. Compilers look for lld
# under the name ld.lld. Debian's package lld-22 does not install it, so we make a link.
find_program(LLD_PROGRAM NAMES ld.lld-22 ld.lld)
if(LLD_PROGRAM)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/linker)
    file(CREATE_LINK ${LLD_PROGRAM} ${CMAKE_BINARY_DIR}/linker/ld.lld SYMBOLIC)
    set(GEOID_LLD_OPTIONS -B${CMAKE_BINARY_DIR}/linker -fuse-ld=lld)
endif()
