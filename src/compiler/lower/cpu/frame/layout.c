/* Computes the layout of a function's memory: private variables in the frame, saved values in the
 * chunk's record. This file emits no code.
 *
 * A private variable has one copy per lane. The copies are one after another, geo_private_stride
 * apart, or interleaved in the same space (analysis/interleave.h). */
#include "compiler/lower/cpu/frame/layout.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/debug/variable.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/state/place.h"
#include "compiler/lower/value/value.h"

/* Largest number of parts that all barriers of a function save. */
#define SAVED_LIMIT (1u << 18)
#define SLOTS_ALIGN 64u

/* Places the private variables of all lanes. */
static bool place_private(struct geo_lower_function *f, struct geo_lower_layout *layout,
                          uint64_t *total)
{
    const struct geo_lower_code *code = f->frame->code;
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct geo_ir_inst *variable = code->variables[i];
        const struct geo_ir_type *type = variable->value.type->element;
        uint64_t align = variable->value.align > type->align ? variable->value.align : type->align;
        uint64_t bytes;
        align = align > 64 ? align : 64;
        align = align < GEO_ABI_SCRATCH_ALIGN ? align : GEO_ABI_SCRATCH_ALIGN;
        if (__builtin_mul_overflow(geo_private_stride(type), f->lanes, &bytes) ||
            !geo_place(total, bytes, align, &layout->variables[variable->value.index])) {
            char label[256];
            geo_state_error(f, variable,
                            "private variable %s has %llu bytes: all private variables of %u "
                            "work-items together may have %llu",
                            geo_state_label(&variable->value, label, sizeof(label)),
                            (unsigned long long)type->size, f->lanes,
                            (unsigned long long)GEO_PLACE_LIMIT);
            return false;
        }
    }
    return true;
}

static uint64_t scalar_bytes(const struct geo_ir_type *type)
{
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        return 1;
    case GEO_TYPE_INT:
    case GEO_TYPE_FLOAT:
        return type->width / 8;
    default:
        return 8;
    }
}

bool geo_frame_layout_place(struct geo_lower_function *f, const struct geo_ir_value *value,
                            struct geo_lower_saved *saved, uint64_t *total)
{
    uint32_t count = geo_part_count(value->type);
    bool varying = geo_value_shape(f, value).kind == GEO_SHAPE_VARYING;
    if (!geo_value_reserve(f, value)) {
        return false;
    }
    f->frame->split.saved_parts += count;
    if (f->frame->split.saved_parts > SAVED_LIMIT) {
        char label[256];
        geo_state_error(f, NULL,
                        "error: %s: the barriers keep more than %u values: a value counts at each "
                        "barrier that it lives across. Use fewer barriers or fewer values.",
                        geo_state_label(&f->function->value, label, sizeof(label)), SAVED_LIMIT);
        return false;
    }
    *saved = (struct geo_lower_saved){value, geo_arena_new_array(f->arena, uint64_t, count + 1)};
    if (!saved->offsets) {
        geo_state_no_memory(f);
        return false;
    }
    GEO_ASSERT(count == geo_value_held(f, value)->count);
    for (uint32_t part = 0; part < count; part++) {
        uint64_t bytes = scalar_bytes(geo_part_type(value->type, part));
        bytes = varying ? bytes * f->lanes : bytes;
        if (!geo_place(total, bytes, bytes, &saved->offsets[part])) {
            geo_state_error(f, NULL, "error: values that live across barriers are too large");
            return false;
        }
    }
    return true;
}

/* Returns the blocks at which lanes may wait while others are at the barrier. The set is empty if
 * all lanes come to the barrier. */
static struct geo_linear_set waiting_at(const struct geo_lower_function *f, uint32_t barrier)
{
    const struct geo_lower_code *code = f->frame->code;
    const struct geo_cfg_edges *preds = &code->cfg.preds[code->barriers.resume[barrier]->index];
    if (!f->frame->split.passed || preds->count == 0) {
        return (struct geo_linear_set){0};
    }
    return f->frame->body.plan.deferred[code->loops.position[preds->blocks[0]->index]];
}

