/* Gives loads at clamped indexes a case without the clamp, and loads at indexes that wrap around a
 * case in which no lane wraps (periods.h).
 *
 *     a[max(i - 1, 0)]      -->      if (all lanes: i - 1 >= 0) a[i - 1] else a[max(i - 1, 0)]
 *
 * An index that moves evenly from lane to lane stays consecutive in the first case. A clamped one
 * does not, although only the chunks at a border are clamped: each load is a gather. The question
 * (GEO_OP_ALL_LANES) is the same for all lanes, so the branch needs no mask.
 *
 *     block:  ... v = load at ...      -->      block:  ... branch all ? inside : border
 *                                               inside: load at' (a copy of the address)
 *                                               border: load at
 *                                               rest:   v = phi ...
 *
 * Clamps are the functions min, max and clamp, and selections by a comparison. Below, "clamp" also
 * means an instruction that wraps an index around. */
#include "compiler/transform/memory/slice.h"

#include "compiler/ir/debug.h"

#define LOAD_LIMIT  24u                                   /* loads with two cases in one function */
#define TOTAL_LIMIT (GEO_LIMIT_FUNCTION_INSTRUCTIONS / 4) /* of a function that is looked at */
#define LANES       8u                                    /* lanes for which shapes are computed */

/* ---- one load ---- */

/* Splits the block at a load, and replaces the load by one for each case. */
static bool load_split(struct geo_pass *pass, struct geo_ir_inst *load, struct geo_slice *s)
{
    struct geo_ir_block *block = load->block;
    struct geo_ir_block *inside = geo_ir_block_create(block->function, block);
    struct geo_ir_block *border = inside ? geo_ir_block_create(block->function, inside) : NULL;
    struct geo_ir_block *rest = border ? geo_ir_block_create(block->function, border) : NULL;
    if (!rest) {
        return geo_pass_no_memory(pass);
    }
    geo_block_move_insts(load->next, rest);
    for (uint32_t i = 0; i < rest->last->target_count; i++) {
        geo_edge_moved(rest->last->targets[i], block, rest);
    }
    struct geo_ir_inst *branch =
        geo_make(pass, load, SpvOpBranchConditional, pass->type_void, 1, 0, 2);
    struct geo_ir_inst *phi = geo_make_phi(pass, rest, load->value.type, 2);
    struct geo_ir_inst *loads[2] = {geo_make_copy(pass, load), geo_make_copy(pass, load)};
    if (!branch || !phi || !loads[0] || !loads[1] || !geo_make_branch(pass, inside, rest, load) ||
        !geo_make_branch(pass, border, rest, load)) {
        return false;
    }
    branch->operands[0] = geo_slice_ask(s, branch);
    branch->targets[0] = inside;
    branch->targets[1] = border;
    geo_ir_inst_insert_before(inside->last, loads[0]);
    geo_ir_inst_insert_before(border->last, loads[1]);
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->clamps[i] && !geo_slice_copy(s, i, loads[0])) {
            return false;
        }
    }
    if (!branch->operands[0]) {
        return false;
    }
    loads[0]->operands[0] = geo_slice_inside(s, load->operands[0]);
    loads[1]->operands[0] = load->operands[0];
    geo_phi_add(phi, &loads[0]->value, inside);
    geo_phi_add(phi, &loads[1]->value, border);
    phi->value.id = load->value.id;
    phi->value.name = load->value.name;
    geo_ir_inst_from(phi, load);
    load->value.forward = &phi->value;
    geo_ir_records_move(load, branch); /* the load is behind the branch */
    geo_ir_inst_remove(load);
    return true;
}

/* ---- the pass ---- */

/* Returns whether a load may have two cases, as far as the load itself says. */
static bool is_candidate(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    return inst->op == SpvOpLoad && !(inst->memory_flags & SpvMemoryAccessVolatileMask) &&
           (type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT);
}

/* Lists the loads to look at, and finds out whether the function clamps anything. */
static uint32_t candidates_list(const struct geo_ir_function *function,
                                struct geo_ir_inst **candidates, bool *clamps)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            *clamps = *clamps || geo_slice_is_clamp(inst) || geo_period_wraps(inst) ||
                      (inst->op == SpvOpSelect && inst->value.type->kind == GEO_TYPE_INT);
            if (is_candidate(inst)) {
                candidates[count++] = inst;
            }
        }
    }
    return count;
}

static bool function_clamps_split(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    const struct geo_shape_options options = {.lanes = LANES, .ids_fit_31_bits = true};
    uint32_t total = geo_pass_instruction_count(function), done = 0;
    bool clamps = false;
    struct geo_ir_inst **loads = geo_arena_new_array(&pass->arena, struct geo_ir_inst *, total + 1);
    struct geo_slice_periods *periods =
        geo_arena_new_array(&pass->arena, struct geo_slice_periods, 1);
    if (!loads || !periods) {
        return geo_pass_no_memory(pass);
    }
    uint32_t count = total > TOTAL_LIMIT ? 0 : candidates_list(function, loads, &clamps);
    if (!clamps || count == 0) {
        return true;
    }
    geo_ir_function_number(function);
    if (!geo_cfg_build(function, &pass->arena, &cfg) ||
        !geo_dominators_compute(&cfg, &pass->arena, &tree) ||
        !geo_loops_compute(&tree, &pass->arena, &loops) ||
        !geo_shapes_compute(&loops, &options, &pass->arena, &shapes)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < count && done < LOAD_LIMIT; i++) {
        struct geo_ir_value *pointer = loads[i]->operands[0];
        /* In local memory gathers cost less. Most indexes that wrap there belong to sorts and
           transforms, whose regions have copies without (lower/cpu/function/assumed.c). */
        bool near = pointer->type->storage == SpvStorageClassWorkgroup;
        struct geo_slice s = {.pass = pass, .shapes = &shapes, .periods = near ? NULL : periods};
        if (geo_slice_add(&s, pointer) && s.bound_count > 0) {
            done++;
            if (!load_split(pass, loads[i], &s)) {
                return false;
            }
        }
    }
    geo_ir_function_resolve(function);
    geo_ir_function_number(function);
    /* periods of loads that stay as they were */
    return periods->count == 0 || geo_remove_dead(pass, function);
}

ze_result_t geo_transform_clamps(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block && !function->irreducible && !module->concurrent_items) {
            good = function_clamps_split(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
