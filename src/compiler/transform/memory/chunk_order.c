/* Removes barriers that the order of a work-group's chunks makes needless:
 *
 *     loop                                     loop
 *         v = a[lid] + a[lid + 1]                  v = a[lid] + a[lid + 1]
 *         barrier                      -->
 *         a[lid] = v                               a[lid] = v
 *         barrier                                  barrier
 *
 * One thread runs the chunks of a group one after another, and in a chunk all lanes load before
 * they store. In ascending order, no chunk stores what a later one still has to load. Where items
 * load a[lid - 1], the chunks must run in descending order (struct geo_ir_function). The values
 * between load and store then stay in registers, and the group has half as many loops over chunks.
 *
 * A barrier may go if each pair of accesses of one array around it is in that order: loads before
 * it, and stores behind it. Stores before it stay separate, because a load right behind would wait
 * for them. Several rows would race for the elements, so rows do not matter. */
#include "compiler/transform/pass/pass.h"

#include "compiler/analysis/barriers.h"
#include "compiler/transform/memory/local_element.h"

#define ACCESSES_LIMIT 32u        /* on one side of a barrier */
#define BLOCKS_LIMIT   64u        /* likewise */
#define WALK_LIMIT     16u        /* instructions between a pointer and its array */
#define NOTED_LIMIT    (1u << 18) /* instructions that are looked at in a function, all together */
/* Bound of a number that is doubled, so that it stays positive. */
#define DOUBLED_LIMIT (UINT64_C(1) << 30)

/* Orders of chunks in which a barrier is needless. */
enum orders { ASCENDING = 1u << 0, DESCENDING = 1u << 1 };

/* The accesses of items on one side of a barrier. */
struct side {
    const struct geo_ir_inst *accesses[ACCESSES_LIMIT];
    uint32_t count;
    struct geo_ir_block *blocks[BLOCKS_LIMIT]; /* to visit, or visited */
    uint32_t block_count;
    bool failed; /* too much, or an effect of another kind */
};

struct search {
    struct geo_ir_function *function;
    struct geo_cfg cfg;
    bool *visited;  /* by block index, of the side */
    uint32_t noted; /* instructions that were looked at */
    struct side before, after;
};

/* ---- the two sides of a barrier ---- */

static bool is_flow(const struct geo_ir_inst *inst)
{
    return inst == inst->block->last || inst->op == SpvOpPhi;
}

/* Notes an instruction. Returns whether the side goes on behind it. */
static bool side_note(struct side *side, const struct geo_ir_inst *inst,
                      const struct geo_ir_inst *barrier)
{
    if (geo_barrier_is_group_wide(inst)) {
        side->failed |= inst == barrier; /* a loop without another barrier */
        return false;
    }
    bool access = inst->op == SpvOpLoad || inst->op == SpvOpStore;
    if (!access || inst->memory_flags & SpvMemoryAccessVolatileMask) {
        side->failed |= !is_flow(inst) && geo_ir_has_effect(inst);
    } else if (inst->operands[0]->type->storage != SpvStorageClassFunction) {
        side->failed |= side->count == ACCESSES_LIMIT;
        if (!side->failed) {
            side->accesses[side->count++] = inst;
        }
    }
    return !side->failed;
}

static void side_add(struct search *s, struct side *side, struct geo_ir_block *block)
{
    if (s->visited[block->index]) {
        return;
    }
    side->failed |= side->block_count == BLOCKS_LIMIT;
    if (!side->failed) {
        s->visited[block->index] = true;
        side->blocks[side->block_count++] = block;
    }
}

/* Walks from an instruction to the end of its block, or to its start, and adds the blocks that
 * follow. */
static void side_walk(struct search *s, struct side *side, const struct geo_ir_inst *inst,
                      const struct geo_ir_inst *barrier, const struct geo_ir_block *block,
                      bool back)
{
    for (; inst; inst = back ? inst->prev : inst->next) {
        side->failed |= s->noted++ > NOTED_LIMIT;
        if (side->failed || !side_note(side, inst, barrier)) {
            return;
        }
    }
    const struct geo_cfg_edges *edges = (back ? s->cfg.preds : s->cfg.succs) + block->index;
    for (uint32_t i = 0; i < edges->count; i++) {
        side_add(s, side, edges->blocks[i]);
    }
}

/* Collects what items access between this barrier and the ones before it, or behind it. */
static void side_collect(struct search *s, struct side *side, const struct geo_ir_inst *barrier,
                         bool back)
{
    side->count = side->block_count = 0;
    side->failed = false;
    side_walk(s, side, back ? barrier->prev : barrier->next, barrier, barrier->block, back);
    for (uint32_t i = 0; i < side->block_count && !side->failed; i++) {
        const struct geo_ir_block *block = side->blocks[i];
        side_walk(s, side, back ? block->last : block->first, barrier, block, back);
    }
    for (uint32_t i = 0; i < side->block_count; i++) {
        s->visited[side->blocks[i]->index] = false;
    }
}

