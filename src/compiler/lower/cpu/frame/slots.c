/* Decides which values share a place in the chunk's record; see slots.h.
 *
 * A chunk reads the inputs of a region before it writes the outputs. Two values conflict behind a
 * region if both may be read later. They also conflict if one may be read later and the region
 * writes the other one for another successor. */
#include "compiler/lower/cpu/frame/slots.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include <string.h>

/* Largest product of values and regions. Above it the live sets would be too large, and every value
 * gets its own place. */
#define SETS_LIMIT ((uint64_t)1 << 22)

/* The state of assigning places. */
struct slots {
    struct geo_lower_function *f;
    struct geo_lower_cut *cut;
    const struct geo_ir_value **values; /* the values that need a place */
    uint32_t *number;                   /* by value index: number in `values` */
    uint32_t *parent; /* by number: union-find forest of the values that share a place */
    uint32_t count, words, region_words;
    uint64_t *live;   /* bit sets by region: values that are read from the region on */
    uint64_t *behind; /* bit sets by number: regions behind which the value occupies its place */
    uint64_t *taken;  /* the same for all values of a shared place, at the forest's root */
};

const struct geo_ir_value *geo_frame_slot_root(const struct geo_lower_cut *cut,
                                               const struct geo_ir_value *value)
{
    while (cut->handed_on[value->index]) {
        value = cut->handed_on[value->index];
    }
    return value;
}

/* Returns the number of the value that owns the place of `value`. */
static uint32_t number_of(const struct slots *s, const struct geo_ir_value *value)
{
    GEO_ASSERT(s->values[s->number[geo_frame_slot_root(s->cut, value)->index]] ==
               geo_frame_slot_root(s->cut, value));
    return s->number[geo_frame_slot_root(s->cut, value)->index];
}

/* Returns the root of the values that share the place of `value`. */
static uint32_t place_of(const struct slots *s, uint32_t value)
{
    GEO_ASSERT(value < s->count);
    while (s->parent[value] != value) {
        s->parent[value] = s->parent[s->parent[value]];
        value = s->parent[value];
    }
    return value;
}

/* ---- liveness ---- */

/* Calls `visit` for each successor of a region. */
static void for_each_next(const struct slots *s, uint32_t region,
                          void (*visit)(const struct slots *s, uint32_t next, uint64_t *set),
                          uint64_t *set)
{
    const struct geo_barrier_region *r = &s->cut->regions->list[region];
    const struct geo_lower_code *code = s->f->frame->code;
    if (!r->branches) {
        if (r->next != GEO_LINEAR_END) {
            visit(s, s->cut->regions->of[r->next], set);
        }
        return;
    }
    const struct geo_cfg_edges *succs = &code->cfg.succs[code->loops.order[r->last]->index];
    for (uint32_t i = 0; i < succs->count; i++) {
        visit(s, s->cut->regions->of[code->loops.position[succs->blocks[i]->index]], set);
    }
}

static void add_live(const struct slots *s, uint32_t next, uint64_t *set)
{
    for (uint32_t w = 0; w < s->words; w++) {
        set[w] |= s->live[(size_t)next * s->words + w];
    }
}

static void bit_set(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= (uint64_t)1 << (bit % 64);
}

/* Updates live(region) = reads | (live of successors & ~writes). Returns whether it changed. */
static bool live_update(const struct slots *s, uint32_t region, uint64_t *scratch)
{
    const struct geo_lower_region *r = &s->cut->all[region];
    uint64_t *live = s->live + (size_t)region * s->words;
    bool changed = false;
    memset(scratch, 0, s->words * sizeof(*scratch));
    for_each_next(s, region, add_live, scratch);
    for (uint32_t i = 0; i < r->out_count; i++) {
        uint32_t bit = number_of(s, r->out[i].value);
        scratch[bit / 64] &= ~((uint64_t)1 << (bit % 64));
    }
    for (uint32_t i = 0; i < r->in_count; i++) {
        bit_set(scratch, number_of(s, r->in[i].value));
    }
    for (uint32_t w = 0; w < s->words; w++) {
        changed |= (scratch[w] & ~live[w]) != 0;
        live[w] |= scratch[w];
    }
    return changed;
}

/* Adds the region to `behind` of each value that is live or written at its end. */
static void note_behind(const struct slots *s, uint32_t region, uint64_t *scratch)
{
    const struct geo_lower_region *r = &s->cut->all[region];
    memset(scratch, 0, s->words * sizeof(*scratch));
    for_each_next(s, region, add_live, scratch);
    for (uint32_t i = 0; i < r->out_count; i++) {
        bit_set(scratch, number_of(s, r->out[i].value));
    }
    for (uint32_t w = 0; w < s->words; w++) {
        for (uint64_t left = scratch[w]; left; left &= left - 1) {
            uint32_t value = w * 64 + (uint32_t)__builtin_ctzll(left);
            bit_set(s->behind + (size_t)value * s->region_words, region);
        }
    }
}

