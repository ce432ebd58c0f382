/* Imports that are no instructions: what producers leave becomes instructions with the meaning the
 * name has. */
#include "interpret.h"
#include "support.h"

#include "compiler/builtins/builtins.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n"         \
    "%i64 = OpTypeInt 64 0\n%f32 = OpTypeFloat 32\n%p8 = OpTypePointer CrossWorkgroup %i8\n"       \
    "%p32 = OpTypePointer CrossWorkgroup %i32\n%i16 = OpTypeInt 16 0\n"                            \
    "%pf = OpTypePointer CrossWorkgroup %f32\n%p16 = OpTypePointer CrossWorkgroup %i16\n"          \
    "%v4 = OpTypeVector %i32 4\n"

/* One exported function "f" that calls one import: its types, the import's parameters in order. */
static struct geo_ir_module *calling(const char *import, const char *result,
                                     const char *const *parameters, uint32_t count)
{
    char text[4096];
    int used = snprintf(text, sizeof(text),
                        "OpDecorate %%import LinkageAttributes \"%s\" Import\n"
                        "OpDecorate %%f LinkageAttributes \"f\" Export\n%s"
                        "%%type = OpTypeFunction %s",
                        import, TYPES, result);
    for (uint32_t i = 0; i < count; i++) {
        used += snprintf(text + used, sizeof(text) - (size_t)used, " %s", parameters[i]);
    }
    for (int body = 0; body < 2; body++) {
        used += snprintf(text + used, sizeof(text) - (size_t)used,
                         "\n%%%s = OpFunction %s None %%type\n", body ? "f" : "import", result);
        for (uint32_t i = 0; i < count; i++) {
            used +=
                snprintf(text + used, sizeof(text) - (size_t)used,
                         "%%%c%u = OpFunctionParameter %s\n", body ? 'a' : 'x', i, parameters[i]);
        }
        if (body) {
            used += snprintf(text + used, sizeof(text) - (size_t)used,
                             "%%l = OpLabel\n%%r = OpFunctionCall %s %%import", result);
            for (uint32_t i = 0; i < count; i++) {
                used += snprintf(text + used, sizeof(text) - (size_t)used, " %%a%u", i);
            }
            used += snprintf(text + used, sizeof(text) - (size_t)used, "\n%s\n",
                             strcmp(result, "%void") == 0 ? "OpReturn" : "OpReturnValue %r");
        }
        used += snprintf(text + used, sizeof(text) - (size_t)used, "OpFunctionEnd");
    }
    snprintf(text + used, sizeof(text) - (size_t)used, "\n");
    return support_assemble(text);
}

static void resolve(struct geo_ir_module *module)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_builtins_resolve(module, &log), ZE_RESULT_SUCCESS);
    support_assert_valid(module);
    geo_strbuf_finish(&log);
}

static uint64_t evaluate(struct geo_ir_module *module, const uint64_t *arguments)
{
    struct interp *interp = interp_create(module);
    uint64_t result = 0;
    if (!interp_call(interp, interp_find(module, "f"), arguments, &result)) {
        fail_msg("%s", interp_error(interp));
    }
    interp_destroy(interp);
    return result;
}

/* SPV-3 */
static void funnel_shifts_and_saturation(void **state)
{
    static const char *const three[] = {"%i32", "%i32", "%i32"};
    struct support_random random = {7};
    struct geo_ir_module *left = calling("llvm.fshl.i32", "%i32", three, 3);
    struct geo_ir_module *right = calling("llvm.fshr.i32", "%i32", three, 3);
    struct geo_ir_module *difference = calling("llvm.usub.sat.i32", "%i32", three, 2);
    (void)state;
    resolve(left);
    resolve(right);
    resolve(difference);
    for (int i = 0; i < 500; i++) {
        uint32_t a = (uint32_t)support_random_value(&random);
        uint32_t b = (uint32_t)support_random_value(&random);
        uint32_t c = support_random_below(&random, 80);
        uint64_t pair = (uint64_t)a << 32 | b;
        const uint64_t arguments[] = {a, b, c};
        assert_int_equal(evaluate(left, arguments), (uint32_t)((pair << (c % 32)) >> 32));
        assert_int_equal(evaluate(right, arguments), (uint32_t)(pair >> (c % 32)));
        assert_int_equal(evaluate(difference, arguments), a > b ? a - b : 0);
    }
    geo_ir_module_destroy(left);
    geo_ir_module_destroy(right);
    geo_ir_module_destroy(difference);
}

