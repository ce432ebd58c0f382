/* Lanes that read others by numbers which are not known: every width of element and of chunk, on
 * every level, by instructions or through memory. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const types[] = {"i8", "i16", "i32", "i64", "f16", "f32", "f64", "b"};
#define TYPE_COUNT (sizeof(types) / sizeof(types[0]))

/* out[id] = in0 of lane in1[id] */
static uint32_t shuffle_build(struct harness *h, const char *name)
{
    struct harness_function fn;
    harness_function_begin(h, &fn);
    const struct geo_ir_type *type = harness_type(h, name), *word = harness_type(h, "i32");
    struct geo_ir_value *operands[3] = {harness_constant(&fn, word, SpvScopeSubgroup),
                                        harness_load_input(&fn, 0, type, HARNESS_VARYING),
                                        harness_load_input(&fn, 1, word, HARNESS_VARYING)};
    harness_store_output(
        &fn, &harness_add(&fn, SpvOpGroupNonUniformShuffle, type, operands, 3, NULL, 0)->value);
    return harness_function_end(&fn, false, NULL);
}

static void shuffle_check(struct harness *h, const char *type, uint32_t number)
{
    _Alignas(64) uint8_t in[32 * 8], out[32 * 8];
    uint32_t lanes = h->options.lanes, numbers[32];
    bool is_bool = strcmp(type, "b") == 0;
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < lanes; i++) {
            uint64_t bits = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
            harness_write(type, in, i, is_bool ? bits >> 40 & 1 : bits >> 8);
            numbers[i] = round == 0   ? lanes - 1 - i
                         : round == 1 ? 5
                                      : (i * 2654435761u >> (8 + round)) % lanes;
        }
        void *inputs[HARNESS_INPUTS] = {in, numbers};
        memset(out, 0xee, sizeof(out));
        harness_call(h, number, inputs, out, 0, ~UINT64_C(0));
        for (uint32_t i = 0; i < lanes; i++) {
            if (harness_read(type, out, i) != harness_read(type, in, numbers[i])) {
                print_error("%s W=%u round %u lane %u from %u\n", type, lanes, round, i,
                            numbers[i]);
            }
            assert_int_equal(harness_read(type, out, i), harness_read(type, in, numbers[i]));
        }
    }
}

static void lanes_read_any_lane(void **state)
{
    (void)state;
    static const char *const levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4",
                                         "x86-64-v4-vnni"};
    for (uint32_t run = 0; run < 5 * 3; run++) {
        struct harness h;
        uint32_t numbers[TYPE_COUNT];
        harness_begin(&h, levels[run / 3], 8u << run % 3, true);
        for (size_t t = 0; t < TYPE_COUNT; t++) {
            numbers[t] = shuffle_build(&h, types[t]);
        }
        if (harness_load(&h)) {
            for (size_t t = 0; t < TYPE_COUNT; t++) {
                shuffle_check(&h, types[t], numbers[t]);
            }
        }
        harness_end(&h);
    }
}

/* Only what is longer than four registers goes through memory. */
static void levels_have_their_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *cpu;
        uint32_t lanes;
        const char *type, *text;
        uint32_t count;
    } forms[] = {
        {"x86-64-v4", 16, "f32", "call <16 x i32> @llvm.x86.avx512.permvar.si.512", 1},
        {"x86-64-v4", 8, "i32", "call <8 x i32> @llvm.x86.avx2.permd", 1},
        {"x86-64-v4", 16, "f64", "call <8 x i64> @llvm.x86.avx512.vpermi2var.q.512", 2},
        {"x86-64-v4", 32, "i32", "call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512", 2},
        {"x86-64-v4-vnni", 32, "i8", "call <32 x i8> @llvm.x86.avx512.permvar.qi.256", 1},
        {"x86-64-v3", 8, "f32", "call <8 x i32> @llvm.x86.avx2.permd", 1},
        {"x86-64-v3", 8, "i64", "call <8 x i32> @llvm.x86.avx2.permd", 4},
        {"x86-64-v2", 8, "i16", "call <16 x i8> @llvm.x86.ssse3.pshuf.b.128", 1},
        {"x86-64-v3", 32, "f64", "alloca", 1},
        {"x86-64", 8, "f32", "alloca", 1},
        {"x86-64", 8, "b", "alloca", 0},
        {"aarch64", 4, "f32", "call <16 x i8> @llvm.aarch64.neon.tbl1", 1},
        {"aarch64", 8, "i32", "call <16 x i8> @llvm.aarch64.neon.tbl2", 2},
        {"aarch64", 8, "f64", "call <16 x i8> @llvm.aarch64.neon.tbl4", 4},
        {"aarch64", 16, "i16", "call <16 x i8> @llvm.aarch64.neon.tbl2", 2},
        {"aarch64", 16, "f64", "alloca", 1},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct harness h;
        harness_begin(&h, forms[i].cpu, forms[i].lanes, true);
        char *text = harness_text(&h, shuffle_build(&h, forms[i].type));
        uint32_t count = 0;
        for (const char *at = text; (at = strstr(at, forms[i].text)); at++) {
            count++;
        }
        LLVMDisposeMessage(text);
        if (count != forms[i].count) {
            print_error("%s W=%u %s: %u of %s\n", forms[i].cpu, forms[i].lanes, forms[i].type,
                        count, forms[i].text);
        }
        assert_int_equal(count, forms[i].count);
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_read_any_lane),
        cmocka_unit_test(levels_have_their_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