/* Returns the set of values that are live where the barrier resumes, or where lanes wait meanwhile.
 * Returns NULL when memory runs out. */
static const uint64_t *live_set(struct geo_lower_function *f, uint32_t barrier,
                                const struct geo_linear_set *waiting)
{
    const struct geo_lower_code *code = f->frame->code;
    const uint64_t *resumes = geo_live_in(&code->liveness, code->barriers.resume[barrier]);
    if (waiting->count == 0) {
        return resumes;
    }
    uint32_t words = code->liveness.words;
    uint64_t *set = geo_arena_copy(f->arena, resumes, words * sizeof(*set));
    for (uint32_t i = 0; set && i < waiting->count; i++) {
        const struct geo_ir_block *block = code->loops.order[waiting->positions[i]];
        const uint64_t *live = geo_live_in(&code->liveness, block);
        for (uint32_t word = 0; word < words; word++) {
            set[word] |= live[word];
        }
    }
    return set;
}

static bool set_has(const struct geo_liveness *live, const uint64_t *set,
                    const struct geo_ir_value *value)
{
    uint32_t number = live->number[value->index];
    GEO_ASSERT(number == GEO_CFG_NONE || number < live->count);
    return number != GEO_CFG_NONE && set[number / 64] >> (number % 64) & 1;
}

/* Places the masks of blocks at which lanes wait, and the phis of these blocks, which may already
 * hold values for some lanes. */
static bool place_waiting(struct geo_lower_function *f, uint32_t barrier, const uint64_t *set,
                          struct geo_lower_save *save, uint64_t *total)
{
    const struct geo_lower_code *code = f->frame->code;
    struct geo_linear_set waiting = waiting_at(f, barrier);
    uint32_t here = code->loops.position[code->barriers.resume[barrier]->index];
    save->masks = geo_arena_new_array(f->arena, struct geo_lower_saved_mask, waiting.count + 1);
    if (!save->masks) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t w = 0; w <= waiting.count; w++) {
        uint32_t position = w < waiting.count ? waiting.positions[w] : here;
        const struct geo_ir_block *block = code->loops.order[position];
        if (f->body.shapes->divergent_block[block->index]) {
            struct geo_lower_saved_mask *mask = &save->masks[save->mask_count++];
            GEO_ASSERT(save->mask_count <= waiting.count + 1);
            mask->position = position;
            if (!geo_place(total, sizeof(uint64_t), sizeof(uint64_t), &mask->offset)) {
                return false;
            }
        }
        for (const struct geo_ir_inst *phi = block->first;
             w < waiting.count && phi && phi->op == SpvOpPhi; phi = phi->next) {
            if (!set_has(&code->liveness, set, &phi->value) &&
                !geo_frame_layout_place(f, &phi->value, &save->items[save->count++], total)) {
                return false;
            }
        }
    }
    return true;
}

static uint32_t phi_count(const struct geo_lower_code *code, const struct geo_linear_set *blocks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < blocks->count; i++) {
        for (const struct geo_ir_inst *phi = code->loops.order[blocks->positions[i]]->first;
             phi && phi->op == SpvOpPhi; phi = phi->next) {
            count++;
        }
    }
    return count;
}

static uint32_t set_count(const uint64_t *set, uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < words; i++) {
        count += (uint32_t)__builtin_popcountll(set[i]);
    }
    return count;
}

