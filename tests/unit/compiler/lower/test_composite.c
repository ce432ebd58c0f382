/* Composites, bitcasts, dot products, carries, any and all, shuffles, constants: values of several
 * components against C, one function a test, at every width. */
#include "harness.h"

#include <setjmp.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "reference.h"
#include <cmocka.h>

#define ITEMS 32u

/* Builds out[id] = f(in0[id], in1[id]); then checks out[id] by `expect`. */
struct form {
    const char *in[2]; /* input types; NULL: none */
    struct geo_ir_value *(*build)(struct harness_function *fn, struct geo_ir_value *const *in,
                                  uint32_t variant);
    void (*expect)(const void *const *in, void *out, uint32_t variant); /* of one item */
    uint32_t variants;
    const char *out; /* for its size */
};

static uint32_t bytes_of(struct harness *h, const char *type)
{
    return (uint32_t)harness_type(h, type)->size;
}

static void form_check(struct harness *h, const struct form *form, uint32_t first)
{
    static _Alignas(128) uint8_t data[2][ITEMS * 128], out[ITEMS * 128];
    uint64_t random = 12345;
    for (uint32_t i = 0; i < 2; i++) {
        const char *type = form->in[i];
        for (uint32_t n = 0; type && n < sizeof(data[0]) / harness_type_bytes(type); n++) {
            uint32_t pick = (uint32_t)((random = random * 6364136223846793005ull + 1) >> 40) % 40;
            harness_write(type, data[i], n, reference_value(type, pick, &random));
        }
    }
    uint32_t size = bytes_of(h, form->out);
    for (uint32_t v = 0; v < form->variants; v++) {
        for (uint32_t base = 0; base < ITEMS; base += h->options.lanes) {
            void *inputs[HARNESS_INPUTS] = {data[0], data[1]};
            uint64_t mask = 0x9e37 | 1u << (h->options.lanes - 1);
            memset(out, 0x77, sizeof(out));
            harness_call(h, first + v, inputs, out, base, mask);
            for (uint32_t lane = 0; lane < h->options.lanes; lane++) {
                uint8_t expected[128];
                const void *at[2];
                memset(expected, 0x77, sizeof(expected));
                for (uint32_t i = 0; i < 2; i++) {
                    at[i] = form->in[i] ? data[i] + (base + lane) * bytes_of(h, form->in[i]) : NULL;
                }
                if (h->options.lanes == 1 || mask >> lane & 1) {
                    form->expect(at, expected, v);
                }
                if (memcmp(out + (base + lane) * size, expected, size) != 0) {
                    print_error("variant %u, W=%u, lane %u of %u\n", v, h->options.lanes, lane,
                                base);
                }
                assert_memory_equal(out + (base + lane) * size, expected, size);
            }
        }
    }
}

static void form_run(const struct form *form)
{
    static const struct {
        const char *cpu;
        uint32_t lanes;
        bool optimize;
    } runs[] = {{"x86-64", 8, false},
                {"x86-64-v3", 1, true},
                {"x86-64-v3", 8, true},
                {"x86-64-v4", 16, true}};
    for (size_t r = 0; r < sizeof(runs) / sizeof(runs[0]); r++) {
        struct harness h;
        harness_begin(&h, runs[r].cpu, runs[r].lanes, runs[r].optimize);
        for (uint32_t v = 0; v < form->variants; v++) {
            struct harness_function fn;
            struct geo_ir_value *in[2] = {NULL, NULL};
            harness_function_begin(&h, &fn);
            for (uint32_t i = 0; i < 2 && form->in[i]; i++) {
                in[i] = harness_load_input(&fn, i, harness_type(&h, form->in[i]), HARNESS_VARYING);
            }
            harness_store_output(&fn, form->build(&fn, in, v));
            harness_function_end(&fn, true, NULL);
        }
        if (harness_load(&h)) {
            form_check(&h, form, 0);
        }
        harness_end(&h);
    }
}

