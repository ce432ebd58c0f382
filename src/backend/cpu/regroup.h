/* Chooses other work-groups for kernels that do not depend on their group (GEO_KERNEL_ANY_GROUPS).
 * Items run in vectors along x, and narrow or small groups would leave most lanes idle. */
#ifndef GEO_BACKEND_CPU_REGROUP_H
#define GEO_BACKEND_CPU_REGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct geo_grid {
    uint32_t count[3], size[3]; /* number of groups; items per group */
};

/* Divides the grid `asked`, whose global sizes are below 2^31, into groups that fill vectors of
 * `lanes` items. With `long_rows` (GEO_KERNEL_LONG_ROWS) it prefers groups that are long along x.
 * The last groups along an axis may extend beyond its end. Returns false when the groups of `asked`
 * are already good. */
bool geo_regroup(const struct geo_grid *asked, uint32_t lanes, bool long_rows,
                 struct geo_grid *grid);

/* Lengthens groups along x until they are a multiple of `lanes`, which the grid's size along x is. */
void geo_regroup_whole(const struct geo_grid *asked, uint32_t lanes, struct geo_grid *grid);

/* Returns the range of groups of `asked` that contains all items of the groups `first` to `last` of
 * `grid`. */
void geo_regroup_back(const struct geo_grid *asked, const struct geo_grid *grid, uint32_t first[3],
                      uint32_t last[3]);

#endif
