/* The memory that a build needs: upper bounds of sizes, and the layout of the scratch buffer.
 *
 * All memory of a build is provided by the application. The scratch buffer contains all
 * intermediate data, so a build allocates nothing, and only the buffer for the result can be too
 * small. */
#ifndef GEO_RTAS_PLAN_H
#define GEO_RTAS_PLAN_H

#include "rtas/input.h"

/* most chunks into which a phase over all references is divided */
#define GEO_RTAS_CHUNKS    128u
#define GEO_RTAS_CHUNK_MIN 1024u /* references of a chunk, except the last of a range */
/* number of references from which threads share the top of the tree */
#define GEO_RTAS_TOP_MIN    4096u
#define GEO_RTAS_TOP_SPLITS 511u /* most splits of the top */
#define GEO_RTAS_TOP_NODES  (2 * GEO_RTAS_TOP_SPLITS + 1)
#define GEO_RTAS_BLOCK      16u /* references of a block; a chunk consists of whole blocks */
#define GEO_RTAS_DIGIT_BITS 8u  /* of a Morton code (order.h) */
#define GEO_RTAS_DIGITS     (1u << GEO_RTAS_DIGIT_BITS)

/* Offsets in scratch of the arrays in build.h. */
struct geo_rtas_scratch {
    size_t starts, refs[2], chunks, bins, places, digits, blocks, top, tasks;
    size_t bytes;
};

/* Sizes of leaves of a kind: up to `always` primitives become a leaf, up to `most` may. */
struct geo_rtas_leaf_limit {
    uint32_t always, most;
};

/* The plan of a build. */
struct geo_rtas_plan {
    uint64_t primitives; /* described primitives */
    uint64_t counts[GEO_RTAS_KINDS];
    uint32_t refs;  /* most references */
    uint32_t extra; /* most parts among them beyond one per primitive */
    uint32_t kind;  /* kind of all primitives; GEO_RTAS_KINDS: several */
    bool ordered;   /* LOW: split by order (order.h), not by bins */
    struct geo_rtas_leaf_limit leaf[GEO_RTAS_KINDS];
    struct geo_rtas_scratch scratch;
    uint64_t expected_bytes, max_bytes; /* of the structure */
};

/* Makes the plan for a checked input. Returns UNSUPPORTED_SIZE for more primitives than 32 bits can
 * count. */
ze_result_t geo_rtas_plan_make(const struct geo_rtas_input *input, struct geo_rtas_plan *plan);

/* Return how many references each chunk but the last contains, and the number of chunks. */
uint32_t geo_rtas_plan_chunk(uint64_t count);
uint32_t geo_rtas_plan_chunks(uint64_t count);

/* Returns up to how many references a range is left to one thread. */
uint32_t geo_rtas_plan_task(uint32_t refs);

/* Offsets of the parts of a structure; the nodes are last. */
struct geo_rtas_layout {
    uint64_t primitives[GEO_RTAS_KINDS], nodes; /* in bytes */
};
struct geo_rtas_layout geo_rtas_plan_layout(const uint64_t counts[GEO_RTAS_KINDS]);

#endif