static struct geo_ir_value *op(struct harness_function *fn, unsigned opcode, const char *type,
                               struct geo_ir_value *a, struct geo_ir_value *b)
{
    struct geo_ir_value *operands[2] = {a, b};
    return &harness_add(fn, opcode, harness_type(fn->h, type), operands, b ? 2 : 1, NULL, 0)->value;
}

static struct geo_ir_value *op_literals(struct harness_function *fn, unsigned opcode,
                                        const char *type, struct geo_ir_value *a,
                                        struct geo_ir_value *b, const uint32_t *literals,
                                        uint32_t count)
{
    struct geo_ir_value *operands[2] = {a, b};
    return &harness_add(fn, opcode, harness_type(fn->h, type), operands, b ? 2 : 1, literals, count)
                ->value;
}

/* ---- construct, extract, insert, shuffle ---- */

static struct geo_ir_value *rearrange_build(struct harness_function *fn,
                                            struct geo_ir_value *const *in, uint32_t variant)
{
    static const uint32_t reverse[4] = {3, 2, 1, 0}, mixed[4] = {5, 0, UINT32_MAX, 7};
    uint32_t two = 2, one = 1;
    struct geo_ir_value *parts[3];
    switch (variant) {
    case 0:
        return op_literals(fn, SpvOpVectorShuffle, "i32x4", in[0], in[1], reverse, 4);
    case 1:
        return op_literals(fn, SpvOpVectorShuffle, "i32x4", in[0], in[1], mixed, 4);
    case 2: /* in0 with component 2 from in1's component 1 */
        parts[0] = op_literals(fn, SpvOpCompositeExtract, "i32", in[1], NULL, &one, 1);
        return op_literals(fn, SpvOpCompositeInsert, "i32x4", parts[0], in[0], &two, 1);
    case 3: /* {in1.yx, in0.z, in1.y} out of a vector and scalars */
        parts[0] =
            op_literals(fn, SpvOpVectorShuffle, "i32x2", in[1], in[0], (const uint32_t[]){1, 0}, 2);
        parts[1] = op_literals(fn, SpvOpCompositeExtract, "i32", in[0], NULL, &two, 1);
        parts[2] = op_literals(fn, SpvOpCompositeExtract, "i32", in[1], NULL, &one, 1);
        return &harness_add(fn, SpvOpCompositeConstruct, harness_type(fn->h, "i32x4"), parts, 3,
                            NULL, 0)
                    ->value;
    case 4:
        return op(fn, SpvOpCopyObject, "i32x4", in[0], NULL);
    default:
        return op(fn, SpvOpIAdd, "i32x4", in[0], in[1]);
    }
}

static void rearrange_expect(const void *const *in, void *out, uint32_t variant)
{
    const uint32_t *a = in[0], *b = in[1];
    uint32_t results[6][4] = {{a[3], a[2], a[1], a[0]},
                              {b[1], a[0], 0, b[3]},
                              {a[0], a[1], b[1], a[3]},
                              {b[1], b[0], a[2], b[1]},
                              {a[0], a[1], a[2], a[3]}};
    for (int i = 0; i < 4; i++) {
        results[5][i] = a[i] + b[i];
    }
    memcpy(out, results[variant], 16);
}

static void vectors_are_built_and_taken_apart(void **state)
{
    (void)state;
    form_run(&(struct form){{"i32x4", "i32x4"}, rearrange_build, rearrange_expect, 6, "i32x4"});
}

