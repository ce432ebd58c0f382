/* What is done with the elements of cooperative matrices: arithmetic and conversions on each,
 * elements by number and through pointers, coordinates; in sub-groups of 8, 16 and 32. */
#include "matrix_kernel.h"

#include "compiler/ir/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t sizes[] = {8, 16, 32};

/* ---- arithmetic on each element ---- */

#define ROWS     6u
#define COLUMNS  8u
#define ELEMENTS (ROWS * COLUMNS)

enum {
    REAL_ADD,
    REAL_SUBTRACT,
    REAL_MULTIPLY,
    REAL_DIVIDE,
    REAL_NEGATE,
    REAL_SCALE,
    REAL_HALF,
    REAL_INTEGER,
    REAL_BFLOAT,
    REAL_BFLOAT_INT,
    REAL_TF32,
    REAL_CONSTANT,
    REAL_RESULTS,
};

static float to_bfloat(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static float to_tf32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits = (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static void real_expect(float a, float b, float *want)
{
    want[REAL_ADD] = a + b;
    want[REAL_SUBTRACT] = a - b;
    want[REAL_MULTIPLY] = a * b;
    want[REAL_DIVIDE] = a / b;
    want[REAL_NEGATE] = -a;
    want[REAL_SCALE] = a * 1.5f;
    want[REAL_HALF] = (float)(_Float16)a;
    want[REAL_INTEGER] = truncf(a * b);
    want[REAL_BFLOAT] = to_bfloat(a);
    want[REAL_BFLOAT_INT] = to_bfloat(b);
    want[REAL_TF32] = to_tf32(a);
    want[REAL_CONSTANT] = a + 0.25f;
}

static void real_kernel(struct matrix_kernel *k)
{
    struct words *w = &k->w;
    uint32_t single = words_float(w, 32), type = matrix_kernel_type(w, single, ROWS, COLUMNS);
    uint32_t half = matrix_kernel_type(w, words_float(w, 16), ROWS, COLUMNS);
    uint32_t integer = matrix_kernel_type(w, words_int(w, 32), ROWS, COLUMNS);
    uint32_t bfloat = matrix_kernel_type(w, number_type(w, NUMBER_BFLOAT), ROWS, COLUMNS);
    uint32_t narrow = matrix_kernel_type(w, words_int(w, 16), ROWS, COLUMNS);
    uint32_t scale = words_constant(w, single, 0x3fc00000, 32);
    uint32_t quarter = words_constant(w, single, 0x3e800000, 32), results[REAL_RESULTS];
    uint32_t all = words_op(w, SpvOpCompositeConstruct, type, 1, &quarter);
    uint32_t a = matrix_kernel_load(k, type, k->first, COLUMNS),
             b = matrix_kernel_load(k, type, k->first + 1, COLUMNS);
    results[REAL_ADD] = matrix_kernel_two(k, SpvOpFAdd, type, a, b);
    results[REAL_SUBTRACT] = matrix_kernel_two(k, SpvOpFSub, type, a, b);
    uint32_t product = results[REAL_MULTIPLY] = matrix_kernel_two(k, SpvOpFMul, type, a, b);
    results[REAL_DIVIDE] = matrix_kernel_two(k, SpvOpFDiv, type, a, b);
    results[REAL_NEGATE] = matrix_kernel_one(k, SpvOpFNegate, type, a);
    results[REAL_SCALE] = matrix_kernel_two(k, SpvOpMatrixTimesScalar, type, a, scale);
    results[REAL_HALF] =
        matrix_kernel_one(k, SpvOpFConvert, type, matrix_kernel_one(k, SpvOpFConvert, half, a));
    results[REAL_INTEGER] = matrix_kernel_one(
        k, SpvOpConvertSToF, type, matrix_kernel_one(k, SpvOpConvertFToS, integer, product));
    results[REAL_BFLOAT] =
        matrix_kernel_one(k, SpvOpFConvert, type, matrix_kernel_one(k, SpvOpFConvert, bfloat, a));
    results[REAL_BFLOAT_INT] =
        matrix_kernel_one(k, GEO_SPV_CONVERT_BF16_TO_F_INTEL, type,
                          matrix_kernel_one(k, GEO_SPV_CONVERT_F_TO_BF16_INTEL, narrow, b));
    results[REAL_TF32] = matrix_kernel_one(k, GEO_SPV_ROUND_F_TO_TF32_INTEL, type, a);
    results[REAL_CONSTANT] = matrix_kernel_two(k, SpvOpFAdd, type, a, all);
    for (uint32_t i = 0; i < REAL_RESULTS; i++) {
        uint32_t to = matrix_kernel_two(k, SpvOpPtrAccessChain,
                                        words_pointer(w, SpvStorageClassCrossWorkgroup, single),
                                        k->first + 2, words_i32(w, i * ELEMENTS));
        matrix_kernel_store(k, to, results[i], COLUMNS);
    }
}

static void arithmetic_of_floats(void **state)
{
    static const enum number kinds[] = {NUMBER_FLOAT, NUMBER_FLOAT, NUMBER_FLOAT};
    static float a[ELEMENTS], b[ELEMENTS], out[REAL_RESULTS * ELEMENTS];
    (void)state;
    number_fill(NUMBER_FLOAT, a, ELEMENTS, 1);
    number_fill(NUMBER_FLOAT, b, ELEMENTS, 2);
    for (int s = 0; s < 3; s++) {
        const struct program_argument arguments[] = {PROGRAM_POINTER(a), PROGRAM_POINTER(b),
                                                     PROGRAM_POINTER(out)};
        struct matrix_kernel *kernel = matrix_kernel_begin(sizes[s], kinds, 3, 0);
        memset(out, 0, sizeof(out));
        real_kernel(kernel);
        matrix_kernel_run(kernel, sizes[s], s != 1, arguments, 3);
        for (uint32_t i = 0; i < ELEMENTS; i++) {
            float want[REAL_RESULTS];
            real_expect(a[i], b[i], want);
            for (uint32_t r = 0; r < REAL_RESULTS; r++) {
                float got = out[r * ELEMENTS + i];
                /* Division may be 2.5 units off. */
                float bound = r == REAL_DIVIDE ? 3 * 0x1p-23f * fabsf(want[r]) : 0;
                if (!(fabsf(got - want[r]) <= bound)) {
                    fail_msg("S = %u, result %u of element %u: %a, not %a", sizes[s], r, i,
                             (double)got, (double)want[r]);
                }
            }
        }
    }
}

enum {
    INT_ADD,
    INT_SUBTRACT,
    INT_MULTIPLY,
    INT_SIGNED_DIVIDE,
    INT_DIVIDE,
    INT_NEGATE,
    INT_SCALE,
    INT_NARROW,
    INT_NARROW_UNSIGNED,
    INT_CAST,
    INT_RESULTS,
};

static void integer_kernel(struct matrix_kernel *k)
{
    struct words *w = &k->w;
    uint32_t word = words_int(w, 32), type = matrix_kernel_type(w, word, ROWS, COLUMNS);
    uint32_t byte = matrix_kernel_type(w, words_int(w, 8), ROWS, COLUMNS), results[INT_RESULTS];
    uint32_t a = matrix_kernel_load(k, type, k->first, COLUMNS),
             b = matrix_kernel_load(k, type, k->first + 1, COLUMNS);
    results[INT_ADD] = matrix_kernel_two(k, SpvOpIAdd, type, a, b);
    results[INT_SUBTRACT] = matrix_kernel_two(k, SpvOpISub, type, a, b);
    results[INT_MULTIPLY] = matrix_kernel_two(k, SpvOpIMul, type, a, b);
    results[INT_SIGNED_DIVIDE] = matrix_kernel_two(k, SpvOpSDiv, type, a, b);
    results[INT_DIVIDE] = matrix_kernel_two(k, SpvOpUDiv, type, a, b);
    results[INT_NEGATE] = matrix_kernel_one(k, SpvOpSNegate, type, a);
    results[INT_SCALE] = matrix_kernel_two(k, SpvOpMatrixTimesScalar, type, a, words_i32(w, 77));
    uint32_t bytes = matrix_kernel_one(k, SpvOpUConvert, byte, a);
    results[INT_NARROW] = matrix_kernel_one(k, SpvOpSConvert, type, bytes);
    results[INT_NARROW_UNSIGNED] = matrix_kernel_one(k, SpvOpUConvert, type, bytes);
    results[INT_CAST] = matrix_kernel_one(k, SpvOpBitcast, type, b);
    for (uint32_t i = 0; i < INT_RESULTS; i++) {
        uint32_t to = matrix_kernel_two(k, SpvOpPtrAccessChain,
                                        words_pointer(w, SpvStorageClassCrossWorkgroup, word),
                                        k->first + 2, words_i32(w, i * ELEMENTS));
        matrix_kernel_store(k, to, results[i], COLUMNS);
    }
}

static void arithmetic_of_integers(void **state)
{
    static const enum number kinds[] = {NUMBER_I32, NUMBER_I32, NUMBER_I32};
    static uint32_t a[ELEMENTS], b[ELEMENTS], out[INT_RESULTS * ELEMENTS];
    (void)state;
    number_fill(NUMBER_I32, a, ELEMENTS, 3);
    number_fill(NUMBER_I32, b, ELEMENTS, 4);
    for (int s = 0; s < 3; s++) {
        const struct program_argument arguments[] = {PROGRAM_POINTER(a), PROGRAM_POINTER(b),
                                                     PROGRAM_POINTER(out)};
        struct matrix_kernel *kernel = matrix_kernel_begin(sizes[s], kinds, 3, 0);
        memset(out, 0, sizeof(out));
        integer_kernel(kernel);
        matrix_kernel_run(kernel, sizes[s], true, arguments, 3);
        for (uint32_t i = 0; i < ELEMENTS; i++) {
            const uint32_t want[INT_RESULTS] = {
                [INT_ADD] = a[i] + b[i],
                [INT_SUBTRACT] = a[i] - b[i],
                [INT_MULTIPLY] = a[i] * b[i],
                [INT_SIGNED_DIVIDE] = (uint32_t)((int32_t)a[i] / (int32_t)b[i]),
                [INT_DIVIDE] = a[i] / b[i],
                [INT_NEGATE] = 0 - a[i],
                [INT_SCALE] = a[i] * 77,
                [INT_NARROW] = (uint32_t)(int8_t)a[i],
                [INT_NARROW_UNSIGNED] = (uint8_t)a[i],
                [INT_CAST] = b[i],
            };
            for (uint32_t r = 0; r < INT_RESULTS; r++) {
                assert_int_equal(out[r * ELEMENTS + i], want[r]);
            }
        }
    }
}

/* ---- elements by number ---- */

/* for (i = 0; i < length; i++): the element by number and through a pointer, its coordinates. */
static void places_kernel(struct matrix_kernel *k, uint32_t rows, uint32_t columns)
{
    struct words *w = &k->w;
    uint32_t word = words_int(w, 32), type = matrix_kernel_type(w, word, rows, columns);
    uint32_t private = words_pointer(w, SpvStorageClassFunction, type);
    uint32_t place = words_pointer(w, SpvStorageClassFunction, word);
    uint32_t pair = words_vector(w, word, 2), boolean = words_type(w, SpvOpTypeBool, 0, NULL);
    uint32_t head = words_id(w), body = words_id(w), end = words_id(w), before = words_id(w);
    uint32_t next = words_id(w), changed = words_id(w);
    uint32_t variable = words_op(w, SpvOpVariable, private, 1, (const uint32_t[]){7});
    uint32_t matrix = matrix_kernel_load(k, type, k->first, columns);
    words_do(w, SpvOpStore, 2, (const uint32_t[]){variable, matrix});
    uint32_t length = words_op(w, GEO_SPV_COOPERATIVE_MATRIX_LENGTH_KHR, word, 1, &type);
    words_do(w, SpvOpBranch, 1, &before);
    words_do(w, SpvOpLabel, 1, &before);
    words_do(w, SpvOpBranch, 1, &head);
    words_do(w, SpvOpLabel, 1, &head);
    uint32_t zero = words_i32(w, 0);
    uint32_t i = words_op(w, SpvOpPhi, word, 4, (const uint32_t[]){zero, before, next, body});
    uint32_t doubled =
        words_op(w, SpvOpPhi, type, 4, (const uint32_t[]){matrix, before, changed, body});
    uint32_t more = matrix_kernel_two(k, SpvOpULessThan, boolean, i, length);
    words_do(w, SpvOpBranchConditional, 3, (const uint32_t[]){more, body, end});
    words_do(w, SpvOpLabel, 1, &body);
    uint32_t at = matrix_kernel_two(k, GEO_SPV_COOPERATIVE_MATRIX_ELEMENT_COORD, pair, matrix, i);
    uint32_t row = matrix_kernel_two(k, SpvOpCompositeExtract, word, at, 0);
    uint32_t column = matrix_kernel_two(k, SpvOpCompositeExtract, word, at, 1);
    uint32_t number = matrix_kernel_two(k, SpvOpIMul, word, row, words_i32(w, 1000));
    number = matrix_kernel_two(k, SpvOpIAdd, word, number, column);
    uint32_t element = matrix_kernel_two(k, SpvOpVectorExtractDynamic, word, matrix, i);
    uint32_t twice = matrix_kernel_two(k, SpvOpIMul, word, element, words_i32(w, 2));
    /* The ids of these were named before. */
    const uint32_t insert[] = {
        6u << 16 | SpvOpVectorInsertDynamic, type, changed, doubled, twice, i};
    const uint32_t add[] = {5u << 16 | SpvOpIAdd, word, next, i, words_i32(w, 1)};
    memcpy(w->code.words + w->code.count, insert, sizeof(insert));
    w->code.count += 6;
    memcpy(w->code.words + w->code.count, add, sizeof(add));
    w->code.count += 5;
    uint32_t chain = matrix_kernel_two(k, SpvOpAccessChain, place, variable, i);
    uint32_t old = words_op(w, SpvOpLoad, word, 1, &chain);
    uint32_t sum = matrix_kernel_two(k, SpvOpIAdd, word, old, number);
    words_do(w, SpvOpStore, 2, (const uint32_t[]){chain, sum});
    words_do(w, SpvOpBranch, 1, &head);
    words_do(w, SpvOpLabel, 1, &end);
    uint32_t summed = words_op(w, SpvOpLoad, type, 1, &variable);
    matrix_kernel_store(k, k->first + 1, summed, columns);
    matrix_kernel_store(k, k->first + 2, doubled, columns);
}

static void elements_by_number(void **state)
{
    static const enum number kinds[] = {NUMBER_I32, NUMBER_I32, NUMBER_I32};
    static const uint32_t shapes[][2] = {{8, 16}, {3, 5}, {16, 8}};
    static uint32_t in[128], sums[128], doubles[128];
    (void)state;
    number_fill(NUMBER_I32, in, 128, 5);
    for (int s = 0; s < 3; s++) {
        uint32_t rows = shapes[s][0], columns = shapes[s][1];
        for (int size = 0; size < 3; size++) {
            const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(sums),
                                                         PROGRAM_POINTER(doubles)};
            struct matrix_kernel *kernel = matrix_kernel_begin(sizes[size], kinds, 3, 0);
            memset(sums, 0, sizeof(sums));
            memset(doubles, 0, sizeof(doubles));
            places_kernel(kernel, rows, columns);
            matrix_kernel_run(kernel, sizes[size], size != 2, arguments, 3);
            for (uint32_t i = 0; i < rows * columns; i++) {
                assert_int_equal(sums[i], in[i] + i / columns * 1000 + i % columns);
                assert_int_equal(doubles[i], 2 * in[i]);
            }
        }
    }
}

/* ---- numbers of a C++ class ---- */

/* out = in + 7 + (7 in all rows but the last), where pointers lead to a class that holds a number,
 * and 7 is passed by its address, as DPC++ writes it for bfloat16. */
static void class_kernel(struct matrix_kernel *k)
{
    struct words *w = &k->w;
    uint32_t number = words_int(w, 16), type = matrix_kernel_type(w, number, ROWS, COLUMNS);
    uint32_t inner = words_type(w, SpvOpTypeStruct, 1, &number);
    uint32_t class = words_type(w, SpvOpTypeStruct, 1, &inner);
    uint32_t global = words_pointer(w, SpvStorageClassCrossWorkgroup, class);
    uint32_t place = words_pointer(w, SpvStorageClassFunction, number);
    uint32_t zero = words_i32(w, 0), seven = words_constant(w, number, 7, 32);
    uint32_t variable = words_op(w, SpvOpVariable, words_pointer(w, SpvStorageClassFunction, class),
                                 1, (const uint32_t[]){SpvStorageClassFunction});
    uint32_t member =
        words_op(w, SpvOpInBoundsAccessChain, place, 3, (const uint32_t[]){variable, zero, zero});
    words_do(w, SpvOpStore, 2, (const uint32_t[]){member, seven});
    uint32_t in = matrix_kernel_one(k, SpvOpBitcast, global, k->first);
    uint32_t out = matrix_kernel_one(k, SpvOpBitcast, global, k->first + 1);
    uint32_t sum = matrix_kernel_load(k, type, in, COLUMNS);
    uint32_t all = words_op(w, SpvOpCompositeConstruct, type, 1, &variable);
    uint32_t some = words_op(
        w, GEO_SPV_COOPERATIVE_MATRIX_CONSTRUCT_CHECKED, type, 5,
        (const uint32_t[]){zero, zero, words_i32(w, ROWS - 1), words_i32(w, COLUMNS), member});
    sum = matrix_kernel_two(k, SpvOpIAdd, type, sum, all);
    sum = matrix_kernel_two(k, SpvOpIAdd, type, sum, some);
    matrix_kernel_store(k, out, sum, COLUMNS);
}

static void numbers_of_a_class(void **state)
{
    static const enum number kinds[] = {NUMBER_I16, NUMBER_I16};
    static int16_t in[ELEMENTS], out[ELEMENTS];
    (void)state;
    number_fill(NUMBER_I16, in, ELEMENTS, 6);
    for (int s = 0; s < 3; s++) {
        const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
        struct matrix_kernel *kernel = matrix_kernel_begin(sizes[s], kinds, 2, 0);
        memset(out, 0, sizeof(out));
        class_kernel(kernel);
        matrix_kernel_run(kernel, sizes[s], s != 1, arguments, 2);
        for (uint32_t i = 0; i < ELEMENTS; i++) {
            int added = i / COLUMNS < ROWS - 1 ? 14 : 7;
            assert_int_equal(out[i], (int16_t)(in[i] + added));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_class),
        cmocka_unit_test(arithmetic_of_floats),
        cmocka_unit_test(arithmetic_of_integers),
        cmocka_unit_test(elements_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
