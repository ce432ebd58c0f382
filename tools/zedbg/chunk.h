/* The work-items that run together in the lanes of vectors. The compiler describes them by the
 * variable geoid_chunk (src/compiler/lower/debug/chunk.c). */
#ifndef ZEDBG_CHUNK_H
#define ZEDBG_CHUNK_H

#include "frame.h"

/* An id of a work-item. Optimised code does not keep all of its parts. */
struct item_id {
    int64_t axis[3];
    bool known[3];
};

struct chunk {
    uint64_t lanes;
    bool is_linear; /* lanes are numbered by the linear local id, else along x */
    bool mask_known;
    uint64_t mask;
    struct item_id linear; /* its x: the linear local id of lane 0 */
    struct item_id group, local, local_size, global_offset;
};

enum lane_state { LANE_OFF, LANE_ON, LANE_UNKNOWN };

/* Reads the chunk that a frame, or a caller of it, works on. */
bool chunk_read(const struct frame *frames, size_t count, size_t first, struct chunk *chunk);
struct item_id chunk_local(const struct chunk *chunk, uint64_t lane);
struct item_id chunk_global(const struct chunk *chunk, uint64_t lane);
enum lane_state chunk_state(const struct chunk *chunk, uint64_t lane);
/* Finds the lane of a work-item by its global id. */
bool chunk_find(const struct chunk *chunk, const int64_t item[3], uint64_t *lane);
/* Returns the first lane that is not off, or 0. */
uint64_t chunk_first(const struct chunk *chunk);
/* Returns an id as text in scratch memory: "5,0,0"; "?": unknown. */
const char *item_text(const struct item_id *id);

#endif
