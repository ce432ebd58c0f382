/* Tiles: several chunks of a work-group that are computed together, its members.
 *
 * The members lie above each other (rows: they differ in y) or side by side (columns: in x). What
 * is the same in all of them is computed once, what is apart once for each, instruction by
 * instruction: loads are shared and chains of dependent operations overlap.
 *
 *     for k: sum += a[y][k] * b[k][x]      for k: b' = b[k][x]
 *                                                 sum0 += a[y][k] * b'
 *                                                 sum1 += a[y + 1][k] * b' ...
 *
 * Where an access goes to places that lie apart in the lanes of one chunk and side by side in the
 * members, it is joint: of each lane all members' elements at once. A transpose has rows to write.
 *
 * Members take the same branches. Where they could differ they are asked, outside of loops and
 * before anything has an effect: such as do not agree start again, each for itself. Items of a
 * group are not ordered between barriers, so that nobody can tell. */
#ifndef GEO_COMPILER_ANALYSIS_TILES_H
#define GEO_COMPILER_ANALYSIS_TILES_H

#include "compiler/analysis/shape.h"

#define GEO_TILE_LIMIT 16u

struct geo_tile_options {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes; /* of a chunk */
    enum geo_shape_tile direction;
    bool ids_fit_31_bits, large_objects; /* as for shapes (shape.h) */
    uint32_t forced;                     /* members, wherever it is legal; 0: what pays */
    uint32_t registers;                  /* vector registers that hold one value each */
};

struct geo_tiles {
    struct geo_tile_options options;
    bool *apart;    /* [value index]: members have a value each */
    bool differ;    /* some value is apart: otherwise nobody launches the kernel with rows */
    int64_t *steps; /* [value index]: from member to member, as a stride; 0: none is known */
    bool *agree;    /* [block index]: members must be asked where its branch goes */
};

/* How many members a tile of some blocks has. */
struct geo_tile_body {
    const uint32_t *positions; /* in geo_loops.order, ascending; NULL: the first `count` */
    uint32_t count;
};

/* False when memory ran out. */
bool geo_tiles_find(const struct geo_tile_options *options, struct geo_arena *arena,
                    struct geo_tiles *out);
/* An access that is joint where all lanes are on. */
bool geo_tile_is_joint(const struct geo_tiles *tiles, const struct geo_ir_inst *inst);
/* Members of a tile of these blocks, a power of two; 1: none, it is not legal or does not pay. */
uint32_t geo_tile_members(struct geo_tiles *tiles, const struct geo_tile_body *body,
                          struct geo_arena *arena);

#endif
