/* Patterns: what they claim of every lane holds, for random integer expressions, with and without
 * an assumption about a parameter; and that they are found where they should be. */
#include "compiler/analysis/pattern.h"
#include "expressions.h"
#include "native/abi.h"
#include "native/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct analysed {
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    bool inside[2]; /* the block */
};

static void analyse(struct analysed *a, struct geo_ir_function *function)
{
    const struct geo_shape_options options = {.lanes = LANES, .ids_fit_31_bits = true};
    geo_arena_init(&a->arena, 0);
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &a->arena, &a->cfg));
    assert_true(geo_dominators_compute(&a->cfg, &a->arena, &a->tree));
    assert_true(geo_loops_compute(&a->tree, &a->arena, &a->loops));
    assert_true(geo_shapes_compute(&a->loops, &options, &a->arena, &a->shapes));
    a->inside[0] = a->inside[1] = true;
}

/* ---- random expressions ---- */

/* Returns whether a chunk has what a pattern supposes. */
static bool is_aligned(const struct expressions *e, const struct geo_pattern *pattern,
                       uint64_t values[EXPRESSIONS][LANES])
{
    for (uint32_t i = 0; pattern->aligned && i < e->count; i++) {
        if (&e->insts[i]->value == pattern->aligned) {
            uint64_t sign = UINT64_C(1) << (pattern->aligned->type->width - 1);
            return (values[i][0] & (sign | ((UINT64_C(1) << pattern->aligned_zeros) - 1))) == 0;
        }
    }
    return true;
}

static uint32_t check_patterns(const struct expressions *e, const struct analysed *a,
                               struct geo_patterns *patterns, uint64_t seed,
                               uint64_t values[EXPRESSIONS][LANES])
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        const struct geo_ir_inst *inst = e->insts[i];
        uint32_t width = inst->value.type->width;
        uint64_t bits = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
        struct geo_pattern pattern;
        if (!geo_pattern_find(patterns, &inst->value, &pattern) ||
            !is_aligned(e, &pattern, values)) {
            continue;
        }
        assert_true(patterns->aligns || !pattern.aligned);
        found += (!patterns->aligns || pattern.aligned) &&
                 geo_shape_of(&a->shapes, &inst->value).kind == GEO_SHAPE_VARYING;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint64_t claimed = (values[i][0] + (uint64_t)pattern.offsets[lane]) & bits;
            if (claimed != values[i][lane]) {
                print_error("seed %llu: %s number %u, lane %u: %llx after %llx, claimed %llx\n",
                            (unsigned long long)seed, geo_op_name(inst->op), i, lane,
                            (unsigned long long)values[i][lane], (unsigned long long)values[i][0],
                            (unsigned long long)claimed);
            }
            assert_true(claimed == values[i][lane]);
        }
    }
    assert_false(patterns->no_memory);
    return found;
}

/* About one of the parameters, which is made to keep it; every third time nothing. */
static struct geo_assumption assume(struct expressions *e, const struct analysed *a,
                                    uint64_t parameters[2])
{
    struct geo_assumption assumption = {.inside = a->inside};
    uint32_t which = support_random_below(&e->random, 2);
    uint32_t what = support_random_below(&e->random, 3);
    parameters[0] = (uint32_t)support_random_value(&e->random);
    parameters[1] = support_random_value(&e->random);
    if (what > 0) {
        assumption.value = e->function->parameters[which];
    }
    if (what == 1) {
        assumption.zeros = 1 + support_random_below(&e->random, 8);
        parameters[which] &= ~(((uint64_t)1 << assumption.zeros) - 1);
    } else if (what == 2) {
        assumption.number = support_random_below(&e->random, 2)
                                ? (uint64_t)1 << support_random_below(&e->random, 5)
                                : parameters[which];
        parameters[which] = assumption.number;
    }
    return assumption;
}

static void claims_hold_in_all_lanes(void **state)
{
    uint32_t found = 0, supposed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct expressions e;
        struct analysed a;
        expressions_make(&e, seed);
        analyse(&a, e.function);
        for (uint32_t run = 0; run < 12; run++) {
            uint64_t values[EXPRESSIONS][LANES], parameters[2];
            struct geo_patterns patterns, aligned;
            struct geo_assumption assumption = assume(&e, &a, parameters);
            uint64_t first = support_random_value(&e.random) % (GEO_LAUNCH_IDS_LIMIT - LANES);
            first &= run % 3 ? UINT64_MAX : ~(uint64_t)(4 * LANES - 1);
            uint64_t local =
                support_random_below(&e.random, run % 2 ? GEO_LAUNCH_GROUP_LIMIT / LANES : 4) *
                LANES;
            assert_true(geo_patterns_init(&patterns, e.function, &a.shapes, &assumption, &a.arena));
            expressions_evaluate(&e, first, local, parameters, values);
            found += check_patterns(&e, &a, &patterns, seed, values);
            assert_true(geo_patterns_init(&aligned, e.function, &a.shapes, NULL, &a.arena));
            aligned.aligns = true;
            supposed += check_patterns(&e, &a, &aligned, seed, values);
        }
        geo_arena_finish(&a.arena);
        geo_ir_module_destroy(e.module);
    }
    assert_true(found > 5000); /* of what no stride describes */
    assert_true(supposed > 1000);
}

/* ---- known ones ---- */

static struct geo_ir_inst *append(struct expressions *e, unsigned op, struct geo_ir_value *x,
                                  struct geo_ir_value *y)
{
    struct geo_ir_inst *inst = geo_ir_inst_create(e->module, (SpvOp)op, e->types[1], 2, 0, 0);
    assert_non_null(inst);
    inst->operands[0] = x;
    inst->operands[1] = y;
    geo_ir_inst_insert_before(e->function->first_block->last, inst);
    return inst;
}

