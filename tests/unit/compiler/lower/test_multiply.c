/* Products of matrices that the items of a sub-group pass in parts
 * (SPV_INTEL_subgroup_matrix_multiply_accumulate): all interpretations of the extension's text,
 * with sub-groups of 8, 16 and 32. Values are such that sums are exact. */
#include "program.h"
#include "support.h"

#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* An element of a matrix. */
enum element { S4, U4, S8, U8, S16, S32, S64, F16, BF16, TF32, F32, F64 };

static const struct {
    uint32_t bits;
    bool real;
} elements[] = {
    [S4] = {4, false},   [U4] = {4, false},   [S8] = {8, false},   [U8] = {8, false},
    [S16] = {16, false}, [S32] = {32, false}, [S64] = {64, false}, [F16] = {16, true},
    [BF16] = {16, true}, [TF32] = {32, true}, [F32] = {32, true},  [F64] = {64, true},
};

/* A matrix as the items hold it: its elements, and `count` components of type `type` an item. */
struct part {
    enum element element;
    const char *type;
    uint32_t count;
};

struct product {
    uint32_t n, m, k; /* n: items of the sub-group */
    struct part a, b, c, result;
    uint32_t literal;
};

/* Literals: 0x1 and 0x2 say that integers of A and B are signed, 0x4 and 0x8 that C and the result
 * are bfloat16. Then there are pairs of bits for A and B: 0x10 bytes, 0x40 halves of bytes, 0x100
 * TF32, 0x400 halves, 0x1000 bfloat16. */
#define HALVES  0xC00
#define BFLOATS 0x3000

