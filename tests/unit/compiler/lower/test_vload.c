/* vloadn, vstoren and their half forms with every rounding mode, tightly packed, at every width. */
#include "harness.h"

#include <setjmp.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include <cmocka.h>

#define ITEMS 32u

struct vector_case {
    const char *type; /* scalar type of the register value */
    uint32_t components;
    bool half;    /* memory holds halfs */
    bool aligned; /* vloada_halfn, vstorea_halfn: 3 components step by 4 */
    int mode;     /* of the store; -1: the form without */
    enum {
        BY_ID,
        BY_TABLE,
        BY_BOTH, /* the pointer by table, the index by id */
        BY_ZERO,
    } index;
    bool masked;
};

static const char *vector_name(const struct vector_case *test, char *text, size_t size)
{
    snprintf(text, size, test->components > 1 ? "%sx%u" : "%s", test->type, test->components);
    return text;
}

static uint32_t vector_step(const struct vector_case *test)
{
    return test->aligned && test->components == 3 ? 4 : test->components;
}

static uint64_t vector_index(const struct vector_case *test, uint32_t id, const uint32_t *table)
{
    switch (test->index) {
    case BY_ID:
        return id;
    case BY_TABLE:
        return table[id];
    case BY_BOTH:
        return id + table[id];
    default:
        return 0;
    }
}

static uint32_t load_number(const struct vector_case *test)
{
    return !test->half            ? OpenCLstd_Vloadn
           : test->aligned        ? OpenCLstd_Vloada_halfn
           : test->components > 1 ? OpenCLstd_Vload_halfn
                                  : OpenCLstd_Vload_half;
}

static uint32_t store_number(const struct vector_case *test)
{
    bool plain = test->mode < 0;
    return !test->half            ? OpenCLstd_Vstoren
           : test->aligned        ? (plain ? OpenCLstd_Vstorea_halfn : OpenCLstd_Vstorea_halfn_r)
           : test->components > 1 ? (plain ? OpenCLstd_Vstore_halfn : OpenCLstd_Vstore_halfn_r)
                                  : (plain ? OpenCLstd_Vstore_half : OpenCLstd_Vstore_half_r);
}

/* Function 2n: out = vload(in0); 2n + 1: vstore(in2 as vectors) to out. */
static void vector_build(struct harness *h, const struct vector_case *test)
{
    struct harness_function fn;
    char name[16];
    const struct geo_ir_type *value = harness_type(h, vector_name(test, name, sizeof(name)));
    const struct geo_ir_type *memory = harness_type(h, test->half ? "f16" : test->type);
    const struct geo_ir_type *word = harness_type(h, "i64");
    for (uint32_t store = 0; store < 2; store++) {
        harness_function_begin(h, &fn);
        struct geo_ir_value *index =
            test->index == BY_ID ? fn.id
            : test->index == BY_ZERO
                ? harness_constant(&fn, word, 0)
                : harness_load_input(&fn, 1, harness_type(h, "i32"), HARNESS_VARYING);
        struct geo_ir_value *at = NULL;
        if (test->index == BY_BOTH) {
            const struct geo_ir_type *narrow = harness_type(h, "i32");
            struct geo_ir_value *factors[2] = {index,
                                               harness_constant(&fn, narrow, vector_step(test))};
            at = &harness_add(&fn, SpvOpIMul, narrow, factors, 2, NULL, 0)->value;
            index = fn.id;
        }
        struct geo_ir_value *pointer = harness_element(&fn, store ? HARNESS_INPUTS : 0, memory, at,
                                                       SpvStorageClassCrossWorkgroup);
        struct geo_ir_value *operands[3] = {index, pointer};
        uint32_t literals[3] = {GEO_EXT_OPENCL_STD, load_number(test), test->components};
        if (store) {
            operands[0] = harness_load_input(&fn, 2, value, HARNESS_VARYING);
            operands[1] = index;
            operands[2] = pointer;
            literals[1] = store_number(test);
            literals[2] = (uint32_t)test->mode;
            harness_add(&fn, SpvOpExtInst, geo_ir_type_void(h->module), operands, 3, literals,
                        test->mode >= 0 ? 3 : 2);
        } else {
            harness_store_output(&fn, &harness_add(&fn, SpvOpExtInst, value, operands, 2, literals,
                                                   test->components > 1 ? 3 : 2)
                                           ->value);
        }
        harness_function_end(&fn, test->masked, NULL);
    }
}

static uint64_t to_memory(const struct vector_case *test, uint64_t bits)
{
    if (!test->half) {
        return bits;
    }
    return reference_encode(16, reference_decode(harness_type_bits(test->type), bits),
                            test->mode < 0 ? REFERENCE_RTE : (enum reference_rounding)test->mode);
}

static bool same(const char *type, uint64_t a, uint64_t b)
{
    uint32_t bits = harness_type_bits(type);
    return a == b ||
           (harness_type_is_float(type) && reference_decode(bits, a) != reference_decode(bits, a) &&
            reference_decode(bits, b) != reference_decode(bits, b));
}

