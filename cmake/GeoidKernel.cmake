# geoid_add_kernel(target file.cl [OUTPUT name.spv] [FOLDER folder]
#                  [COMPILER clang-22|llvm-spirv-15] [NO_VALIDATION] [OPTIONS -O2 ...])
# Compiles OpenCL C to SPIR-V at build time, validates it, and makes `target` depend on it. The
# result is put into FOLDER, by default the folder of the target's program, where the program finds
# it. It is named like the source.
include_guard(GLOBAL)
find_program(GEOID_OPENCL_CLANG NAMES clang-22 REQUIRED) # also compiles the built-in functions
find_program(GEOID_SPIRV_VAL NAMES spirv-val)
find_program(GEOID_CLANG15 NAMES clang-15)
find_program(GEOID_LLVM_SPIRV15 NAMES llvm-spirv-15)
geoid_part("validation of kernels" "GEOID_SPIRV_VAL" "no spirv-val (package spirv-tools)")
geoid_part("kernels by llvm-spirv-15" "GEOID_CLANG15 AND GEOID_LLVM_SPIRV15"
    "no clang-15 or llvm-spirv-15 (packages of these names): the tests' second SPIR-V producer")

function(geoid_add_kernel target source)
    cmake_parse_arguments(K "NO_VALIDATION" "OUTPUT;FOLDER;COMPILER" "OPTIONS" ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source STEM stem)
    if(NOT K_FOLDER)
        set(K_FOLDER ${CMAKE_CURRENT_BINARY_DIR})
        if(TARGET ${target})
            get_target_property(folder ${target} RUNTIME_OUTPUT_DIRECTORY)
            if(folder)
                set(K_FOLDER ${folder})
            endif()
        endif()
    endif()
    if(NOT K_OUTPUT)
        set(K_OUTPUT ${stem}.spv)
    endif()
    set(output ${K_FOLDER}/${K_OUTPUT})
    cmake_path(GET source PARENT_PATH source_folder)
    file(MAKE_DIRECTORY ${K_FOLDER})

    if(K_COMPILER STREQUAL "llvm-spirv-15")
        set(compile
            COMMAND ${GEOID_CLANG15} -target spir64-unknown-unknown -x cl -cl-std=CL1.2 -I${source_folder}
                    -Xclang -finclude-default-header -emit-llvm -MD -MF ${output}.d -MT ${output}
                    ${K_OPTIONS} -c ${source} -o ${output}.bc
            COMMAND ${GEOID_LLVM_SPIRV15} --spirv-max-version=1.2 ${output}.bc -o ${output})
        set(spirv_version spv1.2)
    else()
        if(NOT K_OPTIONS MATCHES "-cl-std=")
            list(PREPEND K_OPTIONS -cl-std=CL3.0)
        endif()
        set(compile
            COMMAND ${GEOID_OPENCL_CLANG} -target spirv64 -x cl -I${source_folder} -MD -MF ${output}.d -MT ${output}
                    ${K_OPTIONS} -c ${source} -o ${output})
        set(spirv_version spv1.4)
    endif()
    if(GEOID_SPIRV_VAL AND NOT K_NO_VALIDATION)
        set(validate COMMAND ${GEOID_SPIRV_VAL} --target-env ${spirv_version} ${output})
    endif()
    add_custom_command(OUTPUT ${output} ${compile} ${validate}
        DEPENDS ${source} DEPFILE ${output}.d
        COMMENT "SPIR-V ${K_OUTPUT}" VERBATIM)
    string(MAKE_C_IDENTIFIER "${target}_${K_OUTPUT}" kernel_target)
    add_custom_target(${kernel_target} ALL DEPENDS ${output})
    if(TARGET ${target})
        add_dependencies(${target} ${kernel_target})
    endif()
endfunction()
