/* Regions: the pieces that barriers cut a kernel into, for all items of a work-group together.
 *
 * A region is entered at its head alone and has no barrier inside. All items of the group run it
 * before any of them goes on, and then all go on to the same place: behind the barrier that the
 * region ends with, to one other head, or where a branch leads that is the same for the whole
 * group. So control between regions is the group's, and a chunk runs nothing but one region:
 *
 *     for (s = n / 2; s > 0; s /= 2) {          head: s = phi      branch of the group (s > 0)
 *         if (lid < s) { a[lid] += a[lid + s]; }    if ... barrier     region, chunk by chunk
 *         barrier();                                s / 2              a region without chunks
 *     }
 *
 * A loop of one block that is the same for all items and only reads is a region of its own, which
 * the group runs once and no chunk: kernels made by fusing operations have such loops.
 *
 * Not every kernel can be cut: where items may pass a barrier by (passed.h) or leave a region for
 * several places without a branch of the group, lower/ enters chunks by a switch instead. */
#ifndef GEO_COMPILER_ANALYSIS_REGIONS_H
#define GEO_COMPILER_ANALYSIS_REGIONS_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/linear.h"

struct geo_region {
    uint32_t *positions; /* of its blocks in geo_loops.order, ascending: the head is the first */
    uint32_t count;
    uint32_t exits; /* blocks that it is left from */
    uint32_t last;  /* the position of the last of them; with one exit everybody leaves there */
    bool branches;  /* there is one exit: its terminator says where the group goes on */
    uint32_t next;  /* otherwise: the head that comes next, or GEO_LINEAR_END */
    bool own;       /* the group's own: one block, the same for all items, which only reads */
};

struct geo_regions {
    struct geo_region *list; /* by position of their heads; the kernel starts with the first */
    uint32_t count;          /* 0: the kernel is not cut */
    uint32_t *of;            /* [position]: its region's place in `list` */
};

/* `group`: shapes of the whole group (geo_shape_options.group). False when memory ran out. */
bool geo_regions_cut(const struct geo_loops *loops, const struct geo_barriers *barriers,
                     const struct geo_shapes *group, struct geo_arena *arena,
                     struct geo_regions *out);

#endif
