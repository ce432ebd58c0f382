/* Estimates gains of dense vectors; see dense_gain.h. A gain is a number of shuffles of a register
 * for each part, times a weight for each loop around it. */
#include "compiler/analysis/dense_gain.h"

#include "compiler/analysis/dense_use.h"
#include "compiler/ir/access.h"

#include <spirv/unified1/OpenCL.std.h>

#define ACCESS_BYTES   64u /* largest vector that lowering accesses densely (memory/dense.h) */
#define TURNS          8   /* assumed turns of a loop */
#define DEPTH_LIMIT    6u  /* loops that count */
#define SMALL_BITS     16u
#define WORD_BYTES     8u
#define WORD_COMPONENT 32u /* components in a mask of components */

struct gain {
    const struct geo_dense *dense;
    const struct geo_loops *loops;
    const struct geo_shapes *shapes;
    uint32_t *parent; /* by value index: another value of the same set; itself: the set's root */
    int64_t *gains;   /* by value index, of roots */
};

/* ---- sets of values in one form ---- */

static uint32_t root_of(struct gain *g, uint32_t index)
{
    while (g->parent[index] != index) {
        g->parent[index] = g->parent[g->parent[index]];
        index = g->parent[index];
    }
    return index;
}

static bool is_varying(const struct gain *g, const struct geo_ir_value *value)
{
    return geo_shape_of(g->shapes, value).kind != GEO_SHAPE_UNIFORM;
}

/* Returns whether a value is held densely if its set is. */
static bool is_dense(const struct gain *g, const struct geo_ir_value *value)
{
    return geo_dense_use_is_marked(g->dense->marks, value) && is_varying(g, value);
}

/* Returns whether the products of a dot product are computed densely if both operands' sets are. */
static bool is_dot(const struct gain *g, const struct geo_ir_inst *inst)
{
    return geo_dense_use_is_dot(g->dense->marks, inst) && is_varying(g, inst->operands[0]) &&
           is_varying(g, inst->operands[1]);
}

static void sets_join(struct gain *g, const struct geo_ir_inst *inst)
{
    if (is_dot(g, inst)) {
        g->parent[root_of(g, inst->operands[0]->index)] = root_of(g, inst->operands[1]->index);
    }
    for (uint32_t i = 0; is_dense(g, &inst->value) && i < inst->operand_count; i++) {
        if (is_dense(g, inst->operands[i])) {
            g->parent[root_of(g, inst->operands[i]->index)] = root_of(g, inst->value.index);
        }
    }
}

/* ---- costs ---- */

static int64_t weight_of(const struct gain *g, const struct geo_ir_block *block)
{
    const struct geo_loop *loop = g->loops->of[block->index];
    int64_t weight = 1;
    for (uint32_t i = 0; loop && i < loop->depth && i < DEPTH_LIMIT; i++) {
        weight *= TURNS;
    }
    return weight;
}

/* Returns the weight of a conversion of an operand. LLVM moves it out of loops in which the operand
 * does not change. */
static int64_t operand_weight(const struct gain *g, const struct geo_ir_value *operand,
                              const struct geo_ir_inst *user)
{
    const struct geo_ir_inst *inst =
        operand->kind == GEO_VALUE_INST ? (const struct geo_ir_inst *)operand : NULL;
    int64_t here = weight_of(g, user->block), there = inst ? weight_of(g, inst->block) : 1;
    return there < here ? there : here;
}

static bool is_small(const struct geo_ir_type *vector)
{
    return vector->element->kind != GEO_TYPE_BOOL && vector->element->width <= SMALL_BITS;
}

/* Returns whether an instruction converts between small and large elements, which takes shuffles in
 * dense vectors: a register's elements come from a part of another register. */
static bool resizes(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *from = inst->operand_count ? inst->operands[0]->type : NULL;
    return from && from->kind == GEO_TYPE_VECTOR && from->count == inst->value.type->count &&
           from->element->kind != GEO_TYPE_BOOL &&
           inst->value.type->element->kind != GEO_TYPE_BOOL &&
           is_small(from) != is_small(inst->value.type);
}

/* Returns the shuffles that turn parts into a dense vector, or the other way round. */
static int64_t transposition(const struct geo_ir_type *type)
{
    int64_t steps = 0, count = (int64_t)type->count;
    if (is_small(type) && type->size <= WORD_BYTES) {
        return count; /* shifts of words */
    }
    for (int64_t left = count; left > 1; left /= 2) {
        steps++;
    }
    return count * steps;
}

/* Returns what an access of the whole vector gains. Lowering of other accesses needs parts. */
static int64_t access_gain(const struct gain *g, const struct geo_ir_type *type,
                           const struct geo_ir_value *pointer, bool offset)
{
    bool fits = type->size <= ACCESS_BYTES && !(pointer->flags & GEO_VALUE_INTERLEAVED) &&
                (offset || is_varying(g, pointer));
    return fits ? transposition(type) : -transposition(type);
}

