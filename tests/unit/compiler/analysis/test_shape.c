/* Shapes and ranges: what they claim holds for every lane (random integer expressions), and what
 * divergent branches do to phis, loops and blocks (assembly). */
#include "compiler/analysis/ranges.h"
#include "compiler/analysis/shape.h"
#include "compiler/transform/transform.h"
#include "expressions.h"
#include "interpret.h"
#include "native/abi.h"
#include "native/kernel.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct analysed {
    struct geo_arena arena;
    struct geo_ir_function *function;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    struct geo_range *ranges;
};

static void analyse(struct analysed *a, struct geo_ir_function *function,
                    const struct geo_shape_options *options)
{
    a->function = function;
    geo_arena_init(&a->arena, 0);
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &a->arena, &a->cfg));
    assert_true(geo_dominators_compute(&a->cfg, &a->arena, &a->tree));
    assert_true(geo_loops_compute(&a->tree, &a->arena, &a->loops));
    assert_true(geo_shapes_compute(&a->loops, options, &a->arena, &a->shapes));
    assert_true(geo_ranges_compute(&a->cfg, options->ids_fit_31_bits, &a->arena, &a->ranges));
}

/* ---- random expressions ---- */

static int64_t as_signed(uint64_t bits, uint32_t width)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

/* How many there are. */
struct claims {
    uint32_t strided, taken_apart; /* uniform, made of what is strided */
};

static void check_claims(const struct expressions *e, const struct analysed *a, uint64_t seed,
                         uint64_t values[EXPRESSIONS][LANES], struct claims *claims)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const struct geo_ir_inst *inst = e->insts[i];
        uint32_t width = inst->value.type->width;
        struct geo_shape shape = geo_shape_of(&a->shapes, &inst->value);
        struct geo_range range = a->ranges[inst->value.index];
        claims->strided += shape.kind == GEO_SHAPE_STRIDED && i >= SOURCES;
        claims->taken_apart +=
            shape.kind == GEO_SHAPE_UNIFORM && inst->operand_count &&
            geo_shape_of(&a->shapes, inst->operands[0]).kind == GEO_SHAPE_STRIDED;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint64_t value = values[i][lane];
            int64_t stride = shape.kind == GEO_SHAPE_STRIDED ? shape.stride : 0;
            uint64_t claimed = values[i][0] + lane * (uint64_t)stride;
            uint64_t bits = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
            uint64_t zeros = range.zeros < 64 ? (UINT64_C(1) << range.zeros) - 1 : UINT64_MAX;
            bool good = (shape.kind == GEO_SHAPE_VARYING || (claimed & bits) == value) &&
                        as_signed(value, width) >= range.low &&
                        as_signed(value, width) <= range.high && (value & zeros & bits) == 0;
            if (!good) {
                print_error("seed %llu: %s number %u, lane %u: %llx after %llx, stride %lld, "
                            "range %lld .. %lld, %u zeros\n",
                            (unsigned long long)seed, geo_op_name(inst->op), i, lane,
                            (unsigned long long)value, (unsigned long long)values[i][0],
                            (long long)stride, (long long)range.low, (long long)range.high,
                            range.zeros);
            }
            assert_true(good);
        }
    }
}

