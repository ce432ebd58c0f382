/* Reads the description of a chunk. See chunk.h. */
#include "chunk.h"

#include "error.h"
#include "memory.h"
#include "value.h"

#define LANES_LIMIT 64

static bool field(const struct state *state, const struct value *chunk, const char *name,
                  int64_t *number)
{
    struct value value;
    return value_member(state, chunk, name, &value) && value_integer(state, &value, number);
}

static struct item_id fields(const struct state *state, const struct value *chunk, const char *name)
{
    struct item_id id = {0};
    for (int i = 0; i < 3; i++) {
        id.known[i] = field(state, chunk, scratch_format("%s_%c", name, "xyz"[i]), &id.axis[i]);
    }
    return id;
}

static bool fields_read(const struct state *state, const struct value *value, struct chunk *chunk)
{
    int64_t lanes, number;
    if (!field(state, value, "lanes", &lanes) || lanes < 1 || lanes > LANES_LIMIT) {
        return error_set("the work-items of this frame are not known: the code is optimised");
    }
    *chunk = (struct chunk){.lanes = (uint64_t)lanes};
    chunk->is_linear = field(state, value, "is_linear", &number) && number;
    chunk->mask_known = field(state, value, "mask", &number);
    chunk->mask = chunk->mask_known ? (uint64_t)number : 0;
    chunk->linear.known[0] = field(state, value, "linear", &chunk->linear.axis[0]);
    chunk->group = fields(state, value, "group");
    chunk->local = fields(state, value, "local");
    chunk->local_size = fields(state, value, "local_size");
    chunk->global_offset = fields(state, value, "global_offset");
    return true;
}

bool chunk_read(const struct frame *frames, size_t count, size_t first, struct chunk *chunk)
{
    for (size_t i = first; i < count; i++) {
        const struct scope *scope = frames[i].scope;
        Dwarf_Die variable;
        struct value value;
        if (scope && scope_variable(scope, SCOPE_CHUNK, &variable)) {
            return value_variable(&frames[i].state, &variable, &value) &&
                   fields_read(&frames[i].state, &value, chunk);
        }
    }
    return error_set("no work-item is here: the frame has no debug information of a chunk");
}

/* ---- ids ---- */

struct item_id chunk_local(const struct chunk *chunk, uint64_t lane)
{
    struct item_id id = chunk->local;
    if (!chunk->is_linear) {
        id.axis[0] += (int64_t)lane;
        return id;
    }
    const int64_t *size = chunk->local_size.axis;
    const bool known = chunk->linear.known[0] && chunk->local_size.known[0] &&
                       chunk->local_size.known[1] && size[0] > 0 && size[1] > 0;
    int64_t item = chunk->linear.axis[0] + (int64_t)lane;
    for (int i = 0; i < 3; i++) {
        id.known[i] = known;
        id.axis[i] = known && i < 2 ? item % size[i] : item;
        item = known && i < 2 ? item / size[i] : item;
    }
    return id;
}

struct item_id chunk_global(const struct chunk *chunk, uint64_t lane)
{
    struct item_id id = chunk_local(chunk, lane);
    for (int i = 0; i < 3; i++) {
        const int64_t offset = chunk->global_offset.known[i] ? chunk->global_offset.axis[i] : 0;
        id.known[i] &= chunk->group.known[i] && chunk->local_size.known[i];
        id.axis[i] += chunk->group.axis[i] * chunk->local_size.axis[i] + offset;
    }
    return id;
}

enum lane_state chunk_state(const struct chunk *chunk, uint64_t lane)
{
    const struct item_id local = chunk_local(chunk, lane);
    for (int i = 0; i < 3; i++) {
        if (local.known[i] && chunk->local_size.known[i] &&
            local.axis[i] >= chunk->local_size.axis[i]) {
            return LANE_OFF;
        }
    }
    return !chunk->mask_known ? LANE_UNKNOWN : chunk->mask >> lane & 1 ? LANE_ON : LANE_OFF;
}

bool chunk_find(const struct chunk *chunk, const int64_t item[3], uint64_t *lane)
{
    for (uint64_t i = 0; i < chunk->lanes; i++) {
        const struct item_id id = chunk_global(chunk, i);
        bool same = true;
        for (int axis = 0; axis < 3; axis++) {
            same &= id.known[axis] && id.axis[axis] == item[axis];
        }
        if (same) {
            *lane = i;
            return true;
        }
    }
    return false;
}

uint64_t chunk_first(const struct chunk *chunk)
{
    for (uint64_t i = 0; i < chunk->lanes; i++) {
        if (chunk_state(chunk, i) != LANE_OFF) {
            return i;
        }
    }
    return 0;
}

const char *item_text(const struct item_id *id)
{
    const char *text = "";
    for (int i = 0; i < 3; i++) {
        text = id->known[i] ? scratch_format("%s%s%lld", text, i ? "," : "", (long long)id->axis[i])
                            : scratch_format("%s%s?", text, i ? "," : "");
    }
    return text;
}
