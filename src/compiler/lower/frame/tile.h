/* The tile whose body is emitted: chunks that are computed together (analysis/tiles.h). Outside of
 * such a body there is one member, the chunk. */
#ifndef GEO_COMPILER_LOWER_FRAME_TILE_H
#define GEO_COMPILER_LOWER_FRAME_TILE_H

#include "compiler/analysis/tiles.h"
#include "compiler/lower/state/function.h"

struct geo_lower_member {
    struct geo_lower_value *values; /* by value index: those that are apart */
    LLVMValueRef **homes;           /* likewise: allocas of their parts */
    LLVMValueRef place;             /* i64: its local id in the tile's direction */
    LLVMValueRef record;            /* of the chunk; NULL without barriers */
};

struct geo_lower_tile {
    struct geo_tiles tiles;
    uint32_t count;
    struct geo_lower_member members[GEO_TILE_LIMIT];
    LLVMBasicBlockRef alone; /* where members go that do not agree */
};

/* Finds what is apart, for the shapes at hand, and makes room for the members; NULL after a
 * failure. ids_fit: the code is run only where ids fit 31 bits. */
struct geo_lower_tile *geo_lower_tile_make(struct geo_lower_function *f,
                                           enum geo_shape_tile direction, bool ids_fit);
/* From here on f emits the tile's body; until geo_lower_tile_end. */
void geo_lower_tile_begin(struct geo_lower_function *f, struct geo_lower_tile *tile);
void geo_lower_tile_end(struct geo_lower_function *f);
/* How often a value is made: once for each member, where it is apart. */
uint32_t geo_lower_copies(const struct geo_lower_function *f, const struct geo_ir_value *value);
/* How often something is done that is done for each member. */
uint32_t geo_lower_members(const struct geo_lower_function *f);
/* What follows is the member's. Nothing that is not apart depends on which one it is. */
void geo_lower_select(struct geo_lower_function *f, uint32_t member);

#endif
