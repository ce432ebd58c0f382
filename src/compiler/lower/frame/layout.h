/* What a function keeps while it is lowered: offsets of private variables and of what barriers
 * save. */
#ifndef GEO_COMPILER_LOWER_FRAME_LAYOUT_H
#define GEO_COMPILER_LOWER_FRAME_LAYOUT_H

#include "compiler/lower/state/function.h"

/* A value that lives across a barrier: where it is in the chunk's record, part by part. */
struct geo_lower_saved {
    const struct geo_ir_value *value;
    uint64_t *offsets;
};

/* Lanes that wait elsewhere at a barrier, or those that are at it: the mask of a block, by its
 * position, in the chunk's record. */
struct geo_lower_saved_mask {
    uint32_t position;
    uint64_t offset;
};

/* What one barrier saves. */
struct geo_lower_save {
    struct geo_lower_saved *items;
    uint32_t count;
    struct geo_lower_saved_mask *masks; /* where barriers are passed by; else none */
    uint32_t mask_count;
};

struct geo_lower_layout {
    uint64_t *variables;         /* [value index], of variables: offset of lane 0's copy */
    struct geo_lower_save *save; /* [barrier] */
    uint64_t state;       /* offset of an i32: 0, or the barrier the chunk is at + 1; if passed */
    uint64_t frame_bytes; /* per worker (a function's own, without callees) */
    uint64_t chunk_bytes; /* per chunk */
};

/* For the current shapes. A kernel that is cut into regions has no `save`: what regions leave to
 * each other is placed behind this (cut.h). */
bool geo_lower_layout_make(struct geo_lower_function *f, struct geo_lower_layout *out);
/* Places one value in the chunk's record: sets saved->offsets. */
bool geo_lower_layout_place(struct geo_lower_function *f, const struct geo_ir_value *value,
                            struct geo_lower_saved *saved, uint64_t *total);

#endif
