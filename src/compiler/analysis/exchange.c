/* Compares each load of local memory with each store between the same barriers. See exchange.h.
 *
 * Blocks belong together if control flow leads from one to the other without a barrier, or from one
 * block to both. In the second case other items may be in the other block. */
#include "compiler/analysis/exchange.h"

#include "compiler/analysis/address.h"
#include "compiler/ir/grammar.h"

/* Bounds on the comparisons of one kernel, on the instructions of an address that are compared, and
 * on steps between a pointer and its object. Beyond them, accesses count as exchanging. */
#define PAIRS_LIMIT 4096u
#define DEPTH_LIMIT 6u
#define STEPS_LIMIT 16u

/* An access to local memory. */
struct place {
    const struct geo_ir_inst *inst;
    struct geo_address_access address;
    const struct geo_ir_value *object; /* variable or parameter; NULL: unknown */
};

/* The accesses of one kernel. */
struct places {
    struct place *loads, *stores;
    uint32_t load_count, store_count;
    uint32_t *region; /* by block index: a block that belongs to it, itself at the end */
};

/* ---- addresses ---- */

/* Sets *object to the variable or parameter that a pointer is based on; NULL: unknown. Returns
 * whether it points to local memory. */
static bool object_find(struct geo_ir_value *pointer, const struct geo_ir_value **object)
{
    bool local = pointer->type->storage == SpvStorageClassWorkgroup;
    const struct geo_ir_inst *inst = geo_ir_as_inst(pointer);
    for (uint32_t i = 0; inst && i < STEPS_LIMIT && geo_op_is(inst->op, GEO_IS_POINTER_STEP); i++) {
        pointer = inst->operands[0];
        local = local || (pointer->type->kind == GEO_TYPE_POINTER &&
                          pointer->type->storage == SpvStorageClassWorkgroup);
        inst = geo_ir_as_inst(pointer);
    }
    *object = inst ? NULL : pointer;
    return local;
}

static bool same_value(struct geo_ir_value *a, struct geo_ir_value *b, uint32_t depth);

/* Returns whether two instructions compute one value, from the same operands. */
static bool same_result(const struct geo_ir_inst *a, const struct geo_ir_inst *b, uint32_t depth)
{
    if (!a || !b || depth == 0 || a->op != b->op || a->value.type != b->value.type ||
        a->operand_count != b->operand_count || a->literal_count != b->literal_count ||
        a->op == SpvOpLoad || a->op == SpvOpPhi || geo_ir_has_effect(a)) {
        return false;
    }
    for (uint32_t i = 0; i < a->literal_count; i++) {
        if (a->literals[i] != b->literals[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->operand_count; i++) {
        if (!same_value(a->operands[i], b->operands[i], depth - 1)) {
            return false;
        }
    }
    return true;
}

static bool same_value(struct geo_ir_value *a, struct geo_ir_value *b, uint32_t depth)
{
    uint64_t x, y;
    if (a == b) {
        return true;
    }
    if (geo_ir_constant_bits(a, &x) && geo_ir_constant_bits(b, &y)) {
        return x == y && a->type == b->type;
    }
    return same_result(geo_ir_as_inst(a), geo_ir_as_inst(b), depth);
}

/* Returns whether a load and a store are based on one object, or may be, at different addresses. */
static bool may_exchange(const struct place *load, const struct place *store)
{
    const struct geo_address_access *a = &load->address, *b = &store->address;
    if (load->object && store->object && load->object != store->object) {
        return false;
    }
    bool offsets = a->offset && b->offset
                       ? a->scale == b->scale && same_value(a->offset, b->offset, DEPTH_LIMIT)
                       : !a->offset && !b->offset;
    return !offsets || !same_value(a->pointer, b->pointer, DEPTH_LIMIT);
}

/* ---- regions ---- */

static uint32_t region_of(uint32_t *region, uint32_t block)
{
    while (region[block] != block) {
        region[block] = region[region[block]]; /* shorten the way for the next search */
        block = region[block];
    }
    return block;
}

static void regions_join(const struct geo_cfg *cfg, const struct geo_barriers *barriers,
                         uint32_t *region)
{
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        region[i] = i;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        const struct geo_ir_block *block = cfg->order[i];
        const struct geo_cfg_edges *edges = &cfg->succs[block->index];
        bool ends = geo_barrier_of(barriers, block) != GEO_CFG_NONE;
        for (uint32_t k = 0; k < edges->count && !ends; k++) {
            uint32_t to = region_of(region, edges->blocks[k]->index);
            region[to] = region_of(region, block->index);
        }
    }
}

/* ---- accesses ---- */

static void place_add(struct places *p, const struct geo_ir_inst *inst)
{
    struct place place = {.inst = inst};
    if (!geo_address_access_of(inst, &place.address) ||
        !object_find(place.address.pointer, &place.object)) {
        return;
    }
    if (inst->value.type->kind == GEO_TYPE_VOID) {
        p->stores[p->store_count++] = place;
    } else {
        p->loads[p->load_count++] = place;
    }
}

static bool places_find(const struct geo_cfg *cfg, struct geo_arena *arena, struct places *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            count++;
        }
    }
    p->loads = geo_arena_new_array(arena, struct place, count + 1);
    p->stores = geo_arena_new_array(arena, struct place, count + 1);
    p->region = geo_arena_new_array(arena, uint32_t, cfg->block_count + 1);
    if (!p->loads || !p->stores || !p->region) {
        return false;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            place_add(p, inst);
        }
    }
    return true;
}

bool geo_exchange_find(const struct geo_cfg *cfg, const struct geo_barriers *barriers,
                       struct geo_arena *arena, bool *exchanges)
{
    struct places p = {0};
    if (!places_find(cfg, arena, &p)) {
        return false;
    }
    *exchanges = (uint64_t)p.load_count * p.store_count > PAIRS_LIMIT;
    regions_join(cfg, barriers, p.region);
    for (uint32_t i = 0; i < p.load_count && !*exchanges; i++) {
        uint32_t region = region_of(p.region, p.loads[i].inst->block->index);
        for (uint32_t k = 0; k < p.store_count && !*exchanges; k++) {
            *exchanges = region == region_of(p.region, p.stores[k].inst->block->index) &&
                         may_exchange(&p.loads[i], &p.stores[k]);
        }
    }
    return true;
}