static void vector_check(struct harness *h, const struct vector_case *test, uint32_t number)
{
    static _Alignas(128) uint8_t memory[ITEMS * 320], values[ITEMS * 160], out[ITEMS * 320];
    const char *element = test->half ? "f16" : test->type;
    uint32_t table[ITEMS], lanes = h->options.lanes, n = test->components;
    uint32_t step = vector_step(test), slot = n == 3 ? 4 : n;
    uint64_t random = 99;
    for (uint32_t i = 0; i < 2 * ITEMS * step; i++) {
        harness_write(element, memory, i, reference_value(element, i % 61, &random));
    }
    for (uint32_t i = 0; i < ITEMS * slot; i++) {
        harness_write(test->type, values, i, reference_value(test->type, i % 67, &random));
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        table[i] = (ITEMS - 2 * i % ITEMS + ITEMS - (i >= ITEMS / 2)) % ITEMS;
    }
    for (uint32_t base = 0; base < ITEMS; base += lanes) {
        uint64_t mask = test->masked && lanes > 1 ? 0xa6d3 & ((1u << lanes) - 1) : ~0ull;
        void *inputs[HARNESS_INPUTS] = {memory, table, values};
        memset(out, 0x77, sizeof(out));
        harness_call(h, 2 * number, inputs, out, base, mask);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t id = base + lane;
            uint64_t from = vector_index(test, id, table);
            for (uint32_t c = 0; c < n && (mask >> lane & 1); c++) {
                uint64_t bits = harness_read(element, memory, from * step + c);
                uint64_t expected =
                    test->half ? reference_encode(harness_type_bits(test->type),
                                                  reference_decode(16, bits), REFERENCE_RTE)
                               : bits;
                uint64_t got = harness_read(test->type, out, id * slot + c);
                if (!same(test->type, got, expected)) {
                    print_error("load %s x %u half %d index %d W=%u lane %u: %#llx, expected "
                                "%#llx\n",
                                test->type, n, test->half, test->index, lanes, lane,
                                (unsigned long long)got, (unsigned long long)expected);
                    fail();
                }
            }
        }
        if (test->index == BY_ZERO) {
            continue;
        }
        static uint8_t expected[sizeof(out)];
        memset(out, 0x77, sizeof(out));
        memset(expected, 0x77, sizeof(expected));
        harness_call(h, 2 * number + 1, inputs, out, base, mask);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t id = base + lane;
            uint64_t to = vector_index(test, id, table);
            for (uint32_t c = 0; c < n && (mask >> lane & 1); c++) {
                uint64_t bits = to_memory(test, harness_read(test->type, values, id * slot + c));
                uint64_t got = harness_read(element, out, to * step + c);
                if (!same(element, got, bits)) {
                    print_error("%s x %u half %d mode %d W=%u lane %u: %#llx, expected %#llx\n",
                                test->type, n, test->half, test->mode, lanes, lane,
                                (unsigned long long)got, (unsigned long long)bits);
                    fail();
                }
                harness_write(element, expected, to * step + c, got);
            }
        }
        assert_memory_equal(out, expected, sizeof(out));
    }
}

static uint32_t vector_list(struct vector_case *cases)
{
    static const char *const types[] = {"i8", "i16", "i32", "i64", "f32", "f64", "f16"};
    static const uint32_t counts[] = {2, 3, 4, 8, 16};
    uint32_t count = 0;
    for (uint32_t t = 0; t < 7; t++) {
        for (uint32_t c = 0; c < 5; c++) {
            for (uint32_t i = 0; i < 2; i++) {
                cases[count] = (struct vector_case){.type = types[t],
                                                    .components = counts[c],
                                                    .mode = -1,
                                                    .index = (count + t) % 4,
                                                    .masked = i};
                count++;
            }
        }
    }
    for (uint32_t t = 4; t < 6; t++) {
        for (int mode = -1; mode < 4; mode++) {
            for (uint32_t c = 0; c < 6; c++) {
                for (uint32_t aligned = 0; aligned < (c ? 2u : 1u); aligned++) {
                    cases[count] = (struct vector_case){.type = types[t],
                                                        .components = c ? counts[c - 1] : 1,
                                                        .half = true,
                                                        .aligned = aligned,
                                                        .mode = mode,
                                                        .index = count % 3,
                                                        .masked = count % 4 < 2};
                    count++;
                }
            }
        }
    }
    return count;
}

static void vectors_come_and_go_tightly_packed(void **state)
{
    (void)state;
    static struct vector_case cases[512];
    static const struct {
        const char *cpu;
        uint32_t lanes;
        bool optimize;
    } runs[] = {{"x86-64-v2", 8, false},
                {"x86-64-v3", 1, true},
                {"x86-64-v3", 8, true},
                {"x86-64-v4", 16, true}};
    uint32_t count = vector_list(cases);
    for (size_t r = 0; r < sizeof(runs) / sizeof(runs[0]); r++) {
        struct harness h;
        harness_begin(&h, runs[r].cpu, runs[r].lanes, runs[r].optimize);
        for (uint32_t i = 0; i < count; i++) {
            vector_build(&h, &cases[i]);
        }
        if (harness_load(&h)) {
            for (uint32_t i = 0; i < count; i++) {
                vector_check(&h, &cases[i], i);
            }
        }
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_come_and_go_tightly_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
