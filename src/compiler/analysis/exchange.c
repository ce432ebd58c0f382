/* Compares each store to local memory with each load that control reaches behind it before a
 * barrier. See exchange.h. */
#include "compiler/analysis/exchange.h"

#include "compiler/analysis/address.h"
#include "compiler/analysis/ranges.h"
#include "compiler/ir/grammar.h"

/* Bounds on the comparisons of one kernel, and on the blocks that are visited for them. Bounds on
 * the instructions of an address that are compared, and on the steps between a pointer and its
 * object. Beyond them, accesses count as exchanging. */
#define PAIRS_LIMIT 4096u
#define WALK_LIMIT  (1u << 18)
#define DEPTH_LIMIT 6u
#define STEPS_LIMIT 16u
/* Bounds on the terms of an address, on the instructions of a sum, and on factors. Beyond them, an
 * item's places count as those of others. */
#define TERMS_LIMIT 8u
#define SUM_DEPTH   12u
#define SCALE_LIMIT (1u << 20)
/* Largest number of items that programs take to run in step. */
#define STEP_ITEMS 32u
/* Least distance of rows in which an item has places of its own. */
#define ROW_BYTES 32u

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

/* ---- places of one item ---- */

/* A part of an address: value * scale, in bytes. */
struct term {
    struct geo_ir_value *value;
    uint64_t scale;
};

/* An address as a sum of terms and a constant. */
struct sum {
    struct term terms[TERMS_LIMIT];
    uint32_t count;
    int64_t constant;
    bool known; /* false: too many terms */
};

/* Returns the factor of operand `i` in a sum; 0 for other instructions than sums. */
static uint64_t scale_of(const struct geo_ir_inst *inst, uint32_t i)
{
    bool converts = inst->op == SpvOpSConvert || inst->op == SpvOpUConvert;
    bool adds = inst->op == SpvOpIAdd || inst->op == SpvOpIMul ||
                inst->op == SpvOpShiftLeftLogical || geo_op_is(inst->op, GEO_IS_POINTER_STEP);
    return converts ? 1 : adds ? geo_address_scale(inst, i) : 0;
}

static void sum_add(struct sum *sum, struct geo_ir_value *value, uint64_t scale, uint32_t depth)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    int64_t constant;
    if (geo_ranges_constant_signed(value, &constant)) {
        sum->constant = (int64_t)((uint64_t)sum->constant + (uint64_t)constant * scale);
        return;
    }
    if (inst && depth && scale_of(inst, 0)) {
        uint32_t count = geo_address_operands(inst);
        for (uint32_t i = 0; i < (count ? count : 1) && sum->known; i++) {
            uint64_t by = scale_of(inst, i);
            sum->known = by != 0;
            sum_add(sum, inst->operands[i], scale * by, depth - 1);
        }
        return;
    }
    sum->known = sum->known && sum->count < TERMS_LIMIT;
    if (sum->known) {
        sum->terms[sum->count++] = (struct term){value, scale};
    }
}

/* Removes a term that equals this one. Returns whether it was found. */
static bool term_remove(struct sum *sum, const struct term *term)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        if (sum->terms[i].scale == term->scale &&
            same_value(sum->terms[i].value, term->value, DEPTH_LIMIT)) {
            sum->terms[i] = sum->terms[--sum->count];
            return true;
        }
    }
    return false;
}

/* Removes the terms that two addresses share and that do not vary, and sets *stride to how they
 * differ from item to item. Returns false if that is unknown. */
static bool shared_remove(const struct geo_shapes *shapes, struct sum *x, struct sum *y,
                          int64_t *stride)
{
    uint32_t i = 0;
    *stride = 0;
    while (x->known && y->known && i < x->count) {
        struct term term = x->terms[i];
        struct geo_shape shape = geo_shape_of(shapes, term.value);
        if (shape.kind == GEO_SHAPE_VARYING || !term_remove(y, &term)) {
            i++;
            continue;
        }
        if (term.scale > SCALE_LIMIT || shape.stride > (int64_t)SCALE_LIMIT ||
            shape.stride < -(int64_t)SCALE_LIMIT) {
            return false;
        }
        *stride += shape.kind == GEO_SHAPE_STRIDED ? shape.stride * (int64_t)term.scale : 0;
        x->terms[i] = x->terms[--x->count];
    }
    return x->known && y->known;
}

/* Returns whether an item's places seem to be its own, such as a stack at t[lid][depth] or
 * t[depth * 64 + lid]. The load and the store are apart by less than the distance of two items, or
 * by a multiple of the distance of STEP_ITEMS items. */
static bool are_own(const struct geo_shapes *shapes, struct geo_ir_value *a, struct geo_ir_value *b)
{
    struct sum x = {.known = true}, y = {.known = true};
    int64_t stride;
    sum_add(&x, a, 1, SUM_DEPTH);
    sum_add(&y, b, 1, SUM_DEPTH);
    if (!shared_remove(shapes, &x, &y, &stride) || stride == 0) {
        return false;
    }
    uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    uint64_t between = (uint64_t)x.constant - (uint64_t)y.constant;
    between = (int64_t)between < 0 ? -between : between;
    bool far = between % (STEP_ITEMS * step) == 0;
    for (uint32_t i = 0; i < x.count + y.count; i++) {
        const struct term *term = i < x.count ? &x.terms[i] : &y.terms[i - x.count];
        far = far && term->scale % (STEP_ITEMS * step) == 0;
    }
    return far || (between < step && (step >= ROW_BYTES || x.count + y.count == 0));
}

/* Returns whether a load and a store are based on one object, or may be, at different addresses. */
static bool may_exchange(const struct geo_shapes *shapes, const struct place *load,
                         const struct place *store)
{
    const struct geo_address_access *a = &load->address, *b = &store->address;
    if (load->object && store->object && load->object != store->object) {
        return false;
    }
    bool offsets = a->offset && b->offset
                       ? a->scale == b->scale && same_value(a->offset, b->offset, DEPTH_LIMIT)
                       : !a->offset && !b->offset;
    return !offsets || (!same_value(a->pointer, b->pointer, DEPTH_LIMIT) &&
                        !are_own(shapes, a->pointer, b->pointer));
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
                       const struct geo_shapes *shapes, struct geo_arena *arena, bool *exchanges)
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
                         may_exchange(shapes, &p.loads[i], &p.stores[k]);
        }
    }
    return true;
}
