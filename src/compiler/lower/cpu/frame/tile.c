/* Selects the members of a tile and the tables of their own values; see tile.h. */
#include "compiler/lower/cpu/frame/tile.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/value/value.h"

struct geo_lower_tile *geo_frame_tile_make(struct geo_lower_function *f,
                                           enum geo_shape_tile direction, bool ids_fit)
{
    const struct geo_lower_target *target = &f->options->target;
    struct geo_lower_tile *tile = geo_arena_new(f->arena, struct geo_lower_tile);
    const struct geo_tile_options options = {.loops = &f->frame->code->loops,
                                             .shapes = f->body.shapes,
                                             .direction = direction,
                                             .ids_fit_31_bits = ids_fit,
                                             .large_objects = f->options->large_objects,
                                             .forced = f->options->tile,
                                             .registers =
                                                 target->arch->registers(target->vector_bits)};
    uint32_t values = f->function->value_count + 1;
    bool good = tile && geo_tiles_find(&options, f->arena, &tile->tiles);
    for (uint32_t i = 0; i < GEO_TILE_LIMIT && good; i++) {
        struct geo_lower_member *member = &tile->members[i];
        member->values = geo_arena_new_array(f->arena, struct geo_lower_value, values);
        member->homes = geo_arena_new_array(f->arena, LLVMValueRef *, values);
        good = member->values && member->homes;
    }
    if (!good) {
        geo_state_no_memory(f);
    }
    return good ? tile : NULL;
}

void geo_frame_tile_begin(struct geo_lower_function *f, struct geo_lower_tile *tile)
{
    GEO_ASSERT(!f->frame->body.tile && tile->count > 1 && tile->count <= GEO_TILE_LIMIT);
    f->frame->body.tile = tile;
    f->member.apart = tile->tiles.apart;
    geo_frame_tile_select(f, 0);
}

void geo_frame_tile_end(struct geo_lower_function *f)
{
    GEO_ASSERT(f->frame->body.tile);
    f->frame->body.tile = NULL;
    f->member.apart = NULL;
    f->member.values = NULL;
}

uint32_t geo_frame_tile_copies(const struct geo_lower_function *f, const struct geo_ir_value *value)
{
    bool apart = value->kind == GEO_VALUE_INST && f->member.apart && f->member.apart[value->index];
    return apart ? f->frame->body.tile->count : 1;
}

uint32_t geo_frame_tile_members(const struct geo_lower_function *f)
{
    return f->frame->body.tile ? f->frame->body.tile->count : 1;
}

void geo_frame_tile_select(struct geo_lower_function *f, uint32_t member)
{
    struct geo_lower_frame *frame = f->frame;
    if (!frame->body.tile) {
        return;
    }
    GEO_ASSERT(member < frame->body.tile->count);
    const struct geo_lower_member *chosen = &frame->body.tile->members[member];
    f->member.values = chosen->values;
    frame->body.own_homes = chosen->homes;
    frame->contract.record = chosen->record;
    frame->ids.local[frame->body.tile->tiles.options.direction == GEO_SHAPE_ROWS ? 1 : 0] =
        chosen->place;
}