/* ---- numbers that are not negative ---- */

/* Returns whether a step is only taken while its result or the number before it is below
 * DOUBLED_LIMIT: its block branches to the phi's under this condition. */
static bool is_bounded(const struct geo_ir_inst *phi, const struct geo_ir_inst *step,
                       const struct geo_ir_block *from)
{
    const struct geo_ir_inst *branch = from->last;
    const struct geo_ir_inst *compare =
        branch->op == SpvOpBranchConditional ? geo_ir_as_inst(branch->operands[0]) : NULL;
    uint64_t limit;
    return compare && compare->operand_count == 2 && branch->targets[0] == phi->block &&
           branch->targets[1] != phi->block &&
           (compare->operands[0] == &step->value || compare->operands[0] == &phi->value) &&
           (compare->op == SpvOpSLessThan || compare->op == SpvOpULessThan) &&
           geo_ir_constant_bits(compare->operands[1], &limit) && limit <= DOUBLED_LIMIT;
}

/* Returns whether a step from a number that is not negative gives another such number. */
static bool step_is_positive(const struct geo_ir_inst *phi, const struct geo_ir_value *value,
                             const struct geo_ir_block *from)
{
    const struct geo_ir_inst *step = geo_ir_as_inst((struct geo_ir_value *)value);
    uint64_t number;
    if (!step || step->operand_count != 2 || step->operands[0] != &phi->value ||
        !geo_ir_constant_bits(step->operands[1], &number)) {
        return false;
    }
    switch (step->op) {
    case SpvOpShiftLeftLogical:
        return number == 1 && is_bounded(phi, step, from);
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return number < value->type->width;
    default:
        return false;
    }
}

/* Returns whether a distance is not negative: a constant, or one that is doubled or halved in each
 * turn of a loop. */
static bool is_positive(const struct geo_ir_value *value)
{
    const struct geo_ir_inst *phi = geo_ir_as_inst((struct geo_ir_value *)value);
    if (!phi || phi->op != SpvOpPhi) {
        return false;
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        uint64_t number;
        bool constant = geo_ir_constant_bits(phi->operands[i], &number);
        if (constant ? number >= DOUBLED_LIMIT
                     : !step_is_positive(phi, phi->operands[i], phi->targets[i])) {
            return false;
        }
    }
    return true;
}

/* ---- pairs of accesses ---- */

static const struct geo_ir_type *type_of(const struct geo_ir_inst *access)
{
    return access->op == SpvOpLoad ? access->value.type : access->operands[1]->type;
}

/* Returns the array that a pointer to local memory points into, or NULL if that is unknown. */
static const struct geo_ir_value *array_of(struct geo_ir_value *pointer)
{
    for (uint32_t i = 0; i < WALK_LIMIT; i++) {
        struct geo_ir_inst *inst = geo_ir_as_inst(pointer);
        if (!inst) {
            return pointer->kind == GEO_VALUE_VARIABLE || pointer->kind == GEO_VALUE_PARAMETER
                       ? pointer
                       : NULL;
        }
        if (!geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN) && inst->op != SpvOpBitcast &&
            inst->op != SpvOpCopyObject && inst->op != (SpvOp)GEO_OP_PTR_ADD) {
            return NULL;
        }
        pointer = inst->operands[0];
    }
    return NULL;
}

/* Returns the orders that keep a load before a store of the same array. */
static uint32_t pair_orders(const struct geo_ir_inst *load, const struct geo_ir_inst *store)
{
    uint64_t size = type_of(load)->size;
    struct geo_local_element from, to;
    if (type_of(store)->size != size || size == 0 || load->op != SpvOpLoad ||
        !geo_local_element(load->operands[0], size, &from) ||
        !geo_local_element(store->operands[0], size, &to) || to.less ||
        (from.less && !is_positive(from.less))) {
        return 0;
    }
    /* The item that stores what an item loads has an id that is larger by this, or by less. */
    int64_t more = from.distance - to.distance;
    return (more >= 0 && !from.less ? ASCENDING : 0) | (more <= 0 ? DESCENDING : 0);
}

/* Returns the orders in which two accesses need no barrier between them. */
static uint32_t access_orders(const struct geo_ir_inst *before, const struct geo_ir_inst *after)
{
    SpvStorageClass one = before->operands[0]->type->storage,
                    other = after->operands[0]->type->storage;
    bool writes = before->op == SpvOpStore || after->op == SpvOpStore;
    if (!writes) {
        return ASCENDING | DESCENDING;
    }
    if (one != other) {
        return one == SpvStorageClassGeneric || other == SpvStorageClassGeneric
                   ? 0
                   : ASCENDING | DESCENDING;
    }
    if (one != SpvStorageClassWorkgroup) {
        return 0;
    }
    const struct geo_ir_value *a = array_of(before->operands[0]), *b = array_of(after->operands[0]);
    return a && b && a != b ? ASCENDING | DESCENDING : pair_orders(before, after);
}

