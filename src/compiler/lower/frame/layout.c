/* Offsets of a function's memory while it is emitted: private variables in the frame, saved values
 * in the chunk's record. Nothing here emits code.
 *
 * A private variable has one copy per lane, lane after lane (geo_private_stride apart); components
 * of several lanes next to each other would be better for arrays that are indexed alike, and is for
 * later. */
#include "compiler/lower/frame/layout.h"

#include "compiler/lower/frame/ambient.h"
#include "compiler/lower/frame/frame.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/state/place.h"
#include "compiler/lower/value/value.h"

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
            !geo_place(total, bytes, align, &layout->variables[i])) {
            geo_lower_error(f, variable, "private variables are too large");
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

static bool place_value(struct geo_lower_function *f, const struct geo_ir_value *value,
                        struct geo_lower_saved *saved, uint64_t *total)
{
    uint32_t count = geo_part_count(value->type);
    bool varying = geo_lower_shape(f, value).kind == GEO_SHAPE_VARYING;
    if (!geo_lower_reserve(f, value)) {
        return false;
    }
    *saved = (struct geo_lower_saved){value, geo_arena_new_array(f->arena, uint64_t, count + 1)};
    if (!saved->offsets) {
        geo_lower_no_memory(f);
        return false;
    }
    for (uint32_t part = 0; part < count; part++) {
        uint64_t bytes = scalar_bytes(geo_part_type(value->type, part));
        bytes = varying ? bytes * f->lanes : bytes;
        if (!geo_place(total, bytes, bytes, &saved->offsets[part])) {
            geo_lower_error(f, NULL, "error: values that live across barriers are too large");
            return false;
        }
    }
    return true;
}

/* What is live where the barrier resumes; vectors before scalars, so that there are no gaps. */
static bool place_barrier(struct geo_lower_function *f, uint32_t barrier,
                          struct geo_lower_save *save, uint64_t *total)
{
    const struct geo_lower_code *code = f->frame->code;
    const uint64_t *set = geo_live_in(&code->liveness, code->barriers.resume[barrier]);
    save->items = geo_arena_new_array(f->arena, struct geo_lower_saved, code->liveness.count + 1);
    if (!save->items) {
        geo_lower_no_memory(f);
        return false;
    }
    for (int scalars = 0; scalars < 2; scalars++) {
        for (uint32_t i = 0; i < code->liveness.count; i++) {
            const struct geo_ir_value *value = code->liveness.values[i];
            bool scalar = geo_lower_shape(f, value).kind != GEO_SHAPE_VARYING;
            if (!(set[i / 64] >> (i % 64) & 1) || scalar != scalars ||
                geo_lower_is_ambient(f, value)) {
                continue;
            }
            if (!place_value(f, value, &save->items[save->count++], total)) {
                return false;
            }
        }
    }
    return true;
}

static bool place_all_saved(struct geo_lower_function *f, struct geo_lower_layout *layout,
                            uint64_t *total)
{
    uint32_t count = f->frame->code->barriers.count;
    uint64_t start = *total;
    layout->save = geo_arena_new_array(f->arena, struct geo_lower_save, count);
    if (!layout->save) {
        geo_lower_no_memory(f);
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

bool geo_lower_layout_make(struct geo_lower_function *f, struct geo_lower_layout *out)
{
    const struct geo_lower_code *code = f->frame->code;
    uint64_t total = 0;
    *out = (struct geo_lower_layout){0};
    out->variables = geo_arena_new_array(f->arena, uint64_t, code->variable_count + 1);
    if (!out->variables) {
        geo_lower_no_memory(f);
        return false;
    }
    if (!place_private(f, out, &total)) {
        return false;
    }
    if (!code->barriers.count) {
        out->frame_bytes = geo_place_round_up(total);
        return true;
    }
    if (!place_all_saved(f, out, &total)) {
        return false;
    }
    out->chunk_bytes = geo_place_round_up(total);
    return true;
}
