/* Tiles: several chunks of a work-group that are computed together. The chunks are the tile's
 * members.
 *
 * The members are adjacent in y (rows) or in x (columns). Values that are the same in all members
 * are computed once; values that are apart are computed once per member, instruction by
 * instruction. So loads are shared, and chains of dependent operations overlap.
 *
 *     for k: sum += a[y][k] * b[k][x]      for k: b' = b[k][x]
 *                                                 sum0 += a[y][k] * b'
 *                                                 sum1 += a[y + 1][k] * b' ...
 *
 * An access is joint if its addresses are scattered over the lanes of one chunk and adjacent over
 * the members. It then moves the elements of all members at once, lane by lane. A transpose writes
 * such rows.
 *
 * Members take the same branches. Where they could differ, the code compares their conditions,
 * outside of loops and before any side effect. Members that disagree restart as single chunks. The
 * order of items between barriers is unspecified, so programs cannot observe this. */
#ifndef GEO_COMPILER_ANALYSIS_TILES_H
#define GEO_COMPILER_ANALYSIS_TILES_H

#include "compiler/analysis/shape.h"

#define GEO_TILE_LIMIT 16u

/* The kernel and the target that tiles are computed for. */
struct geo_tile_options {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes; /* shapes of a chunk */
    enum geo_shape_tile direction;
    bool ids_fit_31_bits, large_objects; /* as in geo_shape_options */
    uint32_t forced;    /* number of members wherever it is legal; 0: chosen by cost */
    uint32_t registers; /* number of vector registers */
};

/* Differences between the members of a tile, in the arena that was given to geo_tiles_find. */
struct geo_tiles {
    struct geo_tile_options options;
    bool *apart;    /* by value index: each member has a value of its own */
    bool differ;    /* some value is apart; otherwise the kernel is never launched with rows */
    int64_t *steps; /* by value index: stride from member to member; 0: unknown */
    bool *agree;    /* by block index: members must agree on its branch */
};

/* The blocks that a tile would compute. */
struct geo_tile_body {
    const uint32_t *positions; /* ascending positions in geo_loops.order; NULL: the first `count` */
    uint32_t count;
};

/* Finds the values that differ between members. Returns false when memory runs out. */
bool geo_tiles_find(const struct geo_tile_options *options, struct geo_arena *arena,
                    struct geo_tiles *out);
/* Returns whether an access is joint if all lanes are active. */
bool geo_tile_is_joint(const struct geo_tiles *tiles, const struct geo_ir_inst *inst);
/* Returns the number of members of a tile of these blocks, a power of two. 1: a tile is illegal or
 * not profitable. */
uint32_t geo_tile_members(struct geo_tiles *tiles, const struct geo_tile_body *body,
                          struct geo_arena *arena);

#endif