static bool lives_find(struct slots *s)
{
    uint32_t regions = s->cut->regions->count;
    struct geo_arena *arena = s->f->arena;
    s->words = (s->count + 63) / 64;
    s->region_words = (regions + 63) / 64;
    s->live = geo_arena_new_array(arena, uint64_t, (size_t)regions * s->words + 1);
    s->behind = geo_arena_new_array(arena, uint64_t, (size_t)s->count * s->region_words + 1);
    uint64_t *scratch = geo_arena_new_array(arena, uint64_t, s->words + 1);
    size_t behind_bytes = ((size_t)s->count * s->region_words + 1) * sizeof(uint64_t);
    if (!s->live || !s->behind || !scratch) {
        geo_state_no_memory(s->f);
        return false;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = regions; r-- > 0;) {
            changed |= live_update(s, r, scratch);
        }
    }
    for (uint32_t r = 0; r < regions; r++) {
        note_behind(s, r, scratch);
    }
    s->taken = geo_arena_copy(arena, s->behind, behind_bytes);
    if (!s->taken) {
        geo_state_no_memory(s->f);
        return false;
    }
    return true;
}

/* ---- sharing places ---- */

static bool held_alike(const struct slots *s, const struct geo_ir_value *a,
                       const struct geo_ir_value *b)
{
    struct geo_shape x = geo_shape_of(s->f->body.shapes, a), y = geo_shape_of(s->f->body.shapes, b);
    return a->type == b->type && x.kind == y.kind && x.stride == y.stride;
}

static bool has_place(const struct slots *s, const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST && s->cut->kept[value->index] == GEO_KEPT_CHUNK;
}

/* Returns whether an edge from the region leads to the phi. */
static bool is_brought(const struct slots *s, uint32_t region, const struct geo_ir_inst *phi)
{
    const struct geo_lower_code *code = s->f->frame->code;
    const struct geo_cfg_edges *preds = &code->cfg.preds[phi->block->index];
    for (uint32_t i = 0; phi->op == SpvOpPhi && i < preds->count; i++) {
        uint32_t from = code->loops.position[preds->blocks[i]->index];
        if (from != GEO_CFG_NONE && s->cut->regions->of[from] == region) {
            return true;
        }
    }
    return false;
}

/* Returns whether behind the region the phi is a copy of value `number`. All edges from the region
 * must pass that value, and the region must not redefine it. */
static bool is_copied(const struct slots *s, uint32_t region, const struct geo_ir_inst *phi,
                      uint32_t number)
{
    const struct geo_lower_code *code = s->f->frame->code;
    const struct geo_cfg_edges *preds = &code->cfg.preds[phi->block->index];
    if (!is_brought(s, region, phi) ||
        is_brought(s, region, (const struct geo_ir_inst *)s->values[number])) {
        return false;
    }
    for (uint32_t i = 0; i < preds->count; i++) {
        uint32_t from = code->loops.position[preds->blocks[i]->index];
        const struct geo_ir_value *operand = phi->operands[i];
        if (from == GEO_CFG_NONE || s->cut->regions->of[from] != region) {
            continue;
        }
        if (!has_place(s, operand) || number_of(s, operand) != number) {
            return false;
        }
    }
    return true;
}

/* Merges the places of a phi and of one of its operands if no other values conflict. */
static void share(struct slots *s, const struct geo_ir_inst *phi, uint32_t other)
{
    uint32_t own = number_of(s, &phi->value), a = place_of(s, own), b = place_of(s, other);
    uint64_t *taken_a = s->taken + (size_t)a * s->region_words;
    const uint64_t *taken_b = s->taken + (size_t)b * s->region_words;
    const uint64_t *behind_own = s->behind + (size_t)own * s->region_words;
    const uint64_t *behind_other = s->behind + (size_t)other * s->region_words;
    for (uint32_t w = 0; w < s->region_words; w++) {
        uint64_t conflicts = a == b ? 0 : taken_a[w] & taken_b[w];
        if (conflicts & ~(behind_own[w] & behind_other[w])) {
            return; /* other values of the two places conflict */
        }
        for (uint64_t both = conflicts; both; both &= both - 1) {
            if (!is_copied(s, w * 64 + (uint32_t)__builtin_ctzll(both), phi, other)) {
                return;
            }
        }
    }
    GEO_ASSERT(held_alike(s, s->values[a], s->values[b]));
    s->parent[b] = a;
    for (uint32_t w = 0; w < s->region_words; w++) {
        taken_a[w] |= taken_b[w];
    }
}

