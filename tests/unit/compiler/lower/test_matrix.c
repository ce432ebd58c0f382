/* Products of cooperative matrices (SPV_KHR_cooperative_matrix, SPV_INTEL_joint_matrix) against
 * sums written from their definition: kinds of numbers, layouts and shapes, in sub-groups of 8, 16
 * and 32. Integers are exact, floats within the bound of a sum in the order of k, and the same bits
 * at every size of sub-groups. */
#include "level.h"
#include "numbers.h"
#include "program.h"

#include "compiler/ir/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUBGROUPS 2u
#define SENTINEL  0xA5
#define ALL_SIGNED                                                                                 \
    (GEO_MATRIX_A_SIGNED | GEO_MATRIX_B_SIGNED | GEO_MATRIX_C_SIGNED | GEO_MATRIX_RESULT_SIGNED)
#define ALL_BFLOAT (GEO_MATRIX_AB_BFLOAT | GEO_MATRIX_C_BFLOAT | GEO_MATRIX_RESULT_BFLOAT)

enum { A, B, C, D, MATRICES };

struct product {
    uint32_t m, n, k;
    enum number kinds[MATRICES];
    uint32_t literals;
    uint32_t layouts[MATRICES]; /* D's is C's */
    uint32_t pointee;           /* bytes of what pointers lead to; 0: an element */
    const char *cpu;
};

/* ---- where elements lie ---- */

static uint32_t rows_of(const struct product *p, uint32_t i)
{
    return i == B ? p->k : p->m;
}

static uint32_t columns_of(const struct product *p, uint32_t i)
{
    return i == A ? p->k : p->n;
}

static uint32_t factor_of(const struct product *p, uint32_t i)
{
    uint32_t bytes = number_bytes(p->kinds[i]);
    return bytes < 4 ? 4 / bytes : 1;
}

/* Elements between lines, some of which are nobody's. */
static uint32_t stride_of(const struct product *p, uint32_t i)
{
    uint32_t line = p->layouts[i] == GEO_MATRIX_COLUMN_MAJOR ? rows_of(p, i)
                    : p->layouts[i] == GEO_MATRIX_PACKED     ? columns_of(p, i) * factor_of(p, i)
                                                             : columns_of(p, i);
    return line + 3;
}

static size_t place_of(const struct product *p, uint32_t i, uint32_t row, uint32_t column)
{
    size_t stride = stride_of(p, i);
    uint32_t factor = factor_of(p, i);
    switch (p->layouts[i]) {
    case GEO_MATRIX_COLUMN_MAJOR:
        return column * stride + row;
    case GEO_MATRIX_PACKED:
        return row / factor * stride + column * factor + row % factor;
    default:
        return row * stride + column;
    }
}

static size_t elements_of(const struct product *p, uint32_t i)
{
    size_t most = 0;
    for (uint32_t row = 0; row < rows_of(p, i); row++) {
        for (uint32_t column = 0; column < columns_of(p, i); column++) {
            size_t place = place_of(p, i, row, column) + 1;
            most = place > most ? place : most;
        }
    }
    return most;
}

/* ---- the kernel ---- */

/* items 0: of no size that is required.
 * product(A, B, C, D, four strides, elements from one sub-group's C and D to the next one's) */
