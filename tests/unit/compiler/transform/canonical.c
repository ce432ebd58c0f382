/* Unit tests of the compiler's passes: checks of the canonical form. See canonical.h. */
#include "canonical.h"

#include "compiler/analysis/loops.h"
#include "compiler/analysis/uses.h"
#include "compiler/transform/transform.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_one_return(const struct geo_ir_function *function)
{
    uint32_t returns = 0;
    geo_ir_for_each_block(block, function) {
        SpvOp op = block->last->op;
        assert_true(op != SpvOpUnreachable && op != SpvOpKill);
        returns += op == SpvOpReturn || op == SpvOpReturnValue;
    }
    assert_true(returns <= 1);
}

static void assert_loop(const struct geo_loops *loops, const struct geo_loop *loop)
{
    assert_int_equal(loop->latch_count, 1);
    assert_non_null(geo_loop_preheader(loops, loop));
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        const struct geo_cfg_edges *preds = &loops->cfg->preds[loop->exits[i].to->index];
        for (uint32_t p = 0; p < preds->count; p++) {
            assert_true(geo_loop_contains(loops, loop, preds->blocks[p]));
        }
    }
}

/* No value of a loop is used outside but by phis of its exits. */
static void assert_closed(const struct geo_loops *loops, const struct geo_uses *uses,
                          const struct geo_ir_inst *inst)
{
    uint32_t count;
    const struct geo_use *use = geo_uses_of(uses, &inst->value, &count);
    const struct geo_loop *loop = loops->of[inst->block->index];
    for (uint32_t i = 0; loop && i < count; i++) {
        const struct geo_ir_inst *user = use[i].user;
        const struct geo_ir_block *at =
            user->op == SpvOpPhi ? user->targets[use[i].operand] : user->block;
        assert_true(geo_loop_contains(loops, loop, at));
    }
}

static void assert_function(struct geo_ir_function *function, struct geo_arena *arena)
{
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_uses uses;
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, arena, &cfg));
    assert_true(geo_dominators_compute(&cfg, arena, &tree));
    assert_true(geo_loops_compute(&tree, arena, &loops));
    assert_true(geo_uses_build(function, arena, &uses));
    assert_int_equal(cfg.reachable_count, cfg.block_count);
    assert_one_return(function);
    assert_int_equal(function->irreducible, loops.irreducible);
    for (uint32_t i = 0; i < loops.count && !loops.irreducible; i++) {
        assert_loop(&loops, loops.loops[i]);
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (!loops.irreducible) {
                assert_closed(&loops, &uses, inst);
            }
            assert_true(inst->op != SpvOpVariable || block == function->first_block);
        }
    }
}

void assert_canonical(struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        struct geo_arena arena;
        geo_arena_init(&arena, 0);
        if (function->first_block) {
            assert_function(function, &arena);
        }
        geo_arena_finish(&arena);
    }
}

void canonical_make(struct geo_ir_module *module)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    if (geo_transform_canonicalize(module, true, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    support_assert_valid(module);
    assert_canonical(module);
}

void canonical_expect_loads(const char *assembly, uint32_t vectors, uint32_t others)
{
    struct geo_ir_module *module = support_assemble(assembly);
    uint32_t found = 0;
    canonical_make(module);
    geo_ir_for_each_block(block, module->first_function) {
        geo_ir_for_each_inst(inst, block) {
            found += inst->op == SpvOpLoad && inst->value.type->kind == GEO_TYPE_VECTOR;
        }
    }
    assert_int_equal(found, vectors);
    assert_int_equal(support_count(module, NULL, SpvOpLoad) - found, others);
    geo_ir_module_destroy(module);
}
