/* Decides for each value of a kernel with regions whether it is hoisted and where it is kept. See
 * cut.h. This file emits no code. */
#include "compiler/lower/cpu/frame/cut.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/arith/operation.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/slots.h"
#include "compiler/lower/state/place.h"

#include <string.h>

/* The state of one pass over the blocks of all regions. */
struct sweep {
    struct geo_lower_function *f;
    struct geo_lower_cut *cut;
    uint32_t *listed; /* by value index: the last region that lists it, + 1 */
    uint32_t at;      /* index of the current region */
    bool fill;        /* true: fill the lists; false: count their entries */
};

bool geo_frame_cut_is_group(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                            const struct geo_ir_value *value)
{
    return geo_shape_of(cut->group, value).kind == GEO_SHAPE_UNIFORM &&
           geo_shape_of(f->body.shapes, value).kind == GEO_SHAPE_UNIFORM;
}

bool geo_frame_cut_is_outside(const struct geo_lower_function *f, uint32_t position)
{
    const struct geo_lower_cut *cut = f->frame->split.cut;
    return cut && cut->current != &cut->all[cut->regions->of[position]];
}

static const struct geo_ir_inst *as_inst(const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST ? (const struct geo_ir_inst *)value : NULL;
}

static uint32_t region_of(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                          const struct geo_ir_block *block)
{
    return cut->regions->of[f->frame->code->loops.position[block->index]];
}

static bool is_head(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                    const struct geo_ir_block *block)
{
    const struct geo_barrier_region *region = &cut->regions->list[region_of(f, cut, block)];
    return f->frame->code->loops.order[region->positions[0]] == block;
}

static bool is_head_phi(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                        const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpPhi && is_head(f, cut, inst->block);
}

/* ---- hoisting ---- */

/* Returns whether an instruction can be hoisted: it has no memory access, trap or side effect. In
 * regions that only the group runs, loads are hoisted as well. */
static bool is_hoistable(const struct geo_ir_inst *inst)
{
    if (geo_op_is(inst->op, GEO_IS_INTEGER_DIVISION) || geo_ir_has_effect(inst)) {
        return false;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case GEO_OP_PTR_ADD:
        return true;
    default:
        return geo_arith_operation_find(inst->op) || geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN);
    }
}

bool geo_frame_cut_is_there(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                            uint32_t at, const struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = as_inst(value);
    return !inst || (geo_frame_cut_is_group(f, cut, value) &&
                     (geo_frame_is_ambient(f, value) || cut->hoisted[value->index] ||
                      region_of(f, cut, inst->block) != at || is_head_phi(f, cut, inst)));
}

/* Marks the instructions of `block` that the group computes once. */
static void hoist(struct sweep *sweep, const struct geo_ir_block *block)
{
    bool own = sweep->cut->all[sweep->at].region->own;
    for (const struct geo_ir_inst *inst = block->first; inst != block->last; inst = inst->next) {
        bool all = !geo_frame_is_ambient(sweep->f, &inst->value) && inst->op != SpvOpPhi &&
                   (own || is_hoistable(inst)) &&
                   geo_frame_cut_is_group(sweep->f, sweep->cut, &inst->value);
        for (uint32_t i = 0; all && i < inst->operand_count; i++) {
            all = geo_frame_cut_is_there(sweep->f, sweep->cut, sweep->at, inst->operands[i]);
        }
        sweep->cut->hoisted[inst->value.index] |= all;
    }
}

/* ---- values that pass between regions ---- */

/* Returns whether an edge from the region of `block` leads to the phi. Chunks then write the phi at
 * the end of that region, even if they leave by another edge. */
static bool is_written_with(const struct sweep *sweep, const struct geo_ir_value *value,
                            const struct geo_ir_block *block)
{
    const struct geo_ir_inst *phi = as_inst(value);
    const struct geo_cfg *cfg = &sweep->f->frame->code->cfg;
    if (!is_head_phi(sweep->f, sweep->cut, phi)) {
        return false;
    }
    const struct geo_cfg_edges *preds = &cfg->preds[phi->block->index];
    for (uint32_t i = 0; i < preds->count; i++) {
        if (geo_cfg_reachable(cfg, preds->blocks[i]) &&
            region_of(sweep->f, sweep->cut, preds->blocks[i]) ==
                region_of(sweep->f, sweep->cut, block)) {
            return true;
        }
    }
    return false;
}

