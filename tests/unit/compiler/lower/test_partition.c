/* Partitions of sub-groups by value, and reductions and scans of their subsets
 * (SPV_NV_shader_subgroup_partitioned), of active items only, with sub-groups of 8, 16 and 32. */
#include "program.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS   75u /* the last sub-group has fewer items than the others */
#define UNMADE  0xABABABABu
#define RESULTS 4u /* the partition, and three reductions */

static const uint32_t sizes[] = {8, 16, 32};

/* Types of the values that make the partition, with the bytes of one. */
static const struct {
    const char *type;
    uint32_t bytes;
} keys[] = {{"i32", 4}, {"i64", 8}, {"f32", 4}, {"f16", 2}, {"i8", 1}, {"i32x2", 8}, {"bool", 4}};

/* Operations on 32-bit integers and floats. */
static const struct {
    const char *op, *type;
} joins[] = {{"IAdd", "i32"}, {"UMax", "i32"},       {"FAdd", "f32"},
             {"FMin", "f32"}, {"BitwiseXor", "i32"}, {"SMin", "i32"}};

static const char *const operations[] = {"PartitionedReduceNV", "PartitionedInclusiveScanNV",
                                         "PartitionedExclusiveScanNV"};

/* The arguments of the kernel: by item. */
struct items {
    uint8_t keys[ITEMS * 8];
    uint32_t active[ITEMS], data[ITEMS], results[ITEMS * RESULTS];
};

/* Stores the partition and its reductions for active items; the others store nothing. */
static struct program *program_of(uint32_t size, uint32_t key, uint32_t join, bool optimize)
{
    bool is_bool = strcmp(keys[key].type, "bool") == 0;
    const char *loaded = is_bool ? "i32" : keys[key].type, *data = joins[join].type;
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    geo_strbuf_printf(
        &text,
        "OpEntryPoint Kernel %%f \"f\" %%id\nOpExecutionMode %%f SubgroupSize %u\n"
        "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n"
        "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%i8 = OpTypeInt 8 0\n%%i32 = OpTypeInt 32 0\n"
        "%%i64 = OpTypeInt 64 0\n%%f16 = OpTypeFloat 16\n%%f32 = OpTypeFloat 32\n"
        "%%i32x2 = OpTypeVector %%i32 2\n%%w = OpTypeVector %%i32 4\n%%l3 = OpTypeVector %%i64 3\n"
        "%%p_l3 = OpTypePointer Input %%l3\n%%id = OpVariable %%p_l3 Input\n"
        "%%g_i8 = OpTypePointer CrossWorkgroup %%i8\n%%p_i32 = OpTypePointer CrossWorkgroup %%i32\n"
        "%%p_f32 = OpTypePointer CrossWorkgroup %%f32\n",
        size);
    if (strcmp(loaded, "i32") != 0 && strcmp(loaded, "f32") != 0) {
        geo_strbuf_printf(&text, "%%p_%s = OpTypePointer CrossWorkgroup %%%s\n", loaded, loaded);
    }
    geo_strbuf_printf(
        &text,
        "%%scope = OpConstant %%i32 3\n%%zero = OpConstant %%i32 0\n%%k = OpConstant %%i64 %u\n"
        "%%four = OpConstant %%i64 4\n%%all = OpConstant %%i64 %u\n%%at1 = OpConstant %%i64 1\n"
        "%%at2 = OpConstant %%i64 2\n%%at3 = OpConstant %%i64 3\n"
        "%%type = OpTypeFunction %%void %%g_i8 %%g_i8 %%g_i8 %%g_i8\n"
        "%%f = OpFunction %%void None %%type\n%%keys = OpFunctionParameter %%g_i8\n"
        "%%active = OpFunctionParameter %%g_i8\n%%data = OpFunctionParameter %%g_i8\n"
        "%%out = OpFunctionParameter %%g_i8\n%%l = OpLabel\n%%ids = OpLoad %%l3 %%id\n"
        "%%i = OpCompositeExtract %%i64 %%ids 0\n%%ik = OpIMul %%i64 %%i %%k\n"
        "%%i4 = OpIMul %%i64 %%i %%four\n%%i16 = OpIMul %%i64 %%i %%all\n"
        "%%bk = OpInBoundsPtrAccessChain %%g_i8 %%keys %%ik\n%%pk = OpBitcast %%p_%s %%bk\n"
        "%%ba = OpInBoundsPtrAccessChain %%g_i8 %%active %%i4\n%%pa = OpBitcast %%p_i32 %%ba\n"
        "%%bd = OpInBoundsPtrAccessChain %%g_i8 %%data %%i4\n%%pd = OpBitcast %%p_%s %%bd\n"
        "%%bo = OpInBoundsPtrAccessChain %%g_i8 %%out %%i16\n%%po = OpBitcast %%p_i32 %%bo\n"
        "%%value = OpLoad %%%s %%pk\n%%a = OpLoad %%i32 %%pa\n%%d = OpLoad %%%s %%pd\n"
        "%%on = OpINotEqual %%bool %%a %%zero\n%%key = %s%s %%value%s\n"
        "OpBranchConditional %%on %%then %%end\n%%then = OpLabel\n"
        "%%set = OpGroupNonUniformPartitionNV %%w %%key\n"
        "%%word = OpCompositeExtract %%i32 %%set 0\nOpStore %%po %%word\n",
        keys[key].bytes, RESULTS * 4, loaded, data, loaded, data,
        is_bool ? "OpINotEqual %" : "OpCopyObject %", keys[key].type, is_bool ? " %zero" : "");
    for (uint32_t i = 1; i < RESULTS; i++) {
        geo_strbuf_printf(&text,
                          "%%r%u = OpGroupNonUniform%s %%%s %%scope %s %%d %%set\n"
                          "%%q%u = OpBitcast %%p_%s %%po\n"
                          "%%s%u = OpInBoundsPtrAccessChain %%p_%s %%q%u %%at%u\n"
                          "OpStore %%s%u %%r%u\n",
                          i, joins[join].op, data, operations[i - 1], i, data, i, data, i, i, i, i);
    }
    geo_strbuf_printf(&text, "OpBranch %%end\n%%end = OpLabel\nOpReturn\nOpFunctionEnd\n");
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&text));
    struct program *program =
        program_build_model(module, &(struct program_options){.lanes = 16, .optimize = optimize});
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&text);
    return program;
}