/* Structs and arrays as values: { f32x2, i32[2] } built from parts and indexed two levels deep. */
static struct geo_ir_value *struct_build(struct harness_function *fn,
                                         struct geo_ir_value *const *in, uint32_t variant)
{
    struct geo_ir_module *module = fn->h->module;
    struct geo_ir_type *type = geo_ir_type_struct(module, 2);
    const struct geo_ir_type *array = geo_ir_type_array(module, geo_ir_type_int(module, 32), 2);
    type->members[0] = harness_type(fn->h, "i32x2");
    type->members[1] = array;
    assert_true(geo_ir_struct_layout(type));
    struct geo_ir_value *low =
        op_literals(fn, SpvOpVectorShuffle, "i32x2", in[0], in[0], (const uint32_t[]){0, 1}, 2);
    uint32_t at[2] = {2, 0};
    struct geo_ir_value *pair[2];
    pair[0] = op_literals(fn, SpvOpCompositeExtract, "i32", in[0], NULL, at, 1);
    at[0] = 3;
    pair[1] = op_literals(fn, SpvOpCompositeExtract, "i32", in[0], NULL, at, 1);
    struct geo_ir_value *members[2] = {
        low, &harness_add(fn, SpvOpCompositeConstruct, array, pair, 2, NULL, 0)->value};
    struct geo_ir_value *whole =
        &harness_add(fn, SpvOpCompositeConstruct, type, members, 2, NULL, 0)->value;
    /* Put in1 into member 1, element 0, then read back element `variant` of member 1 or 0. */
    struct geo_ir_value *operands[2] = {in[1], whole};
    uint32_t inner[2] = {1, 0};
    whole = &harness_add(fn, SpvOpCompositeInsert, type, operands, 2, inner, 2)->value;
    uint32_t path[2] = {variant / 2, variant % 2};
    return &harness_add(fn, SpvOpCompositeExtract, geo_ir_type_int(module, 32), &whole, 1, path, 2)
                ->value;
}

static void struct_expect(const void *const *in, void *out, uint32_t variant)
{
    const uint32_t *a = in[0], *b = in[1];
    uint32_t results[4] = {a[0], a[1], b[0], a[3]};
    memcpy(out, &results[variant], 4);
}

static void structs_and_arrays_are_values(void **state)
{
    (void)state;
    form_run(&(struct form){{"i32x4", "i32"}, struct_build, struct_expect, 4, "i32"});
}

/* ---- dynamic components ---- */

static struct geo_ir_value *dynamic_build(struct harness_function *fn,
                                          struct geo_ir_value *const *in, uint32_t variant)
{
    struct geo_ir_value *three = harness_constant(fn, harness_type(fn->h, "i32"), 3);
    struct geo_ir_value *index =
        variant < 2 ? in[1] : harness_constant(fn, harness_type(fn->h, "i32"), 2);
    if (variant % 2 == 0) {
        index = op(fn, SpvOpBitwiseAnd, "i32", index, three);
        return op(fn, SpvOpVectorExtractDynamic, "f32", in[0], index);
    }
    index = op(fn, SpvOpBitwiseAnd, "i32", index, three);
    struct geo_ir_value *operands[3] = {
        in[0], op(fn, SpvOpVectorExtractDynamic, "f32", in[0], three), index};
    struct geo_ir_value *vector = &harness_add(fn, SpvOpVectorInsertDynamic,
                                               harness_type(fn->h, "f32x4"), operands, 3, NULL, 0)
                                       ->value;
    uint32_t one = 1;
    return op_literals(fn, SpvOpCompositeExtract, "f32", vector, NULL, &one, 1);
}

static void dynamic_expect(const void *const *in, void *out, uint32_t variant)
{
    const uint32_t *a = in[0], *b = in[1];
    uint32_t index = variant < 2 ? b[0] & 3 : 2;
    uint32_t result = variant % 2 ? (index == 1 ? a[3] : a[1]) : a[index];
    memcpy(out, &result, 4);
}

static void components_by_run_time_index(void **state)
{
    (void)state;
    form_run(&(struct form){{"f32x4", "i32"}, dynamic_build, dynamic_expect, 4, "f32"});
}