/* Makes phis with one operand share the operand's place. Most of them are phis at the exits of
 * loops. */
static void hand_on(struct sweep *sweep, const struct geo_ir_block *block)
{
    const struct geo_lower_function *f = sweep->f;
    for (const struct geo_ir_inst *phi = block->first; phi && phi->op == SpvOpPhi;
         phi = phi->next) {
        const struct geo_ir_value *value = phi->operands[0];
        struct geo_shape own = geo_shape_of(f->body.shapes, &phi->value);
        struct geo_shape other = geo_shape_of(f->body.shapes, value);
        if (phi->operand_count == 1 && is_head_phi(f, sweep->cut, phi) && as_inst(value) &&
            !geo_frame_is_ambient(f, value) &&
            !geo_frame_cut_is_group(f, sweep->cut, &phi->value) &&
            !geo_frame_cut_is_group(f, sweep->cut, value) && own.kind == other.kind &&
            own.stride == other.stride &&
            !is_written_with(sweep, geo_frame_slot_root(sweep->cut, value), phi->targets[0])) {
            sweep->cut->handed_on[phi->value.index] = value;
        }
    }
}

/* Records that `value` has to be kept for another region. */
static void keep(struct sweep *sweep, const struct geo_ir_value *value)
{
    bool group = geo_frame_cut_is_group(sweep->f, sweep->cut, value);
    GEO_ASSERT(sweep->cut->kept[value->index] == GEO_KEPT_NOT ||
               (sweep->cut->kept[value->index] == GEO_KEPT_GROUP) == group);
    sweep->cut->kept[value->index] = group ? GEO_KEPT_GROUP : GEO_KEPT_CHUNK;
    sweep->cut->kept[geo_frame_slot_root(sweep->cut, value)->index] =
        sweep->cut->kept[value->index];
}

/* Adds `value` to the values that the current region reads. */
static void list_read(struct sweep *sweep, const struct geo_ir_value *value)
{
    struct geo_lower_region *region = &sweep->cut->all[sweep->at];
    if (sweep->listed[value->index] == sweep->at + 1) {
        return;
    }
    sweep->listed[value->index] = sweep->at + 1;
    keep(sweep, value);
    bool group = sweep->cut->kept[value->index] == GEO_KEPT_GROUP;
    uint32_t *count = group ? &region->read_count : &region->in_count;
    if (sweep->fill && group) {
        region->reads[*count] = value;
    } else if (sweep->fill) {
        region->in[*count].value = value;
    }
    ++*count;
}

/* Notes that the current region uses `value`, which may come from another region. */
static void use(struct sweep *sweep, const struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = as_inst(value);
    if (inst && !geo_frame_is_ambient(sweep->f, value) &&
        region_of(sweep->f, sweep->cut, inst->block) != sweep->at) {
        list_read(sweep, value);
    }
}

/* Keeps a value that chunks compute and the group reads after the region. */
static void use_behind(struct sweep *sweep, const struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = as_inst(value);
    if (inst && !geo_frame_is_ambient(sweep->f, value) && !sweep->cut->hoisted[value->index]) {
        keep(sweep, value);
    }
}

/* Adds `value` to the values that the current region writes, if it is kept in the record. */
static void list_out(struct sweep *sweep, const struct geo_ir_value *value)
{
    struct geo_lower_region *region = &sweep->cut->all[sweep->at];
    if (sweep->cut->kept[value->index] != GEO_KEPT_CHUNK || sweep->cut->handed_on[value->index]) {
        return;
    }
    if (sweep->fill) {
        region->out[region->out_count].value = value;
    }
    region->out_count++;
}