/* SPV-3: bfloat16 is the upper half of a float, rounded to even */
static void bfloat_conversions_round_to_even(void **state)
{
    static const char *const from_float[] = {"%pf"};
    static const struct {
        uint32_t bits;
        uint16_t expected;
    } cases[] = {{0x3F800000, 0x3F80}, {0x3F808000, 0x3F80}, {0x3F818000, 0x3F82},
                 {0x3F808001, 0x3F81}, {0x7F7FFFFF, 0x7F80}, {0xFF800000, 0xFF80},
                 {0x7FC00001, 0x7FC0}, {0x7F800001, 0x7FC0}, {0x80000000, 0x8000}};
    struct geo_ir_module *module =
        calling("__devicelib_ConvertFToBF16INTEL", "%i16", from_float, 1);
    (void)state;
    resolve(module);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct interp *interp = interp_create(module);
        uint32_t bits = cases[i].bits;
        uint64_t argument = interp_map(interp, &bits, sizeof(bits)), result = 0;
        assert_true(interp_call(interp, interp_find(module, "f"), &argument, &result));
        assert_int_equal(result, cases[i].expected);
        interp_destroy(interp);
    }
    geo_ir_module_destroy(module);
}

/* SPV-16: clang-22 leaves atomics as imports; they become relaxed atomics */
static void mangled_atomics_become_atomics(void **state)
{
    static const struct {
        const char *name;
        uint32_t arguments;
        SpvOp op;
    } cases[] = {
        {"_Z10atomic_incPU3AS1Vi", 1, SpvOpAtomicIIncrement},
        {"_Z10atomic_minPU3AS1Vii", 2, SpvOpAtomicSMin},
        {"_Z10atomic_minPU3AS1Vjj", 2, SpvOpAtomicUMin},
        {"_Z11atomic_xchgPU3AS1Vii", 2, SpvOpAtomicExchange},
        {"_Z14atomic_cmpxchgPU3AS1Viii", 3, SpvOpAtomicCompareExchange},
        {"_Z25atomic_fetch_min_explicitPU3AS4VU7_Atomicjj12memory_order12memory_scope", 3,
         SpvOpAtomicUMin},
        {"_Z16atomic_fetch_maxPU3AS4VU7_Atomicii", 2, SpvOpAtomicSMax},
    };
    static const char *const parameters[] = {"%p8", "%i32", "%i32"}; /* an opaque pointer */
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct geo_ir_module *module =
            calling(cases[i].name, "%i32", parameters, cases[i].arguments);
        resolve(module);
        assert_int_equal(support_count(module, NULL, (unsigned)cases[i].op), 1);
        assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 0);
        geo_ir_module_destroy(module);
    }
}

/* What DPC++'s and C's assert leave behind: one instruction, its ids filled in where they lack */
static void failed_assertions_become_one_instruction(void **state)
{
    static const char *const given[] = {"%p8",  "%p8",  "%i32", "%p8",  "%i64",
                                        "%i64", "%i64", "%i64", "%i64", "%i64"};
    static const char *const wrong[] = {"%p8", "%i32", "%p8", "%p8"};
    const SpvOp fail = (SpvOp)GEO_OP_ASSERT_FAIL;
    (void)state;
    for (uint32_t ids = 0; ids < 2; ids++) {
        struct geo_ir_module *module = calling(ids ? "__devicelib_assert_fail" : "__assert_fail",
                                               "%void", given, ids ? 10 : 4);
        resolve(module);
        assert_int_equal(support_count(module, NULL, fail), 1);
        assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 0);
        assert_int_equal(support_count(module, NULL, GEO_OP_BUILTIN), ids ? 0 : 6);
        geo_ir_module_destroy(module);
    }
    struct geo_ir_module *module = calling("__assert_fail", "%void", wrong, 4);
    resolve(module);
    assert_int_equal(support_count(module, NULL, fail), 0);
    geo_ir_module_destroy(module);
}

/* an import of a known name with types that do not fit stays an import */
static void imports_with_wrong_types_stay(void **state)
{
    static const char *const wrong[] = {"%f32", "%i32", "%i32"};
    static const char *const names[] = {"_Z3maxff",
                                        "llvm.fshl.i32",
                                        "_Z10atomic_addPU3AS1Vii",
                                        "_Z13get_global_idj",
                                        "_Z3sinf",
                                        "unheard_of",
                                        "_Z999999sinf",
                                        "_Z",
                                        "_Z3si"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct geo_ir_module *module = calling(names[i], "%i32", wrong, 3);
        resolve(module);
        assert_int_equal(support_count(module, interp_find(module, "f"), SpvOpFunctionCall), 1);
        geo_ir_module_destroy(module);
    }
}