/* Nothing is on but whole chunks here, so anchored claims hold too. */
static void run_expressions(bool fit)
{
    struct claims claims = {0};
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct expressions e;
        struct analysed a;
        const struct geo_shape_options options = {.lanes = LANES, .ids_fit_31_bits = fit};
        expressions_make(&e, seed);
        analyse(&a, e.function, &options);
        for (uint32_t run = 0; run < 8; run++) {
            uint64_t values[EXPRESSIONS][LANES];
            uint64_t random = support_random_value(&e.random);
            uint64_t limit = GEO_LAUNCH_IDS_LIMIT - LANES;
            uint64_t first = !fit ? random : run == 0 ? 0 : run == 1 ? limit : random % limit;
            first = fit || first < UINT64_MAX - LANES ? first : 0;
            const uint64_t parameters[] = {(uint32_t)support_random_value(&e.random),
                                           support_random_value(&e.random)};
            uint64_t local =
                support_random_below(&e.random, run % 2 ? GEO_LAUNCH_GROUP_LIMIT / LANES : 4) *
                LANES;
            expressions_evaluate(&e, first, local, parameters, values);
            check_claims(&e, &a, seed, values, &claims);
        }
        geo_arena_finish(&a.arena);
        geo_ir_module_destroy(e.module);
    }
    assert_true(claims.strided > 5000); /* the claims are not empty */
    assert_true(claims.taken_apart > 5000);
}

static void claims_hold_for_ids_that_fit(void **state)
{
    (void)state;
    run_expressions(true);
}

static void claims_hold_for_any_ids(void **state)
{
    (void)state;
    run_expressions(false);
}

/* ---- control flow ---- */

#define HEAD                                                                                       \
    "OpEntryPoint Kernel %main \"main\" %gid\n"                                                    \
    "OpDecorate %gid BuiltIn GlobalInvocationId\n"                                                 \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt 64 0\n"       \
    "%v3 = OpTypeVector %u64 3\n%pv3 = OpTypePointer Input %v3\n"                                  \
    "%gid = OpVariable %pv3 Input\n"                                                               \
    "%zero = OpConstant %u32 0\n%one = OpConstant %u32 1\n%ten = OpConstant %u32 10\n"             \
    "%ptr = OpTypePointer CrossWorkgroup %u32\n"                                                   \
    "%fn = OpTypeFunction %void %ptr %u32\n"

/* The kernel's shapes at W = 8; a load stands for a varying value, the parameter %n is uniform. */
static struct geo_ir_module *shapes_of(const char *text, struct analysed *a)
{
    struct geo_ir_module *module = support_assemble(text);
    const struct geo_shape_options options = {.lanes = 8, .ids_fit_31_bits = true};
    struct geo_ir_function *function = interp_find(module, "main");
    assert_non_null(function);
    /* The id's load is uniform by its address; here it stands for what differs. */
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpLoad) {
                inst->memory_flags |= SpvMemoryAccessVolatileMask;
            }
        }
    }
    analyse(a, function, &options);
    return module;
}

static enum geo_shape_kind nth_phi(const struct analysed *a, uint32_t n)
{
    geo_ir_for_each_block(block, a->function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (inst->op == SpvOpPhi && n-- == 0) {
                return geo_shape_of(&a->shapes, &inst->value).kind;
            }
        }
    }
    fail();
    return GEO_SHAPE_VARYING;
}

static const struct geo_ir_block *nth_block(const struct analysed *a, uint32_t n)
{
    const struct geo_ir_block *block = a->function->first_block;
    while (n--) {
        block = block->next;
    }
    return block;
}

#define DIAMOND(condition)                                                                         \
    HEAD "%main = OpFunction %void None %fn\n%p = OpFunctionParameter %ptr\n"                      \
         "%n = OpFunctionParameter %u32\n%b0 = OpLabel\n%x = OpLoad %u32 %p\n"                     \
         "%c = OpULessThan %bool " condition " %ten\n"                                             \
         "OpBranchConditional %c %b1 %b2\n%b1 = OpLabel\nOpBranch %b3\n%b2 = OpLabel\n"            \
         "OpBranch %b3\n%b3 = OpLabel\n%phi = OpPhi %u32 %zero %b1 %one %b2\nOpReturn\n"           \
         "OpFunctionEnd\n"

