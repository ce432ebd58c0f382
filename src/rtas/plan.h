/* What a build needs before it is begun: how much memory at most, and where things lie in scratch.
 *
 * All memory of a build is the application's: its scratch buffer holds everything in between, so a
 * build allocates nothing and cannot run out of anything but the buffer for the result. */
#ifndef GEO_RTAS_PLAN_H
#define GEO_RTAS_PLAN_H

#include "rtas/input.h"

#define GEO_RTAS_CHUNKS     128u  /* into which a phase over all references is divided, at most */
#define GEO_RTAS_CHUNK_MIN  1024u /* references of a chunk, but for a range's last */
#define GEO_RTAS_TOP_MIN    4096u /* references from which on threads share the top of the tree */
#define GEO_RTAS_TOP_SPLITS 511u  /* cuts that they share, at most */
#define GEO_RTAS_TOP_NODES  (2 * GEO_RTAS_TOP_SPLITS + 1)
#define GEO_RTAS_BLOCK      16u /* references of a block; a chunk has whole ones */
#define GEO_RTAS_DIGIT_BITS 8u  /* of a code (order.h) */
#define GEO_RTAS_DIGITS     (1u << GEO_RTAS_DIGIT_BITS)

/* Offsets in scratch, each for what build.h names. */
struct geo_rtas_scratch {
    size_t starts, refs[2], chunks, bins, places, digits, blocks, top, tasks;
    size_t bytes;
};

/* Leaves of a kind: up to `always` primitives make one, up to `most` may. */
struct geo_rtas_leaf_limit {
    uint32_t always, most;
};

struct geo_rtas_plan {
    uint64_t primitives; /* described */
    uint64_t counts[GEO_RTAS_KINDS];
    uint32_t refs;  /* most there can be */
    uint32_t extra; /* of these: parts of primitives that are cut */
    uint32_t kind;  /* of all; GEO_RTAS_KINDS: several */
    bool ordered;   /* LOW: cuts are those of an order (order.h), not of bins */
    struct geo_rtas_leaf_limit leaf[GEO_RTAS_KINDS];
    struct geo_rtas_scratch scratch;
    uint64_t expected_bytes, max_bytes; /* of the structure */
};

/* UNSUPPORTED_SIZE when there is more than 32 bits count. The input was checked. */
ze_result_t geo_rtas_plan_make(const struct geo_rtas_input *input, struct geo_rtas_plan *plan);

/* Chunks of `count` references, and how many references are in each but the last. */
uint32_t geo_rtas_plan_chunk(uint64_t count);
uint32_t geo_rtas_plan_chunks(uint64_t count);

/* Up to how many references a range is left to one thread. */
uint32_t geo_rtas_plan_task(uint32_t refs);

/* Bytes of a structure's parts; the nodes are last. */
struct geo_rtas_layout {
    uint64_t primitives[GEO_RTAS_KINDS], nodes; /* offsets */
};
struct geo_rtas_layout geo_rtas_layout_of(const uint64_t counts[GEO_RTAS_KINDS]);

#endif