/* shuffle(x, mask) and shuffle2(x, y, mask) */
static struct geo_ir_value *shuffle_build(struct harness_function *fn,
                                          struct geo_ir_value *const *in, uint32_t variant)
{
    uint32_t literals[2] = {GEO_EXT_OPENCL_STD, variant ? OpenCLstd_Shuffle2 : OpenCLstd_Shuffle};
    struct geo_ir_value *operands[3] = {in[0], in[1], in[1]};
    if (variant) {
        operands[1] = op_literals(fn, SpvOpVectorShuffle, "i32x4", in[0], in[0],
                                  (const uint32_t[]){3, 3, 0, 1}, 4);
    }
    return &harness_add(fn, SpvOpExtInst, harness_type(fn->h, "i32x8"), operands, variant ? 3 : 2,
                        literals, 2)
                ->value;
}

static void shuffle_expect(const void *const *in, void *out, uint32_t variant)
{
    const uint32_t *a = in[0], *mask = in[1];
    uint32_t both[8] = {a[0], a[1], a[2], a[3], a[3], a[3], a[0], a[1]}, result[8];
    for (int i = 0; i < 8; i++) {
        result[i] = both[mask[i] & (variant ? 7 : 3)];
    }
    memcpy(out, result, 32);
}

static void shuffles_by_run_time_mask(void **state)
{
    (void)state;
    form_run(&(struct form){{"i32x4", "i32x8"}, shuffle_build, shuffle_expect, 2, "i32x8"});
}

/* ---- bitcasts ---- */

static struct geo_ir_value *bitcast_build(struct harness_function *fn,
                                          struct geo_ir_value *const *in, uint32_t variant)
{
    static const char *const through[] = {"i8x16", "i16x8", "i64x2", "f32x4", "f64x2", "f16x8"};
    struct geo_ir_value *value = op(fn, SpvOpBitcast, through[variant], in[0], NULL);
    return op(fn, SpvOpBitcast, "i32x4", value, NULL);
}

static void bitcast_expect(const void *const *in, void *out, uint32_t variant)
{
    (void)variant;
    memcpy(out, in[0], 16);
}

/* One 64-bit number out of bytes: the order within is memory's. */
static struct geo_ir_value *bytes_build(struct harness_function *fn, struct geo_ir_value *const *in,
                                        uint32_t variant)
{
    (void)variant;
    return op(fn, SpvOpBitcast, "i64", in[0], NULL);
}

static void bytes_expect(const void *const *in, void *out, uint32_t variant)
{
    (void)variant;
    memcpy(out, in[0], 8);
}

static void bitcasts_between_component_sizes(void **state)
{
    (void)state;
    form_run(&(struct form){{"i32x4", NULL}, bitcast_build, bitcast_expect, 6, "i32x4"});
    form_run(&(struct form){{"i8x8", NULL}, bytes_build, bytes_expect, 1, "i64"});
}

/* ---- carries and wide products ---- */

static const struct geo_ir_type *pair_type(struct harness_function *fn, const char *name)
{
    struct geo_ir_type *type = geo_ir_type_struct(fn->h->module, 2);
    type->members[0] = type->members[1] = harness_type(fn->h, name);
    assert_true(geo_ir_struct_layout(type));
    return type;
}

static struct geo_ir_value *extended_build(struct harness_function *fn,
                                           struct geo_ir_value *const *in, uint32_t variant)
{
    static const SpvOp ops[] = {SpvOpIAddCarry, SpvOpISubBorrow, SpvOpUMulExtended,
                                SpvOpSMulExtended};
    bool narrow = variant >= 8;
    struct geo_ir_value *a = in[0], *b = in[1];
    if (narrow) {
        a = op(fn, SpvOpUConvert, "i32x2", a, NULL);
        b = op(fn, SpvOpUConvert, "i32x2", b, NULL);
    }
    struct geo_ir_value *operands[2] = {a, b};
    uint32_t member = variant % 8 / 4;
    struct geo_ir_value *pair =
        &harness_add(fn, ops[variant % 4], pair_type(fn, narrow ? "i32x2" : "i64x2"), operands, 2,
                     NULL, 0)
             ->value;
    struct geo_ir_value *result =
        op_literals(fn, SpvOpCompositeExtract, narrow ? "i32x2" : "i64x2", pair, NULL, &member, 1);
    return narrow ? op(fn, SpvOpUConvert, "i64x2", result, NULL) : result;
}