static void sweep_edges(struct sweep *sweep, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *succs = &sweep->f->frame->code->cfg.succs[block->index];
    bool alone = sweep->cut->all[sweep->at].region->exits == 1;
    for (uint32_t s = 0; s < succs->count; s++) {
        bool exit = is_head(sweep->f, sweep->cut, succs->blocks[s]);
        for (const struct geo_ir_inst *phi = succs->blocks[s]->first; phi && phi->op == SpvOpPhi;
             phi = phi->next) {
            const struct geo_ir_value *operand = phi->operands[succs->places[s]];
            use(sweep, operand);
            if (exit && alone && geo_frame_cut_is_group(sweep->f, sweep->cut, &phi->value)) {
                use_behind(sweep, operand);
            }
        }
    }
}

static void sweep_uses(struct sweep *sweep, const struct geo_ir_block *block)
{
    const struct geo_barrier_region *region = sweep->cut->all[sweep->at].region;
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        for (uint32_t i = 0; inst->op != SpvOpPhi && i < inst->operand_count; i++) {
            use(sweep, inst->operands[i]);
        }
        if (is_head_phi(sweep->f, sweep->cut, inst)) {
            list_read(sweep, &inst->value);
        }
    }
    if (region->branches && sweep->f->frame->code->loops.order[region->last] == block) {
        use_behind(sweep, block->last->operands[0]);
    }
    sweep_edges(sweep, block);
}

/* Lists the values that leave the region through `block`. All uses must be known. A phi that
 * several heads have as successor may be listed twice. */
static void sweep_outs(struct sweep *sweep, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *succs = &sweep->f->frame->code->cfg.succs[block->index];
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        if (!is_head_phi(sweep->f, sweep->cut, inst)) {
            list_out(sweep, &inst->value);
        }
    }
    for (uint32_t s = 0; s < succs->count; s++) {
        for (const struct geo_ir_inst *phi = succs->blocks[s]->first;
             phi && phi->op == SpvOpPhi && is_head(sweep->f, sweep->cut, succs->blocks[s]);
             phi = phi->next) {
            list_out(sweep, &phi->value);
        }
    }
}

/* ---- regions with work for chunks ---- */

static bool inst_works(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                       const struct geo_ir_inst *inst)
{
    return inst != inst->block->last && inst->op != SpvOpNop && inst->op != SpvOpControlBarrier &&
           inst->op != SpvOpLifetimeStart && inst->op != SpvOpLifetimeStop &&
           !geo_frame_is_ambient(f, &inst->value) && !cut->hoisted[inst->value.index] &&
           !is_head_phi(f, cut, inst);
}

bool geo_frame_cut_block_works(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                               const struct geo_lower_region *region,
                               const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[block->index];
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        if (inst_works(f, cut, inst)) {
            return true;
        }
    }
    for (uint32_t s = 0; s < succs->count; s++) {
        const struct geo_ir_inst *phi = succs->blocks[s]->first;
        if (region->region->exits > 1 && phi && phi->op == SpvOpPhi) {
            return true;
        }
    }
    return false;
}

/* ---- all regions ---- */

typedef void (*sweep_fn)(struct sweep *sweep, const struct geo_ir_block *block);

static void sweep_all(struct sweep *sweep, sweep_fn visit)
{
    for (sweep->at = 0; sweep->at < sweep->cut->regions->count; sweep->at++) {
        const struct geo_barrier_region *region = &sweep->cut->regions->list[sweep->at];
        for (uint32_t i = 0; i < region->count; i++) {
            visit(sweep, sweep->f->frame->code->loops.order[region->positions[i]]);
        }
    }
}

static void note_work(struct sweep *sweep, const struct geo_ir_block *block)
{
    struct geo_lower_region *region = &sweep->cut->all[sweep->at];
    region->works = region->works || region->out_count ||
                    geo_frame_cut_block_works(sweep->f, sweep->cut, region, block);
}