/* op(local id, y) or, with `number`, op(local id, parameter - 1). */
static bool pattern_of(unsigned op, uint64_t y, const struct geo_assumption *about,
                       struct geo_pattern *out)
{
    struct expressions e;
    struct analysed a;
    struct geo_patterns patterns;
    expressions_make(&e, 1);
    struct geo_ir_value *local = &e.insts[2]->value, *parameter = e.function->parameters[1];
    struct geo_ir_value *ones = geo_ir_const_int(e.module, e.types[1], UINT64_MAX);
    struct geo_ir_value *other = about ? &append(&e, SpvOpIAdd, parameter, ones)->value
                                       : geo_ir_const_int(e.module, e.types[1], y);
    struct geo_ir_inst *inst = append(&e, op, local, other);
    analyse(&a, e.function);
    struct geo_assumption assumption = about ? *about : (struct geo_assumption){0};
    assumption.value = about ? parameter : NULL;
    assumption.inside = a.inside;
    assert_true(geo_patterns_init(&patterns, e.function, &a.shapes, &assumption, &a.arena));
    bool found = geo_pattern_find(&patterns, &inst->value, out);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(e.module);
    return found;
}

static void bits_of_an_id_are_a_pattern(void **state)
{
    struct geo_pattern pattern;
    (void)state;
    assert_true(pattern_of(SpvOpBitwiseXor, 5, NULL, &pattern));
    for (int lane = 0; lane < (int)LANES; lane++) {
        assert_int_equal(pattern.offsets[lane], (lane ^ 5) - 5);
    }
    assert_true(pattern_of(SpvOpShiftRightLogical, 2, NULL, &pattern));
    for (int lane = 0; lane < (int)LANES; lane++) {
        assert_int_equal(pattern.offsets[lane], lane >> 2);
    }
}

static void a_mask_below_a_multiple_takes_all_lanes(void **state)
{
    struct geo_pattern pattern;
    const struct geo_assumption multiple = {.zeros = 4}, less = {.zeros = 3}, eight = {.number = 8};
    int64_t stride;
    (void)state;
    assert_true(pattern_of(SpvOpBitwiseAnd, 0, &multiple, &pattern));
    assert_true(geo_pattern_is_stride(&pattern, LANES, &stride));
    assert_int_equal(stride, 1);
    assert_false(pattern_of(SpvOpBitwiseAnd, 0, &less, &pattern));
    assert_true(pattern_of(SpvOpBitwiseAnd, 0, &eight, &pattern));
    assert_false(geo_pattern_is_stride(&pattern, LANES, &stride));
    for (int lane = 0; lane < (int)LANES; lane++) {
        assert_int_equal(pattern.offsets[lane], lane & 7);
    }
}

/* op(global id * factor, y), in a chunk that is supposed to be aligned */
static bool aligned_pattern_of(unsigned op, uint64_t factor, uint64_t y, struct geo_pattern *out)
{
    struct expressions e;
    struct analysed a;
    struct geo_patterns patterns;
    expressions_make(&e, 1);
    struct geo_ir_inst *index =
        append(&e, SpvOpIMul, &e.insts[0]->value, geo_ir_const_int(e.module, e.types[1], factor));
    struct geo_ir_inst *inst =
        append(&e, op, &index->value, geo_ir_const_int(e.module, e.types[1], y));
    analyse(&a, e.function);
    assert_true(geo_patterns_init(&patterns, e.function, &a.shapes, NULL, &a.arena));
    assert_false(geo_pattern_find(&patterns, &inst->value, out));
    assert_true(geo_patterns_init(&patterns, e.function, &a.shapes, NULL, &a.arena));
    patterns.aligns = true;
    bool found = geo_pattern_find(&patterns, &inst->value, out);
    assert_true(!found || out->aligned == &index->value);
    geo_arena_finish(&a.arena);
    geo_ir_module_destroy(e.module);
    return found;
}

static void aligned_chunks_of_global_ids_have_patterns(void **state)
{
    struct geo_pattern pattern;
    (void)state;
    assert_true(aligned_pattern_of(SpvOpBitwiseAnd, 1, ~UINT64_C(1), &pattern));
    assert_int_equal(1 << pattern.aligned_zeros, LANES);
    for (int lane = 0; lane < (int)LANES; lane++) {
        assert_int_equal(pattern.offsets[lane], lane & ~1);
    }
    assert_true(aligned_pattern_of(SpvOpSDiv, 1, 4, &pattern));
    for (int lane = 0; lane < (int)LANES; lane++) {
        assert_int_equal(pattern.offsets[lane], lane / 4);
    }
    assert_true(aligned_pattern_of(SpvOpShiftRightArithmetic, 2, 2, &pattern));
    assert_int_equal(1 << pattern.aligned_zeros, 2 * LANES);
    for (int lane = 0; lane < (int)LANES; lane++) {
        assert_int_equal(pattern.offsets[lane], 2 * lane / 4);
    }
    assert_false(aligned_pattern_of(SpvOpSDiv, 1, 3, &pattern));
    assert_false(aligned_pattern_of(SpvOpBitwiseAnd, 3, ~UINT64_C(1), &pattern));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_hold_in_all_lanes),
        cmocka_unit_test(bits_of_an_id_are_a_pattern),
        cmocka_unit_test(a_mask_below_a_multiple_takes_all_lanes),
        cmocka_unit_test(aligned_chunks_of_global_ids_have_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