static void extended_expect(const void *const *in, void *out, uint32_t variant)
{
    uint32_t bits = variant >= 8 ? 32 : 64;
    uint64_t result[2], ones = bits == 64 ? ~0ull : 0xffffffffull;
    for (int i = 0; i < 2; i++) {
        uint64_t a = ((const uint64_t *)in[0])[i] & ones, b = ((const uint64_t *)in[1])[i] & ones;
        unsigned __int128 wide = 0;
        switch (variant % 4) {
        case 0:
            wide = (unsigned __int128)a + b;
            break;
        case 1:
            wide = (unsigned __int128)(a < b) << bits | ((a - b) & ones);
            break;
        case 2:
            wide = (unsigned __int128)a * b;
            break;
        default:
            wide = (unsigned __int128)((__int128)((int64_t)(a << (64 - bits)) >> (64 - bits)) *
                                       ((int64_t)(b << (64 - bits)) >> (64 - bits)));
        }
        result[i] = (uint64_t)(variant % 8 / 4 ? wide >> bits : wide) & ones;
    }
    memcpy(out, result, 16);
}

static void carries_borrows_and_wide_products(void **state)
{
    (void)state;
    form_run(&(struct form){{"i64x2", "i64x2"}, extended_build, extended_expect, 16, "i64x2"});
}

/* ---- reductions over components ---- */

static struct geo_ir_value *reduce_build(struct harness_function *fn,
                                         struct geo_ir_value *const *in, uint32_t variant)
{
    struct geo_ir_value *bools = op(fn, SpvOpSLessThan, "bx4", in[0], in[1]);
    return op(fn, variant ? SpvOpAll : SpvOpAny, "b", bools, NULL);
}

static void reduce_expect(const void *const *in, void *out, uint32_t variant)
{
    const int32_t *a = in[0], *b = in[1];
    uint32_t count = 0;
    for (int i = 0; i < 4; i++) {
        count += a[i] < b[i];
    }
    *(uint8_t *)out = variant ? count == 4 : count > 0;
}

static void any_and_all(void **state)
{
    (void)state;
    form_run(&(struct form){{"i32x4", "i32x4"}, reduce_build, reduce_expect, 2, "b"});
}

/* Small integers as floats, so that every sum is exact whatever its order. */
static struct geo_ir_value *dot_build(struct harness_function *fn, struct geo_ir_value *const *in,
                                      uint32_t variant)
{
    static const char *const types[] = {"f32x4", "f64x4", "f16x4"};
    static const char *const scalars[] = {"f32", "f64", "f16"};
    struct geo_ir_value *a = op(fn, SpvOpConvertSToF, types[variant], in[0], NULL);
    struct geo_ir_value *b = op(fn, SpvOpConvertSToF, types[variant], in[1], NULL);
    struct geo_ir_value *dot = op(fn, SpvOpDot, scalars[variant], a, b);
    return op(fn, SpvOpConvertFToS, "i32", dot, NULL);
}

static void dot_expect(const void *const *in, void *out, uint32_t variant)
{
    const int8_t *a = in[0], *b = in[1];
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += (double)a[i] * b[i];
        if (variant == 2) { /* products of bytes and their sums need not fit a half */
            double product = (double)reference_decode(
                16, reference_encode(16, (long double)a[i] * b[i], REFERENCE_RTE));
            sum = i == 0 ? product : sum - (double)a[i] * b[i] + product;
            sum = (double)reference_decode(16, reference_encode(16, sum, REFERENCE_RTE));
        }
    }
    int32_t result = (int32_t)sum;
    memcpy(out, &result, 4);
}