/* ---- group functions ---- */

/* An import, its types, and the instruction it becomes: operands, and the group operation if any.
 */
struct group_import {
    const char *name, *result;
    const char *parameters[5];
    SpvOp op;
    uint32_t operands;
    int operation; /* -1: none */
};

static const struct group_import group_imports[] = {
    {"_Z16sub_group_balloti", "%v4", {"%i32"}, SpvOpGroupNonUniformBallot, 2, -1},
    {"_Z16sub_group_ballotj", "%v4", {"%i32"}, SpvOpGroupNonUniformBallot, 2, -1},
    {"_Z26sub_group_ballot_bit_countDv4_j",
     "%i32",
     {"%v4"},
     SpvOpGroupNonUniformBallotBitCount,
     2,
     SpvGroupOperationReduce},
    {"_Z31sub_group_ballot_inclusive_scanDv4_j",
     "%i32",
     {"%v4"},
     SpvOpGroupNonUniformBallotBitCount,
     2,
     SpvGroupOperationInclusiveScan},
    {"_Z28sub_group_ballot_bit_extractDv4_jj",
     "%i32",
     {"%v4", "%i32"},
     SpvOpGroupNonUniformBallotBitExtract,
     3,
     -1},
    {"_Z15sub_group_electv", "%i32", {NULL}, SpvOpGroupNonUniformElect, 1, -1},
    {"_Z13sub_group_alli", "%i32", {"%i32"}, SpvOpGroupAll, 2, -1},
    {"_Z14work_group_anyi", "%i32", {"%i32"}, SpvOpGroupAny, 2, -1},
    {"_Z31sub_group_non_uniform_all_equalf", "%i32", {"%f32"}, SpvOpGroupNonUniformAllEqual, 2, -1},
    {"_Z19sub_group_broadcastfj", "%f32", {"%f32", "%i32"}, SpvOpGroupBroadcast, 3, -1},
    {"_Z20work_group_broadcastimmm",
     "%i32",
     {"%i32", "%i64", "%i64", "%i64"},
     SpvOpGroupBroadcast,
     3,
     -1},
    {"_Z26sub_group_clustered_rotateiij",
     "%i32",
     {"%i32", "%i32", "%i32"},
     SpvOpGroupNonUniformRotateKHR,
     4,
     -1},
    {"_Z20sub_group_reduce_addf", "%f32", {"%f32"}, SpvOpGroupFAdd, 2, SpvGroupOperationReduce},
    {"_Z20sub_group_reduce_mini", "%i32", {"%i32"}, SpvOpGroupSMin, 2, SpvGroupOperationReduce},
    {"_Z20sub_group_reduce_minj", "%i32", {"%i32"}, SpvOpGroupUMin, 2, SpvGroupOperationReduce},
    {"_Z29work_group_scan_exclusive_maxm",
     "%i64",
     {"%i64"},
     SpvOpGroupUMax,
     2,
     SpvGroupOperationExclusiveScan},
    {"_Z32sub_group_non_uniform_reduce_mulf",
     "%f32",
     {"%f32"},
     SpvOpGroupNonUniformFMul,
     2,
     SpvGroupOperationReduce},
    {"_Z40sub_group_non_uniform_scan_inclusive_xort",
     "%i16",
     {"%i16"},
     SpvOpGroupNonUniformBitwiseXor,
     2,
     SpvGroupOperationInclusiveScan},
    {"_Z38sub_group_clustered_reduce_logical_andij",
     "%i32",
     {"%i32", "%i32"},
     SpvOpGroupNonUniformLogicalAnd,
     3,
     SpvGroupOperationClusteredReduce},
    {"_Z28intel_sub_group_shuffle_downiij",
     "%i32",
     {"%i32", "%i32", "%i32"},
     SpvOpSubgroupShuffleDownINTEL,
     3,
     -1},
    {"_Z30intel_sub_group_block_read_ui4PU3AS1Kj",
     "%v4",
     {"%p32"},
     SpvOpSubgroupBlockReadINTEL,
     1,
     -1},
    {"_Z31intel_sub_group_block_write_us2PU3AS1tt",
     "%void",
     {"%p16", "%i16"},
     SpvOpSubgroupBlockWriteINTEL,
     2,
     -1},
    {"_Z26intel_sub_group_reduce_adds",
     "%i16",
     {"%i16"},
     SpvOpGroupIAdd,
     2,
     SpvGroupOperationReduce},
    {"_Z33__spirv_GroupNonUniformShuffleXorjij",
     "%i32",
     {"%i32", "%i32", "%i32"},
     SpvOpGroupNonUniformShuffleXor,
     3,
     -1},
    {"_Z16__spirv_GroupAllib", "%bool", {"%i32", "%bool"}, SpvOpGroupAll, 2, -1},
};