static bool lists_make(struct sweep *sweep)
{
    struct geo_arena *arena = sweep->f->arena;
    for (uint32_t i = 0; i < sweep->cut->regions->count; i++) {
        struct geo_lower_region *region = &sweep->cut->all[i];
        region->reads = geo_arena_array(arena, region->read_count + 1, sizeof(*region->reads));
        region->in = geo_arena_new_array(arena, struct geo_lower_saved, region->in_count + 1);
        region->out = geo_arena_new_array(arena, struct geo_lower_saved, region->out_count + 1);
        if (!region->reads || !region->in || !region->out) {
            return false;
        }
        region->read_count = region->in_count = region->out_count = 0;
    }
    memset(sweep->listed, 0, (sweep->f->function->value_count + 1) * sizeof(*sweep->listed));
    return true;
}

/* Returns whether the chunks of a region run in descending order. A barrier of the item itself
 * marks such a region (transform/memory/chunk_order.c). */
static bool descends(const struct geo_lower_function *f, const struct geo_barrier_region *region)
{
    for (uint32_t i = 0; f->function->descending && i < region->count; i++) {
        const struct geo_ir_block *block = f->frame->code->loops.order[region->positions[i]];
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpControlBarrier && !geo_barrier_is_group_wide(inst)) {
                return true;
            }
        }
    }
    return false;
}

bool geo_frame_cut_descends(const struct geo_lower_function *f)
{
    const struct geo_lower_cut *cut = f->frame->split.cut;
    return cut && cut->current ? cut->current->descending : f->function->descending;
}

static bool cut_create(struct geo_lower_function *f, struct geo_lower_cut *cut, struct sweep *sweep)
{
    uint32_t values = f->function->value_count + 1;
    cut->all = geo_arena_new_array(f->arena, struct geo_lower_region, cut->regions->count);
    cut->kept = geo_arena_new_array(f->arena, uint8_t, values);
    cut->emitted = geo_arena_new_array(f->arena, uint32_t, values);
    cut->hoisted = geo_arena_new_array(f->arena, bool, values);
    cut->offsets = geo_arena_array(f->arena, values, sizeof(*cut->offsets));
    cut->handed_on = geo_arena_array(f->arena, values, sizeof(*cut->handed_on));
    cut->homes = geo_arena_array(f->arena, values, sizeof(*cut->homes));
    sweep->listed = geo_arena_new_array(f->arena, uint32_t, values);
    for (uint32_t i = 0; cut->all && i < cut->regions->count; i++) {
        cut->all[i].region = &cut->regions->list[i];
        cut->all[i].descending = descends(f, &cut->regions->list[i]);
    }
    return cut->all && cut->emitted && cut->kept && cut->hoisted && cut->offsets &&
           cut->handed_on && cut->homes && sweep->listed;
}

bool geo_frame_cut_make(struct geo_lower_function *f)
{
    struct geo_lower_cut *cut = geo_arena_new(f->arena, struct geo_lower_cut);
    struct sweep sweep = {.f = f, .cut = cut};
    uint64_t total = f->frame->layout.chunk_bytes;
    if (cut) {
        *cut = (struct geo_lower_cut){.regions = &f->frame->split.regions,
                                      .group = &f->frame->split.group};
    }
    if (!cut || !cut_create(f, cut, &sweep)) {
        geo_state_no_memory(f);
        return false;
    }
    sweep_all(&sweep, hoist);
    sweep_all(&sweep, hand_on);
    sweep_all(&sweep, sweep_uses);
    sweep_all(&sweep, sweep_outs);
    if (!lists_make(&sweep)) {
        geo_state_no_memory(f);
        return false;
    }
    sweep.fill = true;
    sweep_all(&sweep, sweep_uses);
    sweep_all(&sweep, sweep_outs);
    if (!geo_frame_slots_place(f, cut, &total)) {
        return false;
    }
    sweep_all(&sweep, note_work);
    GEO_ASSERT(total >= f->frame->layout.chunk_bytes && cut->all[0].region->positions[0] == 0);
    f->frame->layout.chunk_bytes = geo_place_round_up(total, GEO_ABI_SCRATCH_ALIGN);
    f->frame->split.cut = cut;
    return true;
}