static void dot_products(void **state)
{
    (void)state;
    form_run(&(struct form){{"i8x4", "i8x4"}, dot_build, dot_expect, 3, "i32"});
}

static struct geo_ir_value *scale_build(struct harness_function *fn, struct geo_ir_value *const *in,
                                        uint32_t variant)
{
    (void)variant;
    return op(fn, SpvOpVectorTimesScalar, "f32x3", in[0], in[1]);
}

static void scale_expect(const void *const *in, void *out, uint32_t variant)
{
    (void)variant;
    for (int i = 0; i < 3; i++) {
        float product = ((const float *)in[0])[i] * ((const float *)in[1])[0];
        memcpy((char *)out + 4 * i, &product, 4);
    }
}

static struct geo_ir_value *finite_scale_build(struct harness_function *fn,
                                               struct geo_ir_value *const *in, uint32_t variant)
{
    /* Bytes, so that no NaN's bits are compared. */
    struct geo_ir_value *vector = op(fn, SpvOpConvertSToF, "f32x3", in[0], NULL);
    struct geo_ir_value *scalar = op(fn, SpvOpConvertSToF, "f32", in[1], NULL);
    struct geo_ir_value *both[2] = {vector, scalar};
    return scale_build(fn, both, variant);
}

static void finite_scale_expect(const void *const *in, void *out, uint32_t variant)
{
    float vector[3], scalar = ((const int8_t *)in[1])[0];
    for (int i = 0; i < 3; i++) {
        vector[i] = ((const int8_t *)in[0])[i];
    }
    scale_expect((const void *const[]){vector, &scalar}, out, variant);
}

static void vector_times_scalar(void **state)
{
    (void)state;
    form_run(&(struct form){{"i8x3", "i8"}, finite_scale_build, finite_scale_expect, 1, "f32x3"});
}

/* A select with one condition for a whole vector. */
static struct geo_ir_value *select_build(struct harness_function *fn,
                                         struct geo_ir_value *const *in, uint32_t variant)
{
    uint32_t zero = 0;
    struct geo_ir_value *first =
        op_literals(fn, SpvOpCompositeExtract, "i32", in[0], NULL, &zero, 1);
    struct geo_ir_value *second =
        op_literals(fn, SpvOpCompositeExtract, "i32", in[1], NULL, &zero, 1);
    struct geo_ir_value *operands[3] = {op(fn, SpvOpULessThan, "b", first, second), in[0], in[1]};
    if (variant) {
        operands[0] = op(fn, SpvOpULessThan, "bx4", in[0], in[1]);
    }
    return &harness_add(fn, SpvOpSelect, harness_type(fn->h, "i32x4"), operands, 3, NULL, 0)->value;
}

static void select_expect(const void *const *in, void *out, uint32_t variant)
{
    const uint32_t *a = in[0], *b = in[1];
    for (int i = 0; i < 4; i++) {
        bool takes = variant ? a[i] < b[i] : a[0] < b[0];
        ((uint32_t *)out)[i] = takes ? a[i] : b[i];
    }
}

static void select_by_scalar_and_by_vector(void **state)
{
    (void)state;
    form_run(&(struct form){{"i32x4", "i32x4"}, select_build, select_expect, 2, "i32x4"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_built_and_taken_apart),
        cmocka_unit_test(structs_and_arrays_are_values),
        cmocka_unit_test(components_by_run_time_index),
        cmocka_unit_test(shuffles_by_run_time_mask),
        cmocka_unit_test(bitcasts_between_component_sizes),
        cmocka_unit_test(carries_borrows_and_wide_products),
        cmocka_unit_test(any_and_all),
        cmocka_unit_test(dot_products),
        cmocka_unit_test(vector_times_scalar),
        cmocka_unit_test(select_by_scalar_and_by_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