static struct geo_ir_module *product_module(const struct product *p, uint32_t items)
{
    struct words *w = malloc(sizeof(*w));
    uint32_t types[9], matrices[MATRICES], values[MATRICES];
    assert_non_null(w);
    words_begin(w);
    words_capability(w, 6022);
    words_capability(w, SpvCapabilitySubgroupDispatch);
    uint32_t word = words_int(w, 32), number = words_int(w, 64);
    for (uint32_t i = 0; i < MATRICES; i++) {
        uint32_t element = p->pointee ? words_int(w, 8 * p->pointee) : number_type(w, p->kinds[i]);
        types[i] = words_pointer(w, SpvStorageClassCrossWorkgroup, element);
        types[4 + i] = number;
        const uint32_t operands[] = {number_type(w, p->kinds[i]), words_i32(w, SpvScopeSubgroup),
                                     words_i32(w, rows_of(p, i)), words_i32(w, columns_of(p, i)),
                                     words_i32(w, i < C ? i : GEO_MATRIX_ACCUMULATOR)};
        matrices[i] = words_type(w, GEO_SPV_TYPE_COOPERATIVE_MATRIX_KHR, 5, operands);
    }
    types[8] = number;
    uint32_t first = words_kernel(w, "product", types, 9);
    if (items) {
        words_mode(w, SpvExecutionModeSubgroupSize, 1, &items);
    }
    uint32_t group = words_builtin(w, SpvBuiltInSubgroupId, word);
    uint32_t skip = words_op(w, SpvOpUConvert, number, 1, &group);
    skip = words_op(w, SpvOpIMul, number, 2, (const uint32_t[]){skip, first + 8});
    for (uint32_t i = A; i < D; i++) {
        uint32_t pointer = first + i;
        if (i == C) {
            pointer =
                words_op(w, SpvOpPtrAccessChain, types[i], 2, (const uint32_t[]){pointer, skip});
        }
        const uint32_t load[] = {pointer, words_i32(w, p->layouts[i]), first + 4 + i};
        values[i] = words_op(w, GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR, matrices[i], 3, load);
    }
    const uint32_t operands[] = {values[A], values[B], values[C], p->literals};
    values[D] = words_op(w, GEO_SPV_COOPERATIVE_MATRIX_MUL_ADD_KHR, matrices[D],
                         p->literals ? 4 : 3, operands);
    uint32_t to =
        words_op(w, SpvOpPtrAccessChain, types[D], 2, (const uint32_t[]){first + D, skip});
    words_do(w, GEO_SPV_COOPERATIVE_MATRIX_STORE_KHR, 4,
             (const uint32_t[]){to, values[D], words_i32(w, p->layouts[D]), first + 4 + D});
    words_end(w);
    struct geo_ir_module *module = words_model(w);
    free(w);
    return module;
}

static void product_run(const struct product *p, uint32_t items, const struct guarded *memory)
{
    const struct program_options options = {
        .lanes = items == 16 ? 0 : 8, .optimize = items != 32, .cpu = p->cpu};
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {SUBGROUPS * items, 1, 1}};
    struct program_argument arguments[9];
    uint64_t numbers[5];
    for (uint32_t i = 0; i < MATRICES; i++) {
        uint32_t unit = p->pointee > 1 ? number_bytes(p->kinds[i]) / p->pointee : 1;
        numbers[i] = (uint64_t)stride_of(p, i) * unit;
        arguments[i].value = &memory[i].data;
        arguments[i].size = sizeof(void *);
        arguments[4 + i] = PROGRAM_VALUE(numbers[i]);
    }
    numbers[4] = elements_of(p, C) * (p->pointee ? number_bytes(p->kinds[C]) / p->pointee : 1);
    arguments[8] = PROGRAM_VALUE(numbers[4]);
    struct geo_ir_module *module = product_module(p, items);
    struct program *program = program_build_model(module, &options);
    assert_int_equal(program_record(program, "product")->lanes, items);
    if (program_runs(program)) {
        program_run(program, "product", &launch, arguments, 9);
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
}

/* ---- what comes of it ---- */

static void integer_check(const struct product *p, const struct guarded *memory, uint32_t subgroup,
                          uint32_t row, uint32_t column)
{
    size_t at = subgroup * elements_of(p, C) + place_of(p, C, row, column);
    uint32_t width = 8 * number_bytes(p->kinds[D]);
    bool is_signed = p->literals & GEO_MATRIX_RESULT_SIGNED;
    int64_t sum = 0, c = number_integer(p->kinds[C], memory[C].data, at);
    for (uint32_t k = 0; k < p->k; k++) {
        uint64_t a = (uint64_t)number_integer(p->kinds[A], memory[A].data, place_of(p, A, row, k));
        uint64_t b =
            (uint64_t)number_integer(p->kinds[B], memory[B].data, place_of(p, B, k, column));
        sum = (int64_t)((uint64_t)sum + a * b);
    }
    int64_t want = (int64_t)((uint64_t)sum + (uint64_t)c);
    if (p->literals & GEO_MATRIX_SATURATING) {
        int64_t most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
        want = want > most ? most : want < least ? least : want;
    }
    uint32_t unused = 64 - width;
    want = is_signed ? (int64_t)((uint64_t)want << unused) >> unused
                     : (int64_t)((uint64_t)want << unused >> unused);
    int64_t got = number_integer(p->kinds[D], memory[D].data, at);
    if (got != want) {
        fail_msg("%u x %u x %u, row %u, column %u: %lld, not %lld", p->m, p->n, p->k, row, column,
                 (long long)got, (long long)want);
    }
}

