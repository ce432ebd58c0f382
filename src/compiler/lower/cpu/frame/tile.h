/* The tile whose body is being emitted: chunks that are computed together, the tile's members
 * (analysis/tiles.h). Outside the body of a tile, the chunk is the only member. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_TILE_H
#define GEO_COMPILER_LOWER_CPU_FRAME_TILE_H

#include "compiler/analysis/tiles.h"
#include "compiler/lower/state/function.h"

/* One member of a tile. */
struct geo_lower_member {
    struct geo_lower_value *values; /* by value index: values that differ between members */
    LLVMValueRef **homes;           /* by value index: allocas of the parts of these values */
    LLVMValueRef place;             /* i64: local id in the tile's direction */
    LLVMValueRef record;            /* record of the chunk; NULL without barriers */
};

/* The tile and its members, in the arena of the function. */
struct geo_lower_tile {
    struct geo_tiles tiles;
    uint32_t count;
    struct geo_lower_member members[GEO_TILE_LIMIT];
    /* body of a single chunk, used when the members disagree about a branch */
    LLVMBasicBlockRef alone;
};

/* Finds the values that differ between members, for the current shapes, and allocates the members'
 * tables. `ids_fit` says that the code runs only if ids fit 31 bits. Returns NULL after a
 * failure. */
struct geo_lower_tile *geo_frame_tile_make(struct geo_lower_function *f,
                                           enum geo_shape_tile direction, bool ids_fit);
/* Switch `f` to emitting the tile's body, and back to emitting for one chunk. */
void geo_frame_tile_begin(struct geo_lower_function *f, struct geo_lower_tile *tile);
void geo_frame_tile_end(struct geo_lower_function *f);
/* Returns how many copies of a value are emitted: one for each member if members differ, otherwise
 * one. */
uint32_t geo_frame_tile_copies(const struct geo_lower_function *f,
                               const struct geo_ir_value *value);
/* Returns the number of members, which is 1 outside the body of a tile. */
uint32_t geo_frame_tile_members(const struct geo_lower_function *f);
/* Selects the member for which code is emitted next. Values that are equal in all members are not
 * affected. */
void geo_frame_tile_select(struct geo_lower_function *f, uint32_t member);

#endif