static const struct product products[] = {
    /* bytes: as many columns as items pass two or four to a component */
    {8, 8, 32, {S8, "i32", 8}, {S8, "i32", 8}, {S32, "i32", 8}, {S32, "i32", 8}, 0x33},
    {16, 8, 32, {S8, "i16", 8}, {S8, "i32", 8}, {S32, "i32", 8}, {S32, "i32", 8}, 0x33},
    {16, 4, 32, {U8, "i16", 4}, {S8, "i32", 8}, {S32, "i32", 4}, {S32, "i32", 4}, 0x32},
    {16, 2, 32, {S8, "i16", 2}, {U8, "i32", 8}, {S32, "i32", 2}, {S32, "i32", 2}, 0x31},
    {16, 1, 32, {U8, "i16", 1}, {U8, "i32", 8}, {S32, "i32", 1}, {S32, "i32", 1}, 0x30},
    {32, 4, 32, {U8, "i8", 4}, {S8, "i32", 8}, {S64, "i64", 4}, {S64, "i64", 4}, 0x32},
    /* halves of bytes */
    {8, 4, 64, {S4, "i32", 4}, {U4, "i32", 8}, {S32, "i32", 4}, {S32, "i32", 4}, 0xC1},
    {16, 8, 64, {U4, "i16", 8}, {S4, "i32", 8}, {S32, "i32", 8}, {S32, "i32", 8}, 0xC2},
    {16, 1, 32, {S4, "i8", 1}, {S8, "i32", 8}, {S16, "i16", 1}, {S32, "i32", 1}, 0x63},
    /* 16-bit floats */
    {8, 8, 16, {F16, "i32", 8}, {F16, "i32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, HALVES},
    {16, 8, 16, {F16, "i16", 8}, {F16, "i32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, HALVES},
    {16, 4, 16, {F16, "f16", 4}, {F16, "i32", 8}, {F16, "f16", 4}, {F16, "f16", 4}, 0x800},
    {16, 2, 16, {F16, "i16", 2}, {F16, "i32", 8}, {F32, "f32", 2}, {F16, "f16", 2}, HALVES},
    {8, 2, 16, {BF16, "i32", 2}, {BF16, "i32", 8}, {F32, "f32", 2}, {F32, "f32", 2}, BFLOATS},
    {16, 8, 16, {BF16, "i16", 8}, {BF16, "i32", 8}, {BF16, "i16", 8}, {BF16, "i16", 8}, 0x300C},
    {16, 1, 16, {BF16, "i16", 1}, {BF16, "i32", 8}, {BF16, "i16", 1}, {F32, "f32", 1}, 0x3004},
    {16, 4, 16, {BF16, "i16", 4}, {F16, "i32", 8}, {F32, "f32", 4}, {BF16, "i16", 4}, 0x1808},
    /* 32-bit floats: with more items than columns, two or four items pass a column */
    {8, 8, 8, {TF32, "f32", 8}, {TF32, "f32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, 0x300},
    {16, 8, 8, {TF32, "f32", 4}, {TF32, "f32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, 0x300},
    {16, 1, 8, {TF32, "f32", 1}, {TF32, "f32", 8}, {F32, "f32", 1}, {F32, "f32", 1}, 0x300},
    {32, 8, 8, {TF32, "f32", 2}, {F32, "f32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, 0x100},
    {16, 4, 8, {F32, "f32", 2}, {F32, "f32", 8}, {F32, "f32", 4}, {F64, "f64", 4}, 0},
    {8, 4, 2, {F64, "f64", 1}, {F64, "f64", 2}, {F64, "f64", 4}, {F32, "f32", 4}, 0},
    {8, 2, 8, {S32, "i32", 2}, {S32, "i32", 8}, {S32, "i32", 2}, {S32, "i32", 2}, 0x3},
};

static uint32_t type_bits(const char *type)
{
    return (uint32_t)atoi(type + 1);
}

/* ---- elements in memory: item by item, component by component, the first in the lowest bits ---- */

static uint32_t item_bytes(const struct part *part)
{
    return part->count * type_bits(part->type) / 8;
}

static uint64_t bits_read(const struct part *part, const uint8_t *memory, uint32_t item,
                          uint32_t component, uint32_t number)
{
    uint32_t bytes = type_bits(part->type) / 8, bits = elements[part->element].bits;
    uint64_t word = 0;
    memcpy(&word, memory + item * item_bytes(part) + component * bytes, bytes);
    word >>= bits * number;
    return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

static double half_value(uint64_t bits)
{
    int exponent = bits >> 10 & 31;
    double size = exponent ? ldexp((double)(1024 + (bits & 1023)), exponent - 25)
                           : ldexp((double)(bits & 1023), -24);
    return bits & 0x8000 ? -size : size;
}

static double single_value(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof(value));
    return (double)value;
}

/* A number that a double holds: 64-bit integers are small here. */
static double value_of(enum element element, uint64_t bits)
{
    uint32_t width = elements[element].bits;
    double value;
    switch (element) {
    case U4:
    case U8:
        return (double)bits;
    case F16:
        return half_value(bits);
    case BF16:
        return single_value(bits << 16);
    case TF32: /* the low bits of a float are not a part of the number */
        return single_value(bits & 0xFFFFE000u);
    case F32:
        return single_value(bits);
    case F64:
        memcpy(&value, &bits, sizeof(value));
        return value;
    default:
        return (double)((int64_t)(bits << (64 - width)) >> (64 - width));
    }
}

/* The bits of a number that the element can hold, but for bfloat16, which is rounded. */
static uint64_t bits_of(enum element element, double value)
{
    float single = (float)value;
    uint32_t word;
    uint64_t bits;
    int exponent;
    memcpy(&word, &single, sizeof(word));
    switch (element) {
    case F16:
        if (value == 0) {
            return 0;
        }
        frexp(value, &exponent);
        return (value < 0 ? 0x8000u : 0) |
               (uint64_t)((exponent + 13) * 1024 + (int)ldexp(fabs(value), 11 - exponent));
    case BF16:
        return (word + 0x7FFF + (word >> 16 & 1)) >> 16;
    case TF32:
    case F32:
        return word;
    case F64:
        memcpy(&bits, &value, sizeof(bits));
        return bits;
    default:
        return (uint64_t)(int64_t)value;
    }
}

/* Fills a part with integers from -8 to 7, and with any bits where a number does not need them. */
static void part_fill(const struct part *part, uint8_t *memory, uint32_t items,
                      struct support_random *random)
{
    uint32_t bits = elements[part->element].bits, total = items * item_bytes(part) * 8;
    for (uint32_t at = 0; at < total; at += bits) {
        double number = (double)(support_random(random) % 16) - 8;
        uint64_t any = support_random(random);
        uint64_t value = elements[part->element].real ? bits_of(part->element, number)
                         : bits <= 8                  ? any
                                                      : bits_of(part->element, number * 1000);
        value |= part->element == TF32 ? any & 0x1FFF : 0;
        if (bits == 4) {
            memory[at / 8] = (uint8_t)(memory[at / 8] | (value & 15) << at % 8);
        } else {
            memcpy(memory + at / 8, &value, bits / 8);
        }
    }
}

/* ---- the extension's text ---- */

/* Element [row][k] of A. */
static double a_element(const struct product *p, const uint8_t *a, uint32_t row, uint32_t k)
{
    uint32_t item = k, component = row, number = 0;
    if (p->n < p->k) {
        item = k / (p->k / p->n);
        number = k % (p->k / p->n);
    } else if (p->n > p->k) {
        uint32_t turns = p->n / p->k; /* items whose column is the same */
        item = k + row % turns * p->k;
        component = row / turns;
    }
    return value_of(p->a.element, bits_read(&p->a, a, item, component, number));
}

/* Element [k][column] of B. */
static double b_element(const struct product *p, const uint8_t *b, uint32_t k, uint32_t column)
{
    uint32_t packed = type_bits(p->b.type) / elements[p->b.element].bits;
    return value_of(p->b.element, bits_read(&p->b, b, column, k / packed, k % packed));
}

static uint64_t expected(const struct product *p, const uint8_t *a, const uint8_t *b,
                         const uint8_t *c, uint32_t row, uint32_t column)
{
    double sum = value_of(p->c.element, bits_read(&p->c, c, column, row, 0));
    for (uint32_t k = 0; k < p->k; k++) {
        sum += a_element(p, a, row, k) * b_element(p, b, k, column);
    }
    uint32_t bits = elements[p->result.element].bits;
    uint64_t whole = bits_of(p->result.element, sum);
    return bits == 64 ? whole : whole & ((UINT64_C(1) << bits) - 1);
}

/* ---- the kernel: each item loads its parts, multiplies, and stores its part of the result ---- */

static void type_name(const struct part *part, char *name, size_t size)
{
    if (part->count == 1) {
        snprintf(name, size, "%%%s", part->type);
    } else {
        snprintf(name, size, "%%%sx%u", part->type, part->count);
    }
}

static void part_load(struct geo_strbuf *text, const struct part *part, const char *name)
{
    char type[16];
    type_name(part, type, sizeof(type));
    geo_strbuf_printf(text, "%%o_%s = OpConstant %%i64 %u\n", name, item_bytes(part));
    geo_strbuf_printf(text, "%%p_%s = OpTypePointer CrossWorkgroup %s\n", name, type);
}

static void part_place(struct geo_strbuf *text, const char *name)
{
    geo_strbuf_printf(text,
                      "%%d_%s = OpIMul %%i64 %%i %%o_%s\n"
                      "%%b_%s = OpInBoundsPtrAccessChain %%g_i8 %%m_%s %%d_%s\n"
                      "%%w_%s = OpBitcast %%p_%s %%b_%s\n",
                      name, name, name, name, name, name, name, name);
}

/* `any_k`: K is not a constant, as it must be. */
static void kernel_write(struct geo_strbuf *text, const struct product *p, bool any_k)
{
    static const char *const scalars[] = {"i8", "i16", "i32", "i64", "f16", "f32", "f64"};
    const struct part *parts[] = {&p->a, &p->b, &p->c, &p->result};
    static const char *const names[] = {"a", "b", "c", "r"};
    char types[4][16];
    geo_strbuf_printf(text,
                      "OpEntryPoint Kernel %%f \"f\" %%id\nOpExecutionMode %%f SubgroupSize %u\n"
                      "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n"
                      "%%void = OpTypeVoid\n",
                      p->n);
    for (size_t i = 0; i < LENGTH(scalars); i++) {
        bool real = scalars[i][0] == 'f';
        geo_strbuf_printf(text, "%%%s = OpType%s %u%s\n", scalars[i], real ? "Float" : "Int",
                          type_bits(scalars[i]), real ? "" : " 0");
        for (uint32_t count = 2; count <= 8; count *= 2) {
            geo_strbuf_printf(text, "%%%sx%u = OpTypeVector %%%s %u\n", scalars[i], count,
                              scalars[i], count);
        }
    }
    geo_strbuf_printf(text,
                      "%%l3 = OpTypeVector %%i64 3\n%%p_l3 = OpTypePointer Input %%l3\n"
                      "%%id = OpVariable %%p_l3 Input\n%%k = OpConstant %%i32 %u\n"
                      "%%g_i8 = OpTypePointer CrossWorkgroup %%i8\n"
                      "%%type = OpTypeFunction %%void %%g_i8 %%g_i8 %%g_i8 %%g_i8\n",
                      p->k);
    for (size_t i = 0; i < 4; i++) {
        type_name(parts[i], types[i], sizeof(types[i]));
        part_load(text, parts[i], names[i]);
    }
    geo_strbuf_printf(text, "%%f = OpFunction %%void None %%type\n");
    for (size_t i = 0; i < 4; i++) {
        geo_strbuf_printf(text, "%%m_%s = OpFunctionParameter %%g_i8\n", names[i]);
    }
    geo_strbuf_printf(text, "%%l = OpLabel\n%%ids = OpLoad %%l3 %%id\n"
                            "%%i = OpCompositeExtract %%i64 %%ids 0\n"
                            "%%k_any = OpUConvert %%i32 %%i\n");
    for (size_t i = 0; i < 4; i++) {
        part_place(text, names[i]);
        if (i < 3) {
            geo_strbuf_printf(text, "%%%s = OpLoad %s %%w_%s\n", names[i], types[i], names[i]);
        }
    }
    geo_strbuf_printf(text,
                      "OpNop\n!0x%08x %s %%r %s %%a %%b %%c !%u\nOpStore %%w_r %%r\n"
                      "OpReturn\nOpFunctionEnd\n",
                      8u << 16 | 6237, types[3], any_k ? "%k_any" : "%k", p->literal);
}

static void check(const struct product *p, bool optimize)
{
    const struct part *parts[] = {&p->a, &p->b, &p->c, &p->result};
    uint8_t *memory[4];
    struct support_random random = {p->n + p->literal};
    for (size_t i = 0; i < 4; i++) {
        memory[i] = program_memory(p->n, item_bytes(parts[i]));
        if (i < 3) {
            part_fill(parts[i], memory[i], p->n, &random);
        }
    }
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    kernel_write(&text, p, false);
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&text));
    geo_strbuf_finish(&text);
    struct program *program =
        program_build_model(module, &(struct program_options){.lanes = 16, .optimize = optimize});
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {p->n, 1, 1}};
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(memory[0]), PROGRAM_POINTER(memory[1]), PROGRAM_POINTER(memory[2]),
        PROGRAM_POINTER(memory[3])};
    program_run(program, "f", &launch, arguments, 4);
    for (uint32_t column = 0; column < p->n; column++) {
        for (uint32_t row = 0; row < p->m; row++) {
            uint64_t wanted = expected(p, memory[0], memory[1], memory[2], row, column);
            uint64_t got = bits_read(&p->result, memory[3], column, row, 0);
            if (got != wanted) {
                fail_msg("product %td: row %u of column %u is %#llx, not %#llx", p - products, row,
                         column, (unsigned long long)got, (unsigned long long)wanted);
            }
        }
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
    for (size_t i = 0; i < 4; i++) {
        free(memory[i]);
    }
}

static void products_are_those_of_the_specification(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(products); i++) {
        check(&products[i], true);
        check(&products[i], false);
    }
}

/* ---- what is refused ---- */

static const struct {
    struct product product;
    bool any_k; /* K is no constant */
    const char *text;
} refusals[] = {
    {{16, 8, 16, {F16, "i16", 8}, {F16, "i32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, 0x4C00},
     false,
     "its literal has unknown bits"},
    {{16, 8, 16, {F16, "f16", 8}, {F16, "i32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, HALVES},
     false,
     "its literal does not fit the types of its matrices"},
    {{16, 8, 16, {F16, "i16", 8}, {F16, "i32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, 0x1C00},
     false,
     "its literal does not fit the types of its matrices"},
    {{16, 8, 8, {F32, "f32", 4}, {F32, "f32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, 0x1},
     false,
     "its literal does not fit the types of its matrices"},
    {{8, 8, 2, {F64, "f64", 2}, {F64, "f64", 2}, {F64, "f64", 8}, {F64, "f64", 8}, 0x100},
     false,
     "its literal does not fit the types of its matrices"},
    {{16, 8, 8, {F32, "f32", 4}, {F32, "f32", 8}, {BF16, "i32", 8}, {F32, "f32", 8}, 0x4},
     false,
     "its literal does not fit the types of its matrices"},
    {{16, 8, 16, {F16, "i16", 8}, {F16, "i32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, HALVES},
     true,
     "its K is not constant"},
    {{16, 8, 16, {F16, "i16", 8}, {F16, "i32", 4}, {F32, "f32", 8}, {F32, "f32", 8}, HALVES},
     false,
     "matrix B does not have K rows"},
    {{16, 8, 16, {F16, "i16", 8}, {F16, "i32", 8}, {F32, "f32", 4}, {F32, "f32", 8}, HALVES},
     false,
     "its operands do not have the required types"},
    {{16, 8, 16, {F16, "i16", 8}, {F16, "i32", 8}, {S32, "i32", 8}, {S32, "i32", 8}, HALVES},
     false,
     "its operands do not have the required types"},
    {{16, 8, 16, {F16, "i32", 8}, {F16, "i32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, HALVES},
     false,
     "matrix A has 8 components of 2 elements in each item, which is not a matrix of 8 rows and 16 "
     "columns in sub-groups of 16 items"},
    {{16, 8, 8, {F32, "f32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, {F32, "f32", 8}, 0},
     false,
     "matrix A has 8 components of 1 elements"},
};

/* Reads a module and makes its code, up to LLVM's. */
static ze_result_t text_lower(const char *text, struct geo_strbuf *log)
{
    size_t bytes;
    void *words = support_assemble_bytes(text, &bytes);
    struct geo_ir_module *module = NULL;
    struct geo_codegen_target *target = NULL;
    struct geo_lower_result lowered = {0};
    LLVMContextRef context = LLVMContextCreate();
    assert_int_equal(geo_codegen_target_create(NULL, &target, log), ZE_RESULT_SUCCESS);
    const struct geo_lower_options options = {.lanes = 16,
                                              .target = geo_codegen_target_facts(target)};
    ze_result_t result = geo_spirv_read(words, bytes, &module, log);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_transform_canonicalize(module, true, log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_lower_module(module, &options, context, &lowered, log);
    }
    LLVMContextDispose(context);
    geo_codegen_target_destroy(target);
    geo_ir_module_destroy(module);
    free(words);
    return result;
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(refusals); i++) {
        struct geo_strbuf log, text;
        geo_strbuf_init(&log, 0);
        geo_strbuf_init(&text, 0);
        kernel_write(&text, &refusals[i].product, refusals[i].any_k);
        assert_int_equal(text_lower(geo_strbuf_text(&text), &log),
                         ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        if (!strstr(geo_strbuf_text(&log), refusals[i].text) ||
            !strstr(geo_strbuf_text(&log), "OpSubgroupMatrixMultiplyAccumulateINTEL")) {
            fail_msg("\"%s\" is not in: %s", refusals[i].text, geo_strbuf_text(&log));
        }
        geo_strbuf_finish(&text);
        geo_strbuf_finish(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_specification),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