/* Names that are no group functions, or not with these types: they stay calls. */
static const struct group_import not_group_imports[] = {
    {"_Z18sub_group_shufflejj", "%i32", {"%i32", "%i32"}, SpvOpNop, 0, -1}, /* a wrong length */
    {"_Z17sub_group_shufflei", "%i32", {"%i32"}, SpvOpNop, 0, -1},
    {"_Z17sub_group_shufflefff", "%f32", {"%f32", "%f32"}, SpvOpNop, 0, -1},
    {"_Z20sub_group_reduce_andf", "%f32", {"%f32"}, SpvOpNop, 0, -1},
    {"_Z20sub_group_reduce_powi", "%i32", {"%i32"}, SpvOpNop, 0, -1},
    {"_Z17work_group_balloti", "%v4", {"%i32"}, SpvOpNop, 0, -1},
    {"_Z16sub_group_balloti", "%i32", {"%i32"}, SpvOpNop, 0, -1},
    {"_Z20work_group_broadcastimmmm",
     "%i32",
     {"%i32", "%i64", "%i64", "%i64", "%i64"},
     SpvOpNop,
     0,
     -1},
    {"_Z30intel_sub_group_block_read_xy4PU3AS1Kj", "%v4", {"%p32"}, SpvOpNop, 0, -1},
    {"_Z19__spirv_GroupInventij", "%i32", {"%i32", "%i32"}, SpvOpNop, 0, -1},
};

static struct geo_ir_module *group_calling(const struct group_import *row)
{
    uint32_t count = 0;
    while (count < 5 && row->parameters[count]) {
        count++;
    }
    struct geo_ir_module *module = calling(row->name, row->result, row->parameters, count);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_builtins_resolve(module, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    return module;
}

static const struct geo_ir_inst *find_op(struct geo_ir_module *module, SpvOp op)
{
    const struct geo_ir_inst *found = NULL;
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                found = inst->op == op ? inst : found;
            }
        }
    }
    return found;
}

/* SPV-28, SPV-29, SPV-30, SPV-31, SPV-32 */
static void group_functions_become_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(group_imports) / sizeof(group_imports[0]); i++) {
        const struct group_import *row = &group_imports[i];
        struct geo_ir_module *module = group_calling(row);
        const struct geo_ir_inst *inst = find_op(module, row->op);
        uint64_t scope = SpvScopeSubgroup;
        if (!inst || find_op(module, SpvOpFunctionCall)) {
            fail_msg("%s is not replaced", row->name);
        }
        support_assert_valid(module);
        assert_int_equal(inst->operand_count, row->operands);
        assert_int_equal(inst->literal_count, row->operation >= 0);
        if (row->operation >= 0) {
            assert_int_equal(inst->literals[0], row->operation);
        }
        bool work_group = strstr(row->name, "work_group") != NULL;
        if (strstr(row->name, "intel_sub_group_b") == NULL && /* these name no scope */
            strstr(row->name, "intel_sub_group_sh") == NULL &&
            strstr(row->name, "__spirv") == NULL) {
            assert_true(geo_ir_constant_bits(inst->operands[0], &scope));
            assert_int_equal(scope, work_group ? SpvScopeWorkgroup : SpvScopeSubgroup);
        }
        geo_ir_module_destroy(module);
    }
}

static void what_is_no_group_function_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(not_group_imports) / sizeof(not_group_imports[0]); i++) {
        struct geo_ir_module *module = group_calling(&not_group_imports[i]);
        if (!find_op(module, SpvOpFunctionCall)) {
            fail_msg("%s is replaced", not_group_imports[i].name);
        }
        support_assert_valid(module);
        geo_ir_module_destroy(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(funnel_shifts_and_saturation),
        cmocka_unit_test(bfloat_conversions_round_to_even),
        cmocka_unit_test(mangled_atomics_become_atomics),
        cmocka_unit_test(failed_assertions_become_one_instruction),
        cmocka_unit_test(imports_with_wrong_types_stay),
        cmocka_unit_test(group_functions_become_instructions),
        cmocka_unit_test(what_is_no_group_function_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
