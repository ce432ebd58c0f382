/* Other work-groups for kernels whose items know nothing of theirs (GEO_KERNEL_ANY_GROUPS): items
 * run W at a time along x, and groups that are narrow, or of few items, waste most of that. */
#ifndef GEO_BACKEND_CPU_REGROUP_H
#define GEO_BACKEND_CPU_REGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct geo_grid {
    uint32_t count[3], size[3]; /* groups; items of one */
};

/* The grid of `asked`, whose global sizes are below 2^31, in groups that fill chunks of `lanes`
 * items; the last ones along an axis may reach beyond its end. False: they are as good as they are.
 */
bool geo_regroup(const struct geo_grid *asked, uint32_t lanes, struct geo_grid *grid);

/* From groups of `grid`, first to last in their order, to groups of `asked` between which, in
 * theirs, all of those items are. */
void geo_regroup_back(const struct geo_grid *asked, const struct geo_grid *grid, uint32_t first[3],
                      uint32_t last[3]);

#endif
