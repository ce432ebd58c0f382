/* Patterns: differences between lanes that are known at compile time although they form no stride.
 *
 *     value(lane) = base + offset[lane]      base: the same for all lanes; its low bits are zero or
 *                                            unknown
 *
 * The ids of a chunk start at a multiple of W. So masks, shifts and exclusive ors of an id by
 * constants are patterns: `id ^ 1` is 1, 0, 3, 2 and so on. An access whose address has a pattern
 * becomes vector accesses and a shuffle instead of a gather.
 *
 * A value that the group knows at the start of a region may be assumed to be a constant or a
 * multiple of a power of two. Under this assumption, expressions such as id & (distance - 1) are
 * patterns, too.
 *
 * The global ids of a chunk start at any number, but most often at a multiple of W. A search may
 * suppose this (`aligns`) and says so. Then code asks for the first lane's id. */
#ifndef GEO_COMPILER_ANALYSIS_PATTERN_H
#define GEO_COMPILER_ANALYSIS_PATTERN_H

#include "compiler/analysis/shape.h"

#define GEO_PATTERN_LANES 64u

/* An assumption about a uniform integer, which holds in the blocks of `inside`. */
struct geo_assumption {
    const struct geo_ir_value *value; /* NULL: no assumption */
    /* `zeros` > 0: the lowest `zeros` bits of the value are assumed to be zero.
     * `zeros` = 0: the value is assumed to be `number`. */
    uint64_t number;
    uint32_t zeros;
    const bool *inside; /* by block index: the assumption holds there */
};

/* The pattern of one value. Entries of lanes from W on are unused. */
struct geo_pattern {
    /* difference from lane 0, in units; for pointers in bytes */
    int64_t offsets[GEO_PATTERN_LANES];
    /* Only for pointers: lane 0 is `first` bytes behind a multiple of 2^zeros from the base
       pointer. */
    uint64_t first;
    uint32_t zeros;
    /* an inactive lane may hold poison, from operations that are declared not to wrap */
    bool flagged;
    /* The pattern holds only if this strided integer is not negative in lane 0, and its lowest
       `aligned_zeros` bits are zero there. NULL: it holds always. */
    const struct geo_ir_value *aligned;
    uint32_t aligned_zeros;
};

/* A search for patterns in one function. Results are kept in the arena for later searches. */
struct geo_patterns {
    const struct geo_shapes *shapes;
    struct geo_assumption assumption;
    bool aligns;                     /* suppose that chunks are aligned, where patterns need it */
    struct geo_pattern_form **forms; /* by value index; computed on demand */
    struct geo_arena *arena;
    bool no_memory;
};

/* Prepares the search for patterns. Returns false when memory runs out; later failures set
 * `no_memory`. */
bool geo_patterns_init(struct geo_patterns *patterns, const struct geo_ir_function *function,
                       const struct geo_shapes *shapes, const struct geo_assumption *assumption,
                       struct geo_arena *arena);
/* Finds the pattern of an integer or pointer. Returns false if none is known. The offsets hold for
 * all lanes, including inactive ones. */
bool geo_pattern_find(struct geo_patterns *patterns, const struct geo_ir_value *value,
                      struct geo_pattern *out);

/* Returns whether all lanes are one stride apart. */
bool geo_pattern_is_stride(const struct geo_pattern *pattern, uint32_t lanes, int64_t *stride);

#endif