static void real_check(const struct product *p, const struct guarded *memory, uint32_t subgroup,
                       uint32_t row, uint32_t column)
{
    size_t at = subgroup * elements_of(p, C) + place_of(p, C, row, column);
    long double sum = (long double)number_real(p->kinds[C], memory[C].data, at);
    long double size = fabsl(sum);
    bool wide = p->kinds[D] == NUMBER_DOUBLE;
    for (uint32_t k = 0; k < p->k; k++) {
        long double a =
            (long double)number_real(p->kinds[A], memory[A].data, place_of(p, A, row, k));
        long double b =
            (long double)number_real(p->kinds[B], memory[B].data, place_of(p, B, k, column));
        sum += a * b;
        size += fabsl(a * b);
    }
    long double unit = (long double)number_epsilon(wide ? NUMBER_DOUBLE : NUMBER_FLOAT);
    long double bound = 2 * (p->k + 1) * unit * size;
    bound += (long double)number_epsilon(p->kinds[D]) * (fabsl(sum) + bound) + 0x1p-25L;
    bound -= wide ? 0x1p-25L : 0;
    long double got = (long double)number_real(p->kinds[D], memory[D].data, at);
    if (!(fabsl(got - sum) <= bound)) {
        fail_msg("%u x %u x %u, row %u, column %u: %Lg, not %Lg (%Lg)", p->m, p->n, p->k, row,
                 column, got, sum, bound);
    }
}

/* Elements of D, and nothing between them. */
static void product_check(const struct product *p, const struct guarded *memory)
{
    size_t each = elements_of(p, D), bytes = number_bytes(p->kinds[D]);
    bool *written = calloc(SUBGROUPS * each, 1);
    assert_non_null(written);
    for (uint32_t subgroup = 0; subgroup < SUBGROUPS; subgroup++) {
        for (uint32_t row = 0; row < p->m; row++) {
            for (uint32_t column = 0; column < p->n; column++) {
                written[subgroup * each + place_of(p, D, row, column)] = true;
                if (number_is_real(p->kinds[D])) {
                    real_check(p, memory, subgroup, row, column);
                } else {
                    integer_check(p, memory, subgroup, row, column);
                }
            }
        }
    }
    for (size_t i = 0; i < SUBGROUPS * each * bytes; i++) {
        assert_true(written[i / bytes] || ((const uint8_t *)memory[D].data)[i] == SENTINEL);
    }
    free(written);
}

/* Half of C's numbers so large or small that sums do not fit. */
static void extremes_fill(const struct product *p, const struct guarded *memory)
{
    uint32_t *numbers = memory->data;
    bool is_signed = p->literals & GEO_MATRIX_RESULT_SIGNED;
    for (size_t i = 0; i < memory->bytes / sizeof(*numbers); i++) {
        uint32_t near = numbers[i] >> 24;
        switch (i % 4) {
        case 0:
            numbers[i] = (is_signed ? INT32_MAX : UINT32_MAX) - near;
            break;
        case 1:
            numbers[i] = is_signed ? 0x80000000u + near : near;
            break;
        default:
            numbers[i] >>= 8;
            break;
        }
    }
}