/* Returns the orders in which a barrier is needless. */
static uint32_t barrier_orders(struct search *s, const struct geo_ir_inst *barrier)
{
    uint32_t orders = ASCENDING | DESCENDING;
    uint64_t scope;
    if (!geo_ir_constant_bits(barrier->operands[0], &scope) || scope != SpvScopeWorkgroup) {
        return 0;
    }
    side_collect(s, &s->before, barrier, true);
    side_collect(s, &s->after, barrier, false);
    if (s->before.failed || s->after.failed) {
        return 0;
    }
    for (uint32_t i = 0; i < s->before.count; i++) {
        for (uint32_t k = 0; k < s->after.count && orders; k++) {
            orders &= access_orders(s->before.accesses[i], s->after.accesses[k]);
        }
    }
    return orders;
}

/* ---- functions ---- */

/* Returns whether a function has at least two barriers, as one of them stays, and none of them
 * spans the device. Items are told from each other by their position along x alone. */
static bool may_order(const struct geo_ir_function *function)
{
    uint32_t barriers = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            bool id = inst->op == (SpvOp)GEO_OP_BUILTIN &&
                      (inst->literals[0] == SpvBuiltInLocalInvocationId ||
                       inst->literals[0] == SpvBuiltInGlobalInvocationId);
            if (geo_barrier_is_device_wide(inst) || (id && inst->literals[1] != 0) ||
                geo_op_is(inst->op, GEO_IS_CALL)) {
                return false;
            }
            barriers += geo_barrier_is_group_wide(inst);
        }
    }
    return barriers >= 2;
}

/* Returns whether items may run in descending order: no result depends on the order. Atomics and
 * output are in ascending order elsewhere. */
static bool may_descend(const struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (geo_ir_has_effect(inst) && inst->op != SpvOpStore &&
                inst->op != SpvOpControlBarrier && !is_flow(inst)) {
                return false;
            }
        }
    }
    return true;
}

/* Returns the order in which more barriers are needless, or 0 if none is. */
static uint32_t order_choose(struct search *s)
{
    uint32_t ascending = 0, descending = 0;
    geo_ir_for_each_block(block, s->function) {
        geo_ir_for_each_inst(inst, block) {
            uint32_t orders = geo_barrier_is_group_wide(inst) ? barrier_orders(s, inst) : 0;
            ascending += (orders & ASCENDING) != 0;
            descending += (orders & DESCENDING) != 0;
        }
    }
    return descending > ascending && may_descend(s->function) ? DESCENDING
           : ascending                                        ? ASCENDING
                                                              : 0;
}

/* Removes a barrier. In descending order a barrier of the item itself marks the region. */
static bool barrier_remove(struct geo_pass *pass, struct search *s, struct geo_ir_inst *barrier,
                           uint32_t order)
{
    if (order != DESCENDING) {
        geo_ir_inst_remove(barrier);
        return true;
    }
    s->function->descending = true;
    barrier->operands[0] = geo_pass_int(pass, pass->type_i32, SpvScopeInvocation);
    barrier->operands[2] = geo_pass_int(pass, pass->type_i32, SpvMemorySemanticsMaskNone);
    return barrier->operands[0] && barrier->operands[2];
}

/* Removes the barriers of a function that are needless in the order. The last one stays: other
 * code is emitted for kernels without barriers. */
static bool barriers_remove(struct geo_pass *pass, struct search *s, uint32_t order)
{
    uint32_t left = 0;
    struct geo_ir_inst *next;
    geo_ir_for_each_block(block, s->function) {
        geo_ir_for_each_inst(inst, block) {
            left += geo_barrier_is_group_wide(inst);
        }
    }
    geo_ir_for_each_block(block, s->function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = next) {
            next = inst->next;
            if (left > 1 && geo_barrier_is_group_wide(inst) && barrier_orders(s, inst) & order) {
                left--;
                if (!barrier_remove(pass, s, inst, order)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool function_order(struct geo_pass *pass, struct geo_ir_function *function)
{
    geo_ir_function_number(function);
    struct search *s = geo_arena_new(&pass->arena, struct search);
    bool *visited = geo_arena_new_array(&pass->arena, bool, function->block_count + 1);
    if (!s || !visited || !geo_cfg_build(function, &pass->arena, &s->cfg)) {
        return geo_pass_no_memory(pass);
    }
    s->function = function;
    s->visited = visited;
    uint32_t order = order_choose(s);
    return !order || barriers_remove(pass, s, order);
}

ze_result_t geo_transform_chunk_order(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->is_kernel && function->first_block && !module->concurrent_items &&
            may_order(function)) {
            good = function_order(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