static void a_join_of_a_divergent_branch_varies(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = shapes_of(DIAMOND("%x"), &a);
    assert_int_equal(nth_phi(&a, 0), GEO_SHAPE_VARYING);
    assert_true(a.shapes.divergent_branch[nth_block(&a, 0)->index]);
    assert_false(a.shapes.divergent_block[nth_block(&a, 0)->index]);
    assert_true(a.shapes.divergent_block[nth_block(&a, 1)->index]);
    assert_true(a.shapes.divergent_block[nth_block(&a, 2)->index]);
    assert_false(a.shapes.divergent_block[nth_block(&a, 3)->index]);
    assert_true(a.shapes.divergent_join[nth_block(&a, 3)->index]);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

static void a_join_of_a_uniform_branch_does_not(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = shapes_of(DIAMOND("%n"), &a);
    assert_int_equal(nth_phi(&a, 0), GEO_SHAPE_UNIFORM);
    for (uint32_t i = 0; i < 4; i++) {
        assert_false(a.shapes.divergent_block[nth_block(&a, i)->index]);
    }
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

/* b0 -> b1 (header: i, exit when i == limit) -> b2 -> b1; b3 has the loop-closed i. */
#define LOOP(limit)                                                                                \
    HEAD "%main = OpFunction %void None %fn\n%p = OpFunctionParameter %ptr\n"                      \
         "%n = OpFunctionParameter %u32\n%b0 = OpLabel\n%x = OpLoad %u32 %p\nOpBranch %b1\n"       \
         "%b1 = OpLabel\n%i = OpPhi %u32 %zero %b0 %j %b2\n"                                       \
         "%c = OpIEqual %bool %i " limit "\nOpBranchConditional %c %b3 %b2\n%b2 = OpLabel\n"       \
         "%j = OpIAdd %u32 %i %one\nOpBranch %b1\n"                                                \
         "%b3 = OpLabel\n%out = OpPhi %u32 %i %b1\n%same = OpPhi %u32 %n %b1\nOpReturn\n"          \
         "OpFunctionEnd\n"

static void values_leave_a_divergent_loop_at_different_times(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = shapes_of(LOOP("%x"), &a);
    assert_true(a.shapes.divergent_loop[0]);
    assert_int_equal(nth_phi(&a, 0), GEO_SHAPE_UNIFORM); /* inside, all lanes count alike */
    assert_int_equal(nth_phi(&a, 1), GEO_SHAPE_VARYING);
    assert_int_equal(nth_phi(&a, 2), GEO_SHAPE_UNIFORM); /* does not change in the loop */
    assert_true(a.shapes.divergent_block[nth_block(&a, 1)->index]);
    assert_false(a.shapes.divergent_block[nth_block(&a, 3)->index]);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

static void values_leave_a_uniform_loop_together(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = shapes_of(LOOP("%n"), &a);
    assert_false(a.shapes.divergent_loop[0]);
    assert_int_equal(nth_phi(&a, 1), GEO_SHAPE_UNIFORM);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

/* A uniform loop (b2, b3) in one arm of a divergent branch. */
static void a_uniform_loop_in_a_divergent_arm_stays_uniform(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = shapes_of(
        HEAD "%main = OpFunction %void None %fn\n%p = OpFunctionParameter %ptr\n"
             "%n = OpFunctionParameter %u32\n%b0 = OpLabel\n%x = OpLoad %u32 %p\n"
             "%c = OpULessThan %bool %x %ten\nOpBranchConditional %c %b1 %b5\n"
             "%b1 = OpLabel\nOpBranch %b2\n"
             "%b2 = OpLabel\n%i = OpPhi %u32 %zero %b1 %j %b3\n"
             "%d = OpULessThan %bool %i %n\nOpBranchConditional %d %b3 %b4\n"
             "%b3 = OpLabel\n%j = OpIAdd %u32 %i %one\nOpBranch %b2\n"
             "%b4 = OpLabel\n%out = OpPhi %u32 %i %b2\nOpBranch %b5\n"
             "%b5 = OpLabel\n%end = OpPhi %u32 %zero %b0 %out %b4\nOpReturn\nOpFunctionEnd\n",
        &a);
    assert_false(a.shapes.divergent_loop[0]);
    assert_int_equal(nth_phi(&a, 0), GEO_SHAPE_UNIFORM);
    assert_int_equal(nth_phi(&a, 1), GEO_SHAPE_UNIFORM);
    assert_int_equal(nth_phi(&a, 2), GEO_SHAPE_VARYING);
    assert_true(a.shapes.divergent_block[nth_block(&a, 3)->index]);
    assert_false(a.shapes.divergent_branch[nth_block(&a, 2)->index]);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

/* A divergent break in the middle of a loop whose own condition is uniform. */
static void a_divergent_break_makes_the_loop_divergent(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = shapes_of(
        HEAD "%main = OpFunction %void None %fn\n%p = OpFunctionParameter %ptr\n"
             "%n = OpFunctionParameter %u32\n%b0 = OpLabel\n%x = OpLoad %u32 %p\nOpBranch %b1\n"
             "%b1 = OpLabel\n%i = OpPhi %u32 %zero %b0 %j %b3\n"
             "%d = OpULessThan %bool %i %n\nOpBranchConditional %d %b2 %b4\n"
             "%b2 = OpLabel\n%c = OpIEqual %bool %i %x\nOpBranchConditional %c %b5 %b3\n"
             "%b3 = OpLabel\n%j = OpIAdd %u32 %i %one\nOpBranch %b1\n"
             "%b4 = OpLabel\n%o1 = OpPhi %u32 %i %b1\nOpBranch %b6\n"
             "%b5 = OpLabel\n%o2 = OpPhi %u32 %i %b2\nOpBranch %b6\n"
             "%b6 = OpLabel\n%o3 = OpPhi %u32 %o1 %b4 %o2 %b5\n%o4 = OpPhi %u32 %n %b4 %n %b5\n"
             "OpReturn\nOpFunctionEnd\n",
        &a);
    assert_true(a.shapes.divergent_loop[0]);
    assert_false(a.shapes.divergent_branch[nth_block(&a, 1)->index]);
    assert_int_equal(nth_phi(&a, 0), GEO_SHAPE_UNIFORM);
    assert_int_equal(nth_phi(&a, 1), GEO_SHAPE_VARYING);
    assert_int_equal(nth_phi(&a, 3), GEO_SHAPE_VARYING);
    assert_int_equal(nth_phi(&a, 4), GEO_SHAPE_UNIFORM); /* the same value from both */
    assert_true(a.shapes.divergent_block[nth_block(&a, 4)->index]);
    assert_false(a.shapes.divergent_block[nth_block(&a, 6)->index]);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

/* A phi that starts undefined must not wait for what the loop makes of it. */
static void an_undefined_start_does_not_hide_what_varies(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = shapes_of(
        HEAD "%undef = OpUndef %u32\n%main = OpFunction %void None %fn\n"
             "%p = OpFunctionParameter %ptr\n%n = OpFunctionParameter %u32\n%b0 = OpLabel\n"
             "%x = OpLoad %u32 %p\nOpBranch %b1\n"
             "%b1 = OpLabel\n%i = OpPhi %u32 %undef %b0 %j %b1\n%k = OpPhi %u32 %zero %b0 %l %b1\n"
             "%j = OpIAdd %u32 %i %x\n%l = OpIAdd %u32 %k %one\n"
             "%d = OpULessThan %bool %l %n\nOpBranchConditional %d %b1 %b2\n"
             "%b2 = OpLabel\nOpReturn\nOpFunctionEnd\n",
        &a);
    assert_int_equal(nth_phi(&a, 0), GEO_SHAPE_VARYING);
    assert_int_equal(nth_phi(&a, 1), GEO_SHAPE_UNIFORM);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

static void everything_is_uniform_in_one_lane(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = support_assemble(DIAMOND("%x"));
    const struct geo_shape_options options = {.lanes = 1};
    analyse(&a, interp_find(module, "main"), &options);
    assert_int_equal(nth_phi(&a, 0), GEO_SHAPE_UNIFORM);
    assert_false(a.shapes.divergent_branch[0]);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

/* ---- indexes of 32 bits ---- */

/* The shape of %i, which `op` makes of the 32-bit value that `sum` makes, or of what else there is,
 * where `uses` makes accesses of it. */
static enum geo_shape_kind made_shape(const char *sum, SpvOp op, const char *index,
                                      const char *uses, bool large_objects)
{
    static const char head[] =
        "%cl = OpExtInstImport \"OpenCL.std\"\nOpEntryPoint Kernel %main \"main\" %gid\n"
        "OpDecorate %gid BuiltIn GlobalInvocationId\n"
        "%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt 64 0\n"
        "%v3 = OpTypeVector %u64 3\n%pv3 = OpTypePointer Input %v3\n"
        "%gid = OpVariable %pv3 Input\n%zero = OpConstant %u32 0\n"
        "%half = OpConstant %u32 536870913\n"
        "%c20 = OpConstant %u64 20\n%c30 = OpConstant %u64 30\n%c32 = OpConstant %u64 32\n"
        "%ptr = OpTypePointer CrossWorkgroup %u32\n"
        "%ptr64 = OpTypePointer CrossWorkgroup %u64\n%v4 = OpTypeVector %u32 4\n"
        "%fn = OpTypeFunction %void %ptr %u32 %u64 %ptr64\n%main = OpFunction %void None %fn\n"
        "%p = OpFunctionParameter %ptr\n%n = OpFunctionParameter %u32\n"
        "%o = OpFunctionParameter %u64\n%d = OpFunctionParameter %ptr64\n%b0 = OpLabel\n%ids = "
        "OpLoad %v3 %gid\n"
        "%x = OpCompositeExtract %u64 %ids 0\n%g = OpUConvert %u32 %x\n"
        "%sum = ";
    struct geo_strbuf text;
    struct analysed a;
    geo_strbuf_init(&text, 0);
    geo_strbuf_printf(&text, "%s%s\n%s\nOpStore %%d %%i\n%sOpReturn\nOpFunctionEnd\n", head, sum,
                      index, uses);
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&text));
    geo_strbuf_finish(&text);
    assert_int_equal(geo_transform_resolve_builtin_variables(module, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_transform_simplify(module, true, NULL), ZE_RESULT_SUCCESS);
    const struct geo_shape_options options = {
        .lanes = 16, .ids_fit_31_bits = true, .large_objects = large_objects};
    analyse(&a, interp_find(module, "main"), &options);
    const struct geo_ir_inst *made = NULL;
    geo_ir_for_each_block(block, a.function) {
        geo_ir_for_each_inst(inst, block) {
            if (!made && inst->op == op && inst->value.type->width == 64) {
                made = inst;
            }
        }
    }
    assert_non_null(made);
    enum geo_shape_kind kind = geo_shape_of(&a.shapes, &made->value).kind;
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
    return kind;
}

static enum geo_shape_kind sum_shape(const char *sum, const char *uses, bool large_objects)
{
    return made_shape(sum, SpvOpUConvert, "%i = OpUConvert %u64 %sum", uses, large_objects);
}

static enum geo_shape_kind index_shape(const char *uses, bool large_objects)
{
    return sum_shape("OpIAdd %u32 %g %n", uses, large_objects);
}

#define ACCESS(at) "%q = OpPtrAccessChain %ptr %p " at "\nOpStore %q %zero\n"
#define ANOTHER    "%less = OpISub %u32 %n %g\n%k = OpUConvert %u64 %less\n"

/* Groups are small, so an offset that is added to a local id needs no access to vouch for it. */
static void sums_of_local_ids_do_not_wrap(void **state)
{
    struct analysed a;
    (void)state;
    struct geo_ir_module *module = support_assemble(
        "OpEntryPoint Kernel %main \"main\" %lid\nOpDecorate %lid BuiltIn LocalInvocationId\n"
        "%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt 64 0\n"
        "%v3 = OpTypeVector %u64 3\n%pv3 = OpTypePointer Input %v3\n%lid = OpVariable %pv3 Input\n"
        "%c = OpConstant %u32 100000\n%p64 = OpTypePointer CrossWorkgroup %u64\n%fn = "
        "OpTypeFunction %void %p64\n"
        "%main = OpFunction %void None %fn\n%p = OpFunctionParameter %p64\n%b0 = OpLabel\n%ids = "
        "OpLoad %v3 %lid\n"
        "%x = OpCompositeExtract %u64 %ids 0\n%l = OpUConvert %u32 %x\n"
        "%sum = OpIAdd %u32 %l %c\n%i = OpSConvert %u64 %sum\nOpStore %p "
        "%i\nOpReturn\nOpFunctionEnd\n");
    assert_int_equal(geo_transform_resolve_builtin_variables(module, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_transform_simplify(module, true, NULL), ZE_RESULT_SUCCESS);
    const struct geo_shape_options options = {.lanes = 16, .ids_fit_31_bits = true};
    analyse(&a, interp_find(module, "main"), &options);
    const struct geo_ir_inst *index = a.function->first_block->last->prev->prev;
    assert_int_equal(index->op, SpvOpSConvert);
    struct geo_shape shape = geo_shape_of(&a.shapes, &index->value);
    assert_int_equal(shape.kind, GEO_SHAPE_STRIDED);
    assert_false(shape.anchored);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(module);
}

static void an_access_vouches_for_one_index(void **state)
{
    (void)state;
    assert_int_equal(index_shape("", false), GEO_SHAPE_VARYING);
    assert_int_equal(index_shape(ACCESS("%i"), false), GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape("%j = OpIAdd %u64 %i %o\n" ACCESS("%j"), false),
                     GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape("%j = OpIAdd %u64 %i %x\n" ACCESS("%j"), false),
                     GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape(ACCESS("%i"), true), GEO_SHAPE_VARYING);
}

/* (long)(int)(x + o) times a power of two, as shifts. */
static enum geo_shape_kind shifted_shape(const char *right, const char *uses)
{
    struct geo_strbuf index;
    geo_strbuf_init(&index, 0);
    geo_strbuf_printf(&index,
                      "%%w = OpIAdd %%u64 %%x %%o\n%%l = OpShiftLeftLogical %%u64 %%w %%c32\n"
                      "%%i = OpShiftRightArithmetic %%u64 %%l %s",
                      right);
    enum geo_shape_kind kind = made_shape("OpIAdd %u32 %n %n", SpvOpShiftRightArithmetic,
                                          geo_strbuf_text(&index), uses, false);
    geo_strbuf_finish(&index);
    return kind;
}

static void an_access_vouches_for_a_shifted_index(void **state)
{
    (void)state;
    assert_int_equal(shifted_shape("%c32", ACCESS("%i")), GEO_SHAPE_STRIDED);
    assert_int_equal(shifted_shape("%c30", ACCESS("%i")), GEO_SHAPE_STRIDED);
    assert_int_equal(shifted_shape("%c30", ""), GEO_SHAPE_VARYING);
    assert_int_equal(shifted_shape("%c20", ACCESS("%i")), GEO_SHAPE_VARYING);
}

#define VLOAD(offset, at)                                                                          \
    "%q = OpPtrAccessChain %ptr %p " at "\n%loaded = OpExtInst %v4 %cl vloadn " offset " %q 4\n"   \
    "%used = OpCompositeExtract %u32 %loaded 1\nOpStore %p %used\n"
#define VSTORE(offset, at)                                                                         \
    "%q = OpPtrAccessChain %ptr %p " at "\n%u = OpUndef %v4\n"                                     \
    "%stored = OpExtInst %void %cl vstoren %u " offset " %q\n"

/* By the pointer, or by the number of the vector. */
static void an_access_of_a_vector_vouches_for_one_index(void **state)
{
    (void)state;
    assert_int_equal(index_shape(VLOAD("%c20", "%i"), false), GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape(VLOAD("%i", "%o"), false), GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape(VLOAD("%i", "%x"), false), GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape(VSTORE("%o", "%i"), false), GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape(VSTORE("%i", "%x"), false), GEO_SHAPE_STRIDED);
    assert_int_equal(index_shape(ANOTHER VLOAD("%k", "%i"), false), GEO_SHAPE_VARYING);
    assert_int_equal(index_shape(ANOTHER VSTORE("%i", "%k"), false), GEO_SHAPE_VARYING);
    assert_int_equal(
        index_shape("%a = OpPtrAccessChain %ptr64 %d %x\n%b = OpLoad %u64 %a\n" VLOAD("%b", "%i"),
                    false),
        GEO_SHAPE_VARYING);
}

static void an_access_vouches_for_no_two_indexes(void **state)
{
    (void)state;
    assert_int_equal(index_shape(ANOTHER "%j = OpIAdd %u64 %i %k\n" ACCESS("%j"), false),
                     GEO_SHAPE_VARYING);
    assert_int_equal(index_shape(ANOTHER "%j = OpIAdd %u64 %k %i\n" ACCESS("%j"), false),
                     GEO_SHAPE_VARYING);
    assert_int_equal(index_shape(ANOTHER "%m = OpBitwiseXor %u64 %k %o\n"
                                         "%j = OpIAdd %u64 %i %m\n" ACCESS("%j"),
                                 false),
                     GEO_SHAPE_VARYING);
    assert_int_equal(index_shape(ANOTHER "%j = OpIAdd %u64 %i %k\n" ACCESS(
                                     "%j") "%r = OpPtrAccessChain %ptr %p %i\nOpStore %r %zero\n",
                                 false),
                     GEO_SHAPE_STRIDED);
}

static void what_varies_or_reaches_far_may_make_up_for_a_wrap(void **state)
{
    (void)state;
    assert_int_equal(index_shape("%a = OpPtrAccessChain %ptr %p %x\n%b = OpLoad %u32 %a\n"
                                 "%c = OpUConvert %u64 %b\n%j = OpIAdd %u64 %i %c\n" ACCESS("%j"),
                                 false),
                     GEO_SHAPE_VARYING);
    assert_int_equal(sum_shape("OpIMul %u32 %g %half", ACCESS("%i"), false), GEO_SHAPE_VARYING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_hold_for_ids_that_fit),
        cmocka_unit_test(claims_hold_for_any_ids),
        cmocka_unit_test(a_join_of_a_divergent_branch_varies),
        cmocka_unit_test(a_join_of_a_uniform_branch_does_not),
        cmocka_unit_test(values_leave_a_divergent_loop_at_different_times),
        cmocka_unit_test(values_leave_a_uniform_loop_together),
        cmocka_unit_test(a_uniform_loop_in_a_divergent_arm_stays_uniform),
        cmocka_unit_test(a_divergent_break_makes_the_loop_divergent),
        cmocka_unit_test(an_undefined_start_does_not_hide_what_varies),
        cmocka_unit_test(everything_is_uniform_in_one_lane),
        cmocka_unit_test(sums_of_local_ids_do_not_wrap),
        cmocka_unit_test(an_access_vouches_for_one_index),
        cmocka_unit_test(an_access_vouches_for_a_shifted_index),
        cmocka_unit_test(an_access_of_a_vector_vouches_for_one_index),
        cmocka_unit_test(an_access_vouches_for_no_two_indexes),
        cmocka_unit_test(what_varies_or_reaches_far_may_make_up_for_a_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