static void product_test(const struct product *p)
{
    static const uint32_t sizes[] = {8, 16, 32};
    struct guarded memory[MATRICES];
    void *before = NULL;
    for (uint32_t i = 0; i < MATRICES; i++) {
        size_t count = elements_of(p, i) * (i >= C ? SUBGROUPS : 1);
        memory[i] = guarded_create(count * number_bytes(p->kinds[i]));
        number_fill(p->kinds[i], memory[i].data, count, i + p->m + p->n);
    }
    if (p->literals & GEO_MATRIX_SATURATING) {
        extremes_fill(p, &memory[C]);
    }
    for (int s = 0; s < 3; s++) {
        memset(memory[D].data, SENTINEL, memory[D].bytes);
        product_run(p, sizes[s], memory);
        if (!level_runs(p->cpu)) {
            continue;
        }
        product_check(p, memory);
        before = before ? before : malloc(memory[D].bytes);
        assert_non_null(before);
        if (s > 0) {
            assert_memory_equal(before, memory[D].data, memory[D].bytes);
        }
        memcpy(before, memory[D].data, memory[D].bytes);
    }
    free(before);
    for (uint32_t i = 0; i < MATRICES; i++) {
        guarded_destroy(&memory[i]);
    }
}

/* ---- the cases ---- */

#define ROW    GEO_MATRIX_ROW_MAJOR
#define COLUMN GEO_MATRIX_COLUMN_MAJOR
#define PACKED GEO_MATRIX_PACKED

/* Rows, columns, terms of each sum; kinds of A, B, C and D; literals; layouts of A, B, C and D, row
 * by row where none is given. */
