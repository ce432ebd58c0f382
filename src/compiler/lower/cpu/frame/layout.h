/* Computes offsets of a function's private variables and of the values that barriers save. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_LAYOUT_H
#define GEO_COMPILER_LOWER_CPU_FRAME_LAYOUT_H

#include "compiler/lower/state/function.h"
#include "native/abi.h"

/* A value that lives across a barrier or between regions, with the offsets of its parts in the
 * chunk's record. */
struct geo_lower_saved {
    const struct geo_ir_value *value;
    uint64_t *offsets; /* of each part */
};

/* The mask of one block, saved in the chunk's record while the chunk is at a barrier. It holds the
 * lanes that wait in that block, or the lanes that are at the barrier. */
struct geo_lower_saved_mask {
    uint32_t position;
    uint64_t offset;
};

/* The values and masks that one barrier saves. */
struct geo_lower_save {
    struct geo_lower_saved *items;
    uint32_t count;
    struct geo_lower_saved_mask *masks; /* only where items may pass barriers */
    uint32_t mask_count;
};

/* Offsets and sizes of a function's memory. */
struct geo_lower_layout {
    uint64_t *variables;         /* by value index of a variable: offset of lane 0's copy */
    struct geo_lower_save *save; /* by barrier */
    /* offset of an i32: 0, or the barrier at which the chunk is + 1; only if frame->split.passed */
    uint64_t state;
    uint64_t slots;       /* offset of the slots of variables for debuggers (debug/variable.h) */
    uint64_t frame_bytes; /* per worker; without the frames of called functions */
    uint64_t chunk_bytes; /* size of a chunk's record */
};

/* Computes the layout for the current shapes. A kernel with regions has no `save`; values that pass
 * between regions are placed after this layout (cut.h). Returns false after a failure. */
bool geo_frame_layout_make(struct geo_lower_function *f, struct geo_lower_layout *out);
/* Places one value in the chunk's record and sets *saved. Returns false after a failure. */
bool geo_frame_layout_place(struct geo_lower_function *f, const struct geo_ir_value *value,
                            struct geo_lower_saved *saved, uint64_t *total);

#endif
