/* Builds an acceleration structure (format.h) from geometries (input.h), by any number of threads
 * (team.h), in memory of the caller (plan.h). Independent of the driver.
 *
 *     geo_rtas_build_begin(&build, &input, &plan, &target);
 *     geo_rtas_build_join(&build);      by any number of threads, once or more often
 *     build.too_small: repeat the build with a larger buffer
 *     geo_rtas_build_finish(&build);
 *
 * The steps, each consisting of one or more phases of the team:
 *
 *     read       make references to all primitives; invalid ones are left out
 *     close up   remove the gaps of primitives that were left out
 *     presplit   HIGH: split primitives whose boxes are mostly empty into parts (presplit.h)
 *     order      LOW: sort references along a space-filling curve (order.h)
 *     top        split large ranges by all threads together (top.h)
 *     subtrees   build the rest, each subtree by one thread (subtree.h)
 *
 * The same input gives the same tree with any number of threads. Only the order of nodes in memory
 * may differ, and that of primitives if there are several kinds. */
#ifndef GEO_RTAS_BUILD_H
#define GEO_RTAS_BUILD_H

#include "rtas/plan.h"
#include "rtas/presplit.h"
#include "rtas/split.h"
#include "rtas/team.h"

/* A part of a phase's work and its results. */
struct geo_rtas_chunk {
    uint32_t begin, end;
    uint32_t range; /* top: number of the range */
    uint32_t count; /* references made; top: references on the left side */
    /* where they go; top: place of the left ones, end of the right ones */
    uint32_t offset, offset2;
    double weight; /* presplit */
    /* presplit: number of parts for each density that is tried */
    uint32_t extra[GEO_RTAS_DENSITIES];
    struct geo_rtas_sides sides; /* boxes of the references made, in [0] except for splits */
};

/* A reference with its Morton code (order.h). */
struct geo_rtas_place {
    uint32_t code, ref;
};

/* A subtree to build: a node, and the ranges of its first children. */
struct geo_rtas_task {
    uint32_t node, depth;
    uint32_t count;
    uint32_t top[GEO_RTAS_WIDTH]; /* numbers of the ranges */
};

/* A range of the top: split into two others, or not split. */
struct geo_rtas_top {
    struct geo_rtas_range range;
    struct geo_rtas_cut cut;
    uint32_t below[2]; /* numbers of its halves; 0: not split */
};

/* The memory for a build. */
struct geo_rtas_target {
    void *scratch;
    void *buffer;
    size_t buffer_bytes;
    ze_rtas_aabb_ext_t *bounds; /* may be NULL */
    /* may be NULL; receives the size of the structure, also if the buffer is too small */
    size_t *bytes;
};

/* The stages of a build: BEGIN, its phases, DONE. */
enum geo_rtas_stage {
    GEO_RTAS_STAGE_BEGIN,
    GEO_RTAS_STAGE_READ,
    GEO_RTAS_STAGE_CLOSE_UP,
    GEO_RTAS_STAGE_WEIGH,
    GEO_RTAS_STAGE_DIVIDE,
    GEO_RTAS_STAGE_CUT,
    GEO_RTAS_STAGE_ORDER_COUNT,
    GEO_RTAS_STAGE_ORDER_MOVE,
    GEO_RTAS_STAGE_ORDER_GATHER,
    GEO_RTAS_STAGE_TOP_BIN,
    GEO_RTAS_STAGE_TOP_MOVE,
    GEO_RTAS_STAGE_SUBTREES,
    GEO_RTAS_STAGE_DONE,
};

/* A build. The driver embeds it; its arrays are in the caller's memory. */
struct geo_rtas_build {
    struct geo_rtas_input input;
    struct geo_rtas_plan plan;
    struct geo_rtas_target target;
    struct geo_rtas_team team;
    enum geo_rtas_stage stage;
    bool too_small; /* the result is incomplete; target.bytes is the size needed */

    /* arrays in scratch */
    uint32_t *starts; /* [input.count + 1] number of each geometry's first primitive among all */
    struct geo_rtas_ref *refs[2];
    struct geo_rtas_chunk *chunks;
    struct geo_rtas_bins *bins;          /* [chunks of a round] */
    struct geo_rtas_place *places;       /* [refs] sorted by code */
    uint32_t (*digits)[GEO_RTAS_DIGITS]; /* [chunks] */
    struct geo_rtas_box *blocks;         /* [refs / GEO_RTAS_BLOCK] boxes of blocks */
    struct geo_rtas_top *top;
    struct geo_rtas_task *tasks;

    uint32_t chunk_count;
    struct geo_rtas_range all;
    bool cut;       /* primitives were split into parts */
    double density; /* presplit: extra parts per unit of weight */
    /* top_count: ranges; round_begin to round_end: those of the round; round: its number */
    uint32_t top_count, round_begin, round_end, round;
    uint32_t task_count;
    struct geo_rtas_mapping grid; /* of Morton codes */
    uint32_t pass;

    /* The structure. If the buffer is too small, nodes are counted but not written. */
    struct geo_rtas_layout layout;
    uint64_t counts[GEO_RTAS_KINDS];
    struct geo_rtas_node *nodes; /* NULL: nothing is written */
    uint32_t node_capacity;
    _Atomic uint32_t node_count;
    _Atomic uint32_t depth;
    _Atomic uint32_t next[GEO_RTAS_KINDS]; /* next free primitive, used with several kinds */
};

/* Initialises a build. The target's scratch must have the planned size and the buffer the alignment
 * of the format. All arguments must live until the build is done. */
void geo_rtas_build_begin(struct geo_rtas_build *build, const struct geo_rtas_input *input,
                          const struct geo_rtas_plan *plan, const struct geo_rtas_target *target);

/* Takes part in the build, and returns when it is done. */
void geo_rtas_build_join(struct geo_rtas_build *build);

/* Releases what geo_rtas_build_begin has initialised. */
void geo_rtas_build_finish(struct geo_rtas_build *build);

#endif
