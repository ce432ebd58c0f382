/* Small kernels with cooperative matrices. See matrix_kernel.h. */
#include "matrix_kernel.h"

#include "compiler/ir/matrix.h"
#include "compiler/link/copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MANY_POINTERS 8u

uint32_t matrix_kernel_type(struct words *w, uint32_t element, uint32_t rows, uint32_t columns)
{
    const uint32_t operands[] = {element, words_i32(w, SpvScopeSubgroup), words_i32(w, rows),
                                 words_i32(w, columns), words_i32(w, GEO_MATRIX_ACCUMULATOR)};
    return words_type(w, GEO_SPV_TYPE_COOPERATIVE_MATRIX_KHR, 5, operands);
}

struct matrix_kernel *matrix_kernel_begin(uint32_t items, const enum number *pointers,
                                          uint32_t count, uint32_t integers)
{
    struct matrix_kernel *kernel = malloc(sizeof(*kernel));
    uint32_t types[2 * MANY_POINTERS];
    assert_non_null(kernel);
    struct words *w = &kernel->w;
    words_begin(w);
    words_capability(w, 6022);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = words_pointer(w, SpvStorageClassCrossWorkgroup, number_type(w, pointers[i]));
    }
    for (uint32_t i = 0; i < integers; i++) {
        types[count + i] = words_int(w, 32);
    }
    kernel->first = words_kernel(w, "test", types, count + integers);
    words_mode(w, SpvExecutionModeSubgroupSize, 1, &items);
    return kernel;
}

uint32_t matrix_kernel_load(struct matrix_kernel *k, uint32_t type, uint32_t pointer,
                            uint32_t stride)
{
    const uint32_t operands[] = {pointer, words_i32(&k->w, GEO_MATRIX_ROW_MAJOR),
                                 words_i32(&k->w, stride)};
    return words_op(&k->w, GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR, type, 3, operands);
}

void matrix_kernel_store(struct matrix_kernel *k, uint32_t pointer, uint32_t value, uint32_t stride)
{
    const uint32_t operands[] = {pointer, value, words_i32(&k->w, GEO_MATRIX_ROW_MAJOR),
                                 words_i32(&k->w, stride)};
    words_do(&k->w, GEO_SPV_COOPERATIVE_MATRIX_STORE_KHR, 4, operands);
}

uint32_t matrix_kernel_one(struct matrix_kernel *k, uint32_t op, uint32_t type, uint32_t a)
{
    return words_op(&k->w, op, type, 1, &a);
}

uint32_t matrix_kernel_two(struct matrix_kernel *k, uint32_t op, uint32_t type, uint32_t a,
                           uint32_t b)
{
    return words_op(&k->w, op, type, 2, (const uint32_t[]){a, b});
}

void matrix_kernel_run(struct matrix_kernel *kernel, uint32_t items, bool optimize,
                       const struct program_argument *arguments, uint32_t count)
{
    const struct program_options options = {.lanes = 4, .optimize = optimize};
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {items, 1, 1}};
    words_end(&kernel->w);
    struct geo_ir_module *module = words_model(&kernel->w);
    if (!optimize) { /* as modules of one program come together */
        struct geo_ir_module *target = geo_ir_module_create(1u << 24);
        assert_non_null(target);
        assert_int_equal(geo_copy_module(target, module), ZE_RESULT_SUCCESS);
        geo_ir_module_destroy(module);
        module = target;
    }
    struct program *program = program_build_model(module, &options);
    if (program_runs(program)) {
        program_run(program, "test", &launch, arguments, count);
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
    free(kernel);
}