#define PRODUCT(rows, columns, terms, a, b, c, d, operands, ...)                                   \
    {                                                                                              \
        .m = (rows), .n = (columns), .k = (terms),                                                 \
        .kinds = {NUMBER_##a, NUMBER_##b, NUMBER_##c, NUMBER_##d}, .literals = (operands),         \
        .layouts = {                                                                               \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void products_test(const struct product *products, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        product_test(&products[i]);
    }
}

#define PRODUCTS_TEST(products) products_test(products, sizeof(products) / sizeof(products[0]))

static void products_of_integers(void **state)
{
    static const struct product products[] = {
        PRODUCT(8, 16, 32, I8, I8, I32, I32, ALL_SIGNED, ROW, PACKED),
        PRODUCT(8, 8, 32, U8, U8, U32, U32, 0, ROW, ROW, COLUMN, COLUMN),
        PRODUCT(4, 16, 12, I8, U8, I32, I32, ALL_SIGNED & ~GEO_MATRIX_B_SIGNED, COLUMN, COLUMN),
        PRODUCT(3, 5, 7, U8, I8, I32, I32, ALL_SIGNED & ~GEO_MATRIX_A_SIGNED, PACKED, ROW),
        PRODUCT(2, 32, 16, I16, I16, I64, I64, ALL_SIGNED, ROW, PACKED),
        PRODUCT(1, 16, 8, I32, I32, I32, I32, ALL_SIGNED, ROW, ROW),
    };
    (void)state;
    PRODUCTS_TEST(products);
}

static void sums_that_saturate(void **state)
{
    static const struct product products[] = {
        PRODUCT(8, 16, 32, I8, I8, I32, I32, ALL_SIGNED | GEO_MATRIX_SATURATING, ROW, PACKED),
        PRODUCT(8, 16, 32, U8, U8, U32, U32, GEO_MATRIX_SATURATING, ROW, PACKED),
    };
    (void)state;
    PRODUCTS_TEST(products);
}

static void products_of_floats(void **state)
{
    static const struct product products[] = {
        PRODUCT(8, 16, 8, FLOAT, FLOAT, FLOAT, FLOAT, 0, ROW, ROW),
        PRODUCT(5, 9, 11, FLOAT, FLOAT, FLOAT, FLOAT, 0, COLUMN, PACKED),
        PRODUCT(8, 16, 8, TF32, TF32, FLOAT, FLOAT, GEO_MATRIX_AB_TF32, ROW, PACKED),
        PRODUCT(6, 8, 10, DOUBLE, DOUBLE, DOUBLE, DOUBLE, 0, ROW, COLUMN, COLUMN, COLUMN),
    };
    (void)state;
    PRODUCTS_TEST(products);
}

static void products_of_16_bits(void **state)
{
    static const struct product products[] = {
        PRODUCT(8, 16, 16, HALF, HALF, FLOAT, FLOAT, 0, ROW, PACKED),
        PRODUCT(8, 16, 16, HALF, HALF, HALF, HALF, 0, ROW, ROW, COLUMN, COLUMN),
        PRODUCT(4, 8, 16, HALF, HALF, FLOAT, HALF, 0, COLUMN, COLUMN),
        PRODUCT(8, 16, 16, BFLOAT, BFLOAT, FLOAT, FLOAT, 0, ROW, PACKED),
        PRODUCT(8, 8, 16, BFLOAT, BFLOAT, BFLOAT, BFLOAT, 0, ROW, ROW),
        PRODUCT(8, 16, 16, BFLOAT_INT, BFLOAT_INT, FLOAT, FLOAT, GEO_MATRIX_AB_BFLOAT, ROW, PACKED),
        PRODUCT(1, 16, 16, BFLOAT_INT, BFLOAT_INT, BFLOAT_INT, BFLOAT_INT, ALL_BFLOAT, ROW, PACKED,
                COLUMN, COLUMN),
    };
    (void)state;
    PRODUCTS_TEST(products);
}

/* Several slots of B beside each other, and rows that are longer than a slot. */
static void larger_shapes(void **state)
{
    static const struct product products[] = {
        PRODUCT(16, 64, 4, HALF, HALF, FLOAT, FLOAT, 0, ROW, PACKED),
        PRODUCT(32, 32, 4, I8, I8, I32, I32, ALL_SIGNED, ROW, ROW),
    };
    (void)state;
    PRODUCTS_TEST(products);
}

static void other_processors(void **state)
{
    static const char *const levels[] = {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct product halves =
            PRODUCT(8, 8, 4, HALF, BFLOAT, FLOAT, HALF, 0, COLUMN, PACKED, COLUMN, COLUMN);
        halves.cpu = levels[i];
        product_test(&halves);
    }
    /* dot products of bytes, of all signs */
    for (uint32_t i = 0; i < 4; i++) {
        struct product bytes = PRODUCT(4, 16, 16, I8, I8, I32, I32, ALL_SIGNED, ROW, PACKED);
        bytes.literals &= ~(i & 1 ? GEO_MATRIX_A_SIGNED : 0) & ~(i & 2 ? GEO_MATRIX_B_SIGNED : 0);
        bytes.kinds[A] = i & 1 ? NUMBER_U8 : NUMBER_I8;
        bytes.kinds[B] = i & 2 ? NUMBER_U8 : NUMBER_I8;
        for (int level = 1; level < 4; level++) {
            bytes.cpu = levels[level];
            product_test(&bytes);
        }
    }
}

/* Pointers and strides count in what the pointer leads to; but where that is bytes, which producers
 * write for untyped pointers, strides count in elements. */
static void pointers_to_other_types_than_elements(void **state)
{
    struct product product = PRODUCT(4, 16, 8, HALF, HALF, FLOAT, FLOAT, 0, ROW, PACKED);
    (void)state;
    for (product.pointee = 1; product.pointee <= 2; product.pointee++) {
        product_test(&product);
    }
}

/* Without a size that is required sub-groups have 16 items, also where vectors have eight. */
static void a_kernel_that_requires_no_size(void **state)
{
    const struct product p = PRODUCT(8, 8, 4, HALF, HALF, FLOAT, FLOAT, 0, ROW, ROW);
    const struct program_options options = {.optimize = true, .cpu = "x86-64-v3"};
    struct geo_ir_module *module = product_module(&p, 0);
    struct program *program = program_build_model(module, &options);
    (void)state;
    assert_int_equal(program_record(program, "product")->lanes, 16);
    assert_int_equal(program_kernel(program, "product")->subgroup_size, 16);
    program_destroy(program);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_integers),
        cmocka_unit_test(sums_that_saturate),
        cmocka_unit_test(products_of_floats),
        cmocka_unit_test(products_of_16_bits),
        cmocka_unit_test(larger_shapes),
        cmocka_unit_test(other_processors),
        cmocka_unit_test(pointers_to_other_types_than_elements),
        cmocka_unit_test(a_kernel_that_requires_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
