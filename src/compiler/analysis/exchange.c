/* Compares each store to local memory with each load that control reaches behind it before a
 * barrier. See exchange.h. */
#include "compiler/analysis/exchange.h"

#include "compiler/analysis/address.h"
#include "compiler/ir/grammar.h"

/* Bounds on the comparisons of one kernel, and on the blocks that are visited for them. Bounds on
 * the instructions of an address that are compared, and on the steps between a pointer and its
 * object. Beyond them, accesses count as exchanging. */
#define PAIRS_LIMIT 4096u
#define WALK_LIMIT  (1u << 18)
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
    /* By block index: the store whose walk reached the block last, from 1. */
    uint32_t *reached;
    const struct geo_ir_block **stack; /* blocks whose successors the walk has yet to visit */
    uint32_t visits;                   /* of blocks, in all walks */
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

/* ---- behind a store ---- */

/* Marks with `number` the blocks that control enters behind a block before it meets a barrier. */
static void behind_mark(struct places *p, const struct geo_cfg *cfg,
                        const struct geo_barriers *barriers, const struct geo_ir_block *block,
                        uint32_t number)
{
    uint32_t count = 0;
    p->stack[count++] = block;
    while (count && p->visits < WALK_LIMIT) {
        block = p->stack[--count];
        p->visits++;
        const struct geo_cfg_edges *edges = &cfg->succs[block->index];
        bool ends = geo_barrier_of(barriers, block) != GEO_CFG_NONE;
        for (uint32_t i = 0; i < edges->count && !ends; i++) {
            const struct geo_ir_block *to = edges->blocks[i];
            if (p->reached[to->index] != number) {
                p->reached[to->index] = number;
                p->stack[count++] = to;
            }
        }
    }
}

/* Returns whether a load may come behind the store of the last walk. */
static bool is_behind(const struct places *p, const struct geo_ir_inst *load,
                      const struct geo_ir_inst *store, uint32_t number)
{
    return p->reached[load->block->index] == number ||
           (load->block == store->block && load->value.index > store->value.index);
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
    p->reached = geo_arena_new_array(arena, uint32_t, cfg->block_count + 1);
    p->stack = geo_arena_new_array(arena, const struct geo_ir_block *, cfg->block_count + 1);
    if (!p->loads || !p->stores || !p->reached || !p->stack) {
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
    for (uint32_t k = 0; k < p.store_count && !*exchanges; k++) {
        const struct geo_ir_inst *store = p.stores[k].inst;
        behind_mark(&p, cfg, barriers, store->block, k + 1);
        *exchanges = p.visits >= WALK_LIMIT;
        for (uint32_t i = 0; i < p.load_count && !*exchanges; i++) {
            *exchanges = is_behind(&p, p.loads[i].inst, store, k + 1) &&
                         may_exchange(&p.loads[i], &p.stores[k]);
        }
    }
    return true;
}
