/* Regions: the pieces into which barriers divide a kernel, for all items of a work-group together.
 *
 * A region is entered only at its head and contains no barrier. All items of the group run it
 * before any of them continues, and then all continue at the same place. This is the block behind
 * the barrier at its end, one other head, or the target of a branch that is uniform in the whole
 * group. So the group executes the control flow between regions, and a chunk executes one region at
 * a time:
 *
 *     for (s = n / 2; s > 0; s /= 2) {          head: s = phi      branch of the group (s > 0)
 *         if (lid < s) { a[lid] += a[lid + s]; }    if ... barrier     region, chunk by chunk
 *         barrier();                                s / 2              a region without chunks
 *     }
 *
 * A loop of one block that is the same for all items and only reads memory is a region of its own.
 * The group runs it once, and no chunk does. Kernels made by fusing operations have such loops.
 *
 * Some kernels cannot be divided: items may pass a barrier (passed.h), or leave a region for
 * several places without a group branch. There lower/ enters chunks by a switch instead. */
#ifndef GEO_COMPILER_ANALYSIS_REGIONS_H
#define GEO_COMPILER_ANALYSIS_REGIONS_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/linear.h"

/* One region of a kernel. */
struct geo_barrier_region {
    /* ascending positions of its blocks in geo_loops.order; the head is the first */
    uint32_t *positions;
    uint32_t count;
    uint32_t exits; /* number of blocks that leave the region */
    uint32_t last;  /* position of the last of these; if there is one exit, all items leave there */
    bool branches;  /* has one exit, whose terminator decides where the group continues */
    uint32_t next;  /* otherwise: the next head, or GEO_LINEAR_END */
    bool own; /* run by the group: one block, the same for all items, which only reads memory */
};

/* All regions of a kernel, in the arena that was given to geo_regions_cut. */
struct geo_regions {
    struct geo_barrier_region
        *list;      /* by position of their heads; the kernel starts with the first */
    uint32_t count; /* 0: the kernel could not be divided */
    uint32_t *of;   /* by position: index of its region in `list` */
};

/* Divides a kernel into regions. `group`: shapes of the whole group (geo_shape_options.group).
 * Returns false when memory runs out. */
bool geo_regions_cut(const struct geo_loops *loops, const struct geo_barriers *barriers,
                     const struct geo_shapes *group, struct geo_arena *arena,
                     struct geo_regions *out);

#endif
