/* Patterns: how far the lanes of a value are apart, where that is known when the module is built
 * although no stride says it.
 *
 *     value(lane) = base + offset[lane]      base: one for all lanes, its low bits zero or unknown
 *
 * Ids of a chunk start at a multiple of W, so that masks, shifts and exclusive ors of an id by
 * constants are patterns: id ^ 1 is 1, 0, 3, 2 ... An address with a pattern is vectors and a
 * shuffle instead of a gather.
 *
 * What the group knows when it starts a region may be assumed to be a constant, or a multiple of a
 * power of two: under that assumption id & (distance - 1) and its like are patterns, too. */
#ifndef GEO_COMPILER_ANALYSIS_PATTERN_H
#define GEO_COMPILER_ANALYSIS_PATTERN_H

#include "compiler/analysis/shape.h"

#define GEO_PATTERN_LANES 64u

/* About a uniform integer, for what the blocks of `inside` make of it. */
struct geo_assumption {
    const struct geo_ir_value *value; /* NULL: nothing is assumed */
    uint64_t number;                  /* with `zeros` 0: what it is */
    uint32_t zeros;                   /* low bits that are zero; 0: all bits are known */
    const bool *inside;               /* [block index] */
};

struct geo_pattern {
    int64_t offsets[GEO_PATTERN_LANES]; /* of the lanes, from lane 0: units; pointers: bytes */
    /* Of a pointer: lane 0 is `first` bytes behind a multiple of 2^zeros from where the pointer
     * that was indexed points to. */
    uint64_t first;
    uint32_t zeros;
    bool flagged; /* a lane that is off may hold poison: it came of operations that must not wrap */
};

struct geo_patterns {
    const struct geo_shapes *shapes;
    struct geo_assumption assumption;
    struct geo_pattern_form **forms; /* [value index]; made when they are asked for */
    struct geo_arena *arena;
    bool no_memory;
};

/* False when memory ran out, as is `no_memory` later. */
bool geo_patterns_init(struct geo_patterns *patterns, const struct geo_ir_function *function,
                       const struct geo_shapes *shapes, const struct geo_assumption *assumption,
                       struct geo_arena *arena);
/* Of an integer or a pointer; false: none is known. Claims hold for all lanes, dead ones too. */
bool geo_pattern_find(struct geo_patterns *patterns, const struct geo_ir_value *value,
                      struct geo_pattern *out);

/* One step from lane to lane. */
bool geo_pattern_is_stride(const struct geo_pattern *pattern, uint32_t lanes, int64_t *stride);

#endif