/* ---- a model in C ---- */

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t as_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Do two items have equal keys? Zeros of both signs are equal, a NaN equals nothing. */
static bool keys_equal(uint32_t key, const uint8_t *a, const uint8_t *b)
{
    const char *type = keys[key].type;
    uint32_t x = 0, y = 0;
    if (strcmp(type, "f32") == 0) {
        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        return as_float(x) == as_float(y);
    }
    if (strcmp(type, "f16") == 0) {
        memcpy(&x, a, 2);
        memcpy(&y, b, 2);
        bool nan = (x & 0x7FFF) > 0x7C00 || (y & 0x7FFF) > 0x7C00;
        return !nan && (x == y || ((x | y) & 0x7FFF) == 0);
    }
    if (strcmp(type, "bool") == 0) {
        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        return !x == !y;
    }
    return memcmp(a, b, keys[key].bytes) == 0;
}

static uint32_t joined(uint32_t join, uint32_t a, uint32_t b)
{
    switch (join) {
    case 0:
        return a + b;
    case 1:
        return a > b ? a : b;
    case 2:
        return as_bits(as_float(a) + as_float(b));
    case 3:
        return as_bits(fminf(as_float(a), as_float(b)));
    case 4:
        return a ^ b;
    default:
        return (int32_t)a < (int32_t)b ? a : b;
    }
}

static uint32_t identity(uint32_t join)
{
    static const uint32_t identities[] = {0, 0, 0, 0x7F800000u, 0, 0x7FFFFFFFu};
    return identities[join];
}