static void share_phis(struct slots *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct geo_ir_inst *phi = (const struct geo_ir_inst *)s->values[i];
        if (phi->op != SpvOpPhi ||
            !geo_frame_cut_is_head(s->cut, s->f->frame->code->loops.position[phi->block->index])) {
            continue;
        }
        for (uint32_t k = 0; k < phi->operand_count; k++) {
            const struct geo_ir_value *operand = phi->operands[k];
            if (has_place(s, operand) && held_alike(s, operand, &phi->value)) {
                share(s, phi, number_of(s, operand));
            }
        }
    }
}

/* ---- removing stores that are not needed ---- */

/* Returns whether each edge from the region passes a value that shares the phi's place. The phi
 * then needs no store of its own. */
static bool is_there(const struct slots *s, uint32_t region, const struct geo_ir_inst *phi)
{
    const struct geo_lower_code *code = s->f->frame->code;
    const struct geo_cfg_edges *preds = &code->cfg.preds[phi->block->index];
    for (uint32_t i = 0; i < preds->count; i++) {
        uint32_t from = code->loops.position[preds->blocks[i]->index];
        const struct geo_ir_value *operand = phi->operands[i];
        if (from == GEO_CFG_NONE || s->cut->regions->of[from] != region) {
            continue;
        }
        if (!has_place(s, operand) ||
            place_of(s, number_of(s, operand)) != place_of(s, number_of(s, &phi->value))) {
            return false;
        }
    }
    return true;
}

/* Removes the phis that need no store from the region's outputs. */
static void outs_thin(const struct slots *s, uint32_t region)
{
    struct geo_lower_region *r = &s->cut->all[region];
    const struct geo_lower_code *code = s->f->frame->code;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->out_count; i++) {
        const struct geo_ir_inst *inst = (const struct geo_ir_inst *)r->out[i].value;
        bool brought = inst->op == SpvOpPhi &&
                       geo_frame_cut_is_head(s->cut, code->loops.position[inst->block->index]);
        if (!brought || !is_there(s, region, inst)) {
            r->out[count++] = r->out[i];
        }
    }
    r->out_count = count;
}

/* ---- all values ---- */

static bool slots_create(struct slots *s)
{
    uint32_t values = s->f->function->value_count + 1;
    const struct geo_cfg *cfg = &s->f->frame->code->cfg;
    s->values = geo_arena_array(s->f->arena, values, sizeof(*s->values));
    s->number = geo_arena_new_array(s->f->arena, uint32_t, values);
    s->parent = geo_arena_new_array(s->f->arena, uint32_t, values);
    if (!s->values || !s->number || !s->parent) {
        geo_state_no_memory(s->f);
        return false;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        for (const struct geo_ir_inst *inst = cfg->order[i]->first; inst; inst = inst->next) {
            if (s->cut->kept[inst->value.index] == GEO_KEPT_CHUNK &&
                !s->cut->handed_on[inst->value.index]) {
                s->parent[s->count] = s->count;
                s->number[inst->value.index] = s->count;
                s->values[s->count++] = &inst->value;
            }
        }
    }
    return true;
}

/* Places the values that are held as scalars, or as vectors. Vectors come first, which avoids
 * gaps. */
static bool place_all(struct slots *s, bool scalars, uint64_t *total)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct geo_ir_value *value = s->values[i];
        struct geo_lower_saved saved = {.value = value};
        bool scalar = geo_shape_of(s->f->body.shapes, value).kind != GEO_SHAPE_VARYING;
        if (place_of(s, i) != i || scalar != scalars) {
            continue;
        }
        if (!geo_frame_layout_place(s->f, value, &saved, total)) {
            return false;
        }
        s->cut->offsets[value->index] = saved.offsets;
    }
    return true;
}

static void offsets_set(const struct slots *s, struct geo_lower_saved *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_value *owner = s->values[place_of(s, number_of(s, list[i].value))];
        list[i].offsets = s->cut->offsets[owner->index];
        GEO_ASSERT(list[i].offsets); /* place_all has placed each owner */
    }
}

bool geo_frame_slots_place(struct geo_lower_function *f, struct geo_lower_cut *cut, uint64_t *total)
{
    struct slots s = {.f = f, .cut = cut};
    uint32_t regions = cut->regions->count;
    if (!slots_create(&s)) {
        return false;
    }
    if ((uint64_t)s.count * regions < SETS_LIMIT) {
        if (!lives_find(&s)) {
            return false;
        }
        share_phis(&s);
    }
    if (!place_all(&s, false, total) || !place_all(&s, true, total)) {
        return false;
    }
    for (uint32_t i = 0; i < regions; i++) {
        outs_thin(&s, i);
        offsets_set(&s, cut->all[i].in, cut->all[i].in_count);
        offsets_set(&s, cut->all[i].out, cut->all[i].out_count);
    }
    return true;
}