/* Returns the cost of reading an operand of a dense instruction. */
static int64_t operand_cost(const struct gain *g, const struct geo_ir_inst *inst,
                            const struct geo_ir_value *operand)
{
    if (!is_varying(g, operand) || is_dense(g, operand)) {
        return 0;
    }
    int64_t each = geo_ir_components(operand->type) == 1 ? (int64_t)inst->value.type->count
                                                         : transposition(operand->type);
    return each * operand_weight(g, operand, inst);
}

/* Returns whether lanes that come to a phi from elsewhere keep its value. */
static bool is_merged(const struct gain *g, const struct geo_ir_block *block)
{
    const struct geo_loop *loop = g->loops->of[block->index];
    return g->shapes->divergent_join[block->index] ||
           (loop && loop->header == block && g->shapes->divergent_loop[loop->index]);
}

/* Returns what it gains to compute a value densely. */
static int64_t definition_gain(const struct gain *g, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    int64_t weight = weight_of(g, inst->block), count = (int64_t)type->count, gain = 0;
    if (inst->op == SpvOpLoad) {
        return access_gain(g, type, inst->operands[0], false) * weight;
    }
    if (geo_dense_use_is_vload(inst)) {
        return access_gain(g, type, inst->operands[1], is_varying(g, inst->operands[0])) * weight;
    }
    if (inst->op == SpvOpVectorShuffle || inst->op == SpvOpCompositeInsert ||
        (inst->op == SpvOpCompositeConstruct && geo_ir_components(inst->operands[0]->type) > 1) ||
        (inst->op == SpvOpPhi && is_merged(g, inst->block)) || resizes(inst)) {
        gain = -count * weight;
    }
    bool splat = inst->op == SpvOpCompositeConstruct; /* reads one operand again and again */
    for (uint32_t i = 0;
         i < inst->operand_count && !(splat && i && inst->operands[i] == inst->operands[0]); i++) {
        gain -= operand_cost(g, inst, inst->operands[i]);
    }
    return gain;
}

/* Returns what the uses of a value gain. */
static int64_t uses_gain(const struct gain *g, const struct geo_ir_inst *inst)
{
    uint32_t count, pulled = 0, components = (uint32_t)inst->value.type->count;
    const struct geo_use *uses = geo_uses_of(&g->dense->uses, &inst->value, &count);
    const struct geo_ir_type *type = inst->value.type;
    int64_t gain = 0, all = transposition(type);
    int64_t weight = weight_of(g, inst->block);
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_inst *user = uses[i].user;
        uint32_t pulls = geo_dense_use_pulls(g->dense->marks, &uses[i]);
        bool votes = user->op == SpvOpAny || user->op == SpvOpAll;
        if (geo_dense_use_is_stored(&uses[i])) {
            bool offset = user->op != SpvOpStore && is_varying(g, user->operands[1]);
            gain += access_gain(g, type, user->operands[user->op == SpvOpStore ? 0 : 2], offset) *
                    weight_of(g, user->block);
        } else if (is_dot(g, user)) {
            gain -= all * weight_of(g, user->block) / 2; /* of the products, which both share */
        } else if (pulls == 1) {
            pulled |= 1u << user->literals[0] % WORD_COMPONENT;
        } else if (pulls || votes) {
            pulled |= UINT32_MAX;
        }
    }
    int64_t cost = 0;
    for (uint32_t i = 0; i < components; i++) {
        cost += pulled >> i & 1 ? components - 1 : 0;
    }
    return gain - (cost < all ? cost : all) * weight;
}

/* ---- the function ---- */

bool geo_dense_gain_find(const struct geo_dense *dense, const struct geo_loops *loops,
                         const struct geo_shapes *shapes, struct geo_arena *arena, bool **out)
{
    uint32_t values = dense->function->value_count + 1;
    struct gain g = {.dense = dense, .loops = loops, .shapes = shapes};
    g.parent = geo_arena_new_array(arena, uint32_t, values);
    g.gains = geo_arena_new_array(arena, int64_t, values);
    *out = geo_arena_new_array(arena, bool, values);
    if (!g.parent || !g.gains || !*out) {
        return false;
    }
    for (uint32_t i = 0; i < values; i++) {
        g.parent[i] = i;
    }
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, loops->cfg->order[i]) {
            sets_join(&g, inst);
        }
    }
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, loops->cfg->order[i]) {
            if (is_dense(&g, &inst->value)) {
                g.gains[root_of(&g, inst->value.index)] +=
                    definition_gain(&g, inst) + uses_gain(&g, inst);
            }
        }
    }
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, loops->cfg->order[i]) {
            (*out)[inst->value.index] =
                is_dense(&g, &inst->value) && g.gains[root_of(&g, inst->value.index)] <= 0;
        }
    }
    return true;
}