/* Computes the values that item `i` must store. */
static void expect(const struct items *items, uint32_t size, uint32_t key, uint32_t join,
                   uint32_t i, uint32_t wanted[RESULTS])
{
    uint32_t bytes = keys[key].bytes, first = i / size * size;
    bool any[RESULTS] = {false};
    wanted[0] = 0;
    for (uint32_t k = 1; k < RESULTS; k++) {
        wanted[k] = identity(join);
    }
    for (uint32_t j = first; j < first + size && j < ITEMS; j++) {
        bool equal = keys_equal(key, items->keys + i * bytes, items->keys + j * bytes);
        if (!items->active[j] || (i != j && !equal)) {
            continue;
        }
        wanted[0] |= 1u << (j - first);
        const bool takes[RESULTS] = {false, true, j <= i, j < i};
        for (uint32_t k = 1; k < RESULTS; k++) {
            wanted[k] = !takes[k] ? wanted[k]
                        : any[k]  ? joined(join, wanted[k], items->data[j])
                                  : items->data[j];
            any[k] |= takes[k];
        }
    }
}

/* Few different keys, so that subsets have several items. */
static void items_fill(struct items *items, uint32_t key, uint32_t join)
{
    static const uint32_t floats[] = {0, 0x80000000u, 0x3F800000u, 0x7FC00000u, 0xC0000000u};
    static const uint32_t halves[] = {0, 0x8000, 0x3C00, 0x7E00, 0xC000};
    struct support_random random = {key * 8 + join};
    memset(items, 0, sizeof(*items));
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint64_t chosen = support_random(&random) % 5, bits = chosen * UINT64_C(0x100000001) - 1;
        bits = strcmp(keys[key].type, "f32") == 0    ? floats[chosen]
               : strcmp(keys[key].type, "f16") == 0  ? halves[chosen]
               : strcmp(keys[key].type, "bool") == 0 ? chosen % 2
                                                     : bits;
        memcpy(items->keys + i * keys[key].bytes, &bits, keys[key].bytes);
        items->active[i] = support_random(&random) % 4 != 0;
        uint32_t number = (uint32_t)support_random(&random) % 1000;
        items->data[i] = strcmp(joins[join].type, "f32") == 0 ? as_bits((float)number - 500)
                                                              : number * 7919 - 4000000;
    }
    memset(items->results, 0xAB, sizeof(items->results));
}

static void check(uint32_t size, uint32_t key, uint32_t join, bool optimize)
{
    struct items *items = program_memory(1, sizeof(*items));
    uint8_t *memory[4];
    const size_t bytes[] = {sizeof(items->keys), sizeof(items->active), sizeof(items->data),
                            sizeof(items->results)};
    items_fill(items, key, join);
    const void *const from[] = {items->keys, items->active, items->data, items->results};
    for (size_t i = 0; i < 4; i++) {
        memory[i] = program_memory(1, bytes[i]);
        memcpy(memory[i], from[i], bytes[i]);
    }
    struct program *program = program_of(size, key, join, optimize);
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {ITEMS, 1, 1}};
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(memory[0]), PROGRAM_POINTER(memory[1]), PROGRAM_POINTER(memory[2]),
        PROGRAM_POINTER(memory[3])};
    program_run(program, "f", &launch, arguments, 4);
    memcpy(items->results, memory[3], bytes[3]);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t wanted[RESULTS] = {UNMADE, UNMADE, UNMADE, UNMADE};
        if (items->active[i]) {
            expect(items, size, key, join, i, wanted);
        }
        for (uint32_t k = 0; k < RESULTS; k++) {
            if (items->results[i * RESULTS + k] != wanted[k]) {
                fail_msg("sub-groups of %u, %s by %s: result %u of item %u is %#x, not %#x", size,
                         joins[join].op, keys[key].type, k, i, items->results[i * RESULTS + k],
                         wanted[k]);
            }
        }
    }
    program_destroy(program);
    for (size_t i = 0; i < 4; i++) {
        free(memory[i]);
    }
    free(items);
}

static void subsets_have_equal_values(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t key = 0; key < sizeof(keys) / sizeof(keys[0]); key++) {
            check(sizes[s], key, 0, s == 1);
        }
    }
}

static void subsets_are_reduced(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t join = 0; join < sizeof(joins) / sizeof(joins[0]); join++) {
            check(sizes[s], 0, join, s != 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subsets_have_equal_values),
        cmocka_unit_test(subsets_are_reduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