/* Places the values of a set that are held as scalars, or those held as vectors. */
static bool place_set(struct geo_lower_function *f, const uint64_t *set, bool scalars,
                      struct geo_lower_save *save, uint64_t *total)
{
    const struct geo_liveness *live = &f->frame->code->liveness;
    for (uint32_t word = 0; word < live->words; word++) {
        for (uint64_t left = set[word]; left; left &= left - 1) {
            const struct geo_ir_value *value =
                live->values[word * 64 + (uint32_t)__builtin_ctzll(left)];
            bool scalar = geo_value_shape(f, value).kind != GEO_SHAPE_VARYING;
            if (scalar != scalars || geo_frame_is_ambient(f, value)) {
                continue;
            }
            if (!geo_frame_layout_place(f, value, &save->items[save->count++], total)) {
                return false;
            }
        }
    }
    return true;
}

/* Places what one barrier saves. Vectors come before scalars, which avoids gaps. */
static bool place_barrier(struct geo_lower_function *f, uint32_t barrier,
                          struct geo_lower_save *save, uint64_t *total)
{
    const struct geo_lower_code *code = f->frame->code;
    struct geo_linear_set waiting = waiting_at(f, barrier);
    const uint64_t *set = live_set(f, barrier, &waiting);
    size_t count = set ? set_count(set, code->liveness.words) + phi_count(code, &waiting) : 0;
    save->items = geo_arena_new_array(f->arena, struct geo_lower_saved, count + 1);
    if (!save->items || !set) {
        geo_state_no_memory(f);
        return false;
    }
    if (!place_set(f, set, false, save, total) || !place_set(f, set, true, save, total)) {
        return false;
    }
    GEO_ASSERT(save->count <= count);
    return !f->frame->split.passed || f->lanes == 1 || place_waiting(f, barrier, set, save, total);
}

/* Places what all barriers save. A chunk is at one barrier at a time, so they share the memory. */
static bool place_all_saved(struct geo_lower_function *f, struct geo_lower_layout *layout,
                            uint64_t *total)
{
    uint32_t count = f->frame->code->barriers.count;
    uint64_t start = *total;
    f->frame->split.saved_parts = 0;
    if (f->frame->code->liveness.too_large) {
        char label[256];
        geo_state_error(f, NULL,
                        "error: %s: too large for a function with barriers: it has too many values "
                        "in too many blocks",
                        geo_state_label(&f->function->value, label, sizeof(label)));
        return false;
    }
    layout->save = geo_arena_new_array(f->arena, struct geo_lower_save, count);
    if (!layout->save) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint64_t end = start;
        if (!place_barrier(f, k, &layout->save[k], &end)) {
            return false;
        }
        *total = end > *total ? end : *total;
    }
    return true;
}

bool geo_frame_layout_make(struct geo_lower_function *f, struct geo_lower_layout *out)
{
    const struct geo_lower_code *code = f->frame->code;
    uint64_t total = 0;
    *out = (struct geo_lower_layout){0};
    out->variables = geo_arena_new_array(f->arena, uint64_t, f->function->value_count + 1);
    if (!out->variables) {
        geo_state_no_memory(f);
        return false;
    }
    if (!place_private(f, out, &total)) {
        return false;
    }
    uint64_t slots = geo_debug_variables_bytes(f);
    if (slots && !geo_place(&total, slots, SLOTS_ALIGN, &out->slots)) {
        geo_state_error(f, NULL,
                        "error: the private variables are too large with their copies for "
                        "debuggers: build without -ze-opt-disable");
        return false;
    }
    if (!code->barriers.count) {
        out->frame_bytes = geo_place_round_up(total, GEO_ABI_SCRATCH_ALIGN);
        return true;
    }
    if (f->frame->split.regions.count) {
        f->frame->split.saved_parts = 0;
        out->chunk_bytes = geo_place_round_up(total, GEO_ABI_SCRATCH_ALIGN);
        return true;
    }
    if (f->frame->split.passed &&
        !geo_place(&total, sizeof(uint32_t), sizeof(uint32_t), &out->state)) {
        return false;
    }
    if (!place_all_saved(f, out, &total)) {
        return false;
    }
    out->chunk_bytes = geo_place_round_up(total, GEO_ABI_SCRATCH_ALIGN);
    return true;
}
