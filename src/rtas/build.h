/* Builds an acceleration structure (format.h) from geometries (input.h), with any number of threads
 * (team.h), in memory that the caller gives (plan.h). Knows nothing of the driver.
 *
 *     geo_rtas_build_begin(&build, &input, &plan, &target);
 *     geo_rtas_build_join(&build);      any number of threads, once or more often
 *     build.too_small: it has to be done again with a larger buffer
 *     geo_rtas_build_finish(&build);
 *
 * The steps, each a phase or several of the team:
 *
 *     read       references to all primitives; those that are no good are left out
 *     close up   where some were left out
 *     presplit   HIGH: primitives whose boxes are mostly empty are cut into parts (presplit.h)
 *     order      LOW: references are sorted along a curve (order.h)
 *     top        large ranges are cut by all threads together (top.h)
 *     subtrees   what is left, each by one thread (subtree.h)
 *
 * The same input gives the same tree with any number of threads; only the order of nodes in memory
 * may differ, and that of primitives where there are several kinds. */
#ifndef GEO_RTAS_BUILD_H
#define GEO_RTAS_BUILD_H

#include "rtas/plan.h"
#include "rtas/presplit.h"
#include "rtas/split.h"
#include "rtas/team.h"

/* A part of a phase's work, and what came of it. */
struct geo_rtas_chunk {
    uint32_t begin, end;
    uint32_t range;           /* top: of the round's */
    uint32_t count;           /* references that were made; top: those on the left of the cut */
    uint32_t offset, offset2; /* where they go; top: the left, and the end of the right */
    double weight;            /* presplit */
    uint32_t extra[GEO_RTAS_DENSITIES]; /* presplit: parts, for each density that is tried */
    struct geo_rtas_sides sides;        /* boxes of what was made: in [0], but for cuts */
};

/* A reference in the order of low quality (order.h). */
struct geo_rtas_place {
    uint32_t code, ref;
};

/* A subtree to be built: a node whose first children are known. */
struct geo_rtas_task {
    uint32_t node, depth;
    uint32_t count;
    uint32_t top[GEO_RTAS_WIDTH]; /* numbers of ranges */
};

/* A range of the top: cut into two others, or left as it is. */
struct geo_rtas_top {
    struct geo_rtas_range range;
    struct geo_rtas_cut cut;
    uint32_t below[2]; /* 0: not cut */
};

/* Where the structure goes. */
struct geo_rtas_target {
    void *scratch;
    void *buffer;
    size_t buffer_bytes;
    ze_rtas_aabb_ext_t *bounds; /* [optional] */
    size_t *bytes;              /* [optional] what the structure takes, or would */
};

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

struct geo_rtas_build {
    struct geo_rtas_input input;
    struct geo_rtas_plan plan;
    struct geo_rtas_target target;
    struct geo_rtas_team team;
    enum geo_rtas_stage stage;
    bool too_small; /* nothing can be used; target.bytes says what it takes */

    /* In scratch. */
    uint32_t *starts; /* [input.count + 1] each geometry's first primitive among all */
    struct geo_rtas_ref *refs[2];
    struct geo_rtas_chunk *chunks;
    struct geo_rtas_bins *bins;          /* [chunks of a round] */
    struct geo_rtas_place *places;       /* [refs], with codes in rising order; and */
    uint32_t (*digits)[GEO_RTAS_DIGITS]; /* [chunks] */
    struct geo_rtas_box *blocks;         /* [refs / GEO_RTAS_BLOCK] */
    struct geo_rtas_top *top;
    struct geo_rtas_task *tasks;

    uint32_t chunk_count;
    struct geo_rtas_range all;
    bool cut;       /* primitives have been cut into parts */
    double density; /* presplit: extra parts for each unit of weight */
    uint32_t top_count, round_begin, round_end, round; /* ranges; those of the round */
    uint32_t task_count;
    struct geo_rtas_mapping grid; /* order */
    uint32_t pass;

    /* The structure. While the buffer is too small its nodes are counted and not written. */
    struct geo_rtas_layout layout;
    uint64_t counts[GEO_RTAS_KINDS];
    struct geo_rtas_node *nodes; /* NULL: nothing is written */
    uint32_t node_capacity;
    _Atomic uint32_t node_count;
    _Atomic uint32_t depth;
    _Atomic uint32_t next[GEO_RTAS_KINDS]; /* primitive; with several kinds */
};

/* The target's scratch has what the plan says; the buffer is aligned as the format wants. What is
 * referred to lives until the build is done. */
void geo_rtas_build_begin(struct geo_rtas_build *build, const struct geo_rtas_input *input,
                          const struct geo_rtas_plan *plan, const struct geo_rtas_target *target);

/* Returns when the build is done, whoever did it. */
void geo_rtas_build_join(struct geo_rtas_build *build);

void geo_rtas_build_finish(struct geo_rtas_build *build);

#endif
