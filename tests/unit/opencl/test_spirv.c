/* Tests of the reading of kernels and arguments from SPIR-V. */
#include "opencl/spirv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OP(opcode, words) ((uint32_t)(words) << 16 | (opcode))

/* kernel void k(global int *, local float *, struct { char; long; }, float3), which requires
 * work-groups of 8 x 4 x 1. */
static const uint32_t
    module
        [] =
            {
                0x07230203, 0x00010000, 0,         40, 0,  OP(15, 4),
                6,          20,         'k', /* OpEntryPoint Kernel %20 "k" */
                OP(16, 6),  20,         17,        8,  4,  1,
                OP(5, 3),   21,         'p',          /* OpName %21 "p" */
                OP(71, 4),  21,         38,        4, /* restrict */
                OP(71, 4),  21,         38,        6, /* const */
                OP(21, 4),  1,          8,         0, /* i8 */
                OP(21, 4),  2,          64,        0, /* i64 */
                OP(21, 4),  3,          32,        0, /* i32 */
                OP(22, 3),  4,          32,           /* float */
                OP(23, 4),  5,          4,         3, /* float3 */
                OP(30, 4),  6,          1,         2, /* struct { i8, i64 } */
                OP(32, 4),  7,          5,         3, /* global i32 * */
                OP(32, 4),  8,          4,         4, /* local float * */
                OP(32, 4),  9,          7,         6, /* struct by value */
                OP(54, 5),  10,         20,        0,  11, OP(55, 3),
                7,          21,         OP(55, 3), 8,  22, OP(55, 3),
                9,          23,         OP(55, 3), 5,  24, OP(56, 1),
};

static void arguments_have_kinds_and_sizes(void **state)
{
    struct geo_ocl_functions functions = {0};
    (void)state;
    assert_true(geo_ocl_spirv_read(module, sizeof(module), &functions));
    assert_int_equal(functions.count, 1);
    const struct geo_ocl_function *function = &functions.items[0];
    assert_string_equal(function->name, "k");
    assert_int_equal(function->argument_count, 4);
    assert_int_equal(function->local_size[0], 8);
    assert_int_equal(function->local_size[1], 4);
    assert_int_equal(function->arguments[0].kind, GEO_OCL_GLOBAL);
    assert_string_equal(function->arguments[0].name, "p");
    assert_true(function->arguments[0].is_restrict && function->arguments[0].is_const);
    assert_int_equal(function->arguments[1].kind, GEO_OCL_LOCAL);
    assert_int_equal(function->arguments[2].kind, GEO_OCL_VALUE);
    assert_int_equal(function->arguments[2].bytes, 16);
    assert_int_equal(function->arguments[3].bytes, 16);
    geo_ocl_spirv_finish(&functions);
}

/* Each prefix and each changed word is read to an end, within its bounds. */
static void damaged_modules_never_crash(void **state)
{
    (void)state;
    for (size_t words = 0; words <= sizeof(module) / 4; words++) {
        for (size_t at = 0; at < (words ? words : 1); at++) {
            struct geo_ocl_functions functions = {0};
            uint32_t *copy = malloc(words * 4 + 4);
            assert_non_null(copy);
            memcpy(copy, module, words * 4);
            if (at < words && at != 3) { /* the bound only sizes tables */
                copy[at] ^= 0x00015a5fu;
            }
            geo_ocl_spirv_read(copy, words * 4, &functions);
            geo_ocl_spirv_constant(copy, words * 4, 3);
            geo_ocl_spirv_finish(&functions);
            free(copy);
        }
    }
}

/* A type that contains itself has no size. */
static void recursive_types_end(void **state)
{
    uint32_t copy[sizeof(module) / 4];
    struct geo_ocl_functions functions = {0};
    (void)state;
    memcpy(copy, module, sizeof(module));
    for (size_t i = 0; i + 3 < sizeof(copy) / 4; i++) {
        if (copy[i] == OP(30, 4)) {
            copy[i + 2] = copy[i + 3] = 6;
        }
    }
    assert_true(geo_ocl_spirv_read(copy, sizeof(copy), &functions));
    assert_int_equal(functions.items[0].arguments[2].bytes, 0);
    geo_ocl_spirv_finish(&functions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_have_kinds_and_sizes),
        cmocka_unit_test(damaged_modules_never_crash),
        cmocka_unit_test(recursive_types_end),
    };
    return cmocka_run_group_tests_name("spirv", tests, NULL, NULL);
}
