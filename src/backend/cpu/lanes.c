/* Counts chunks by the sizes of groups: along each dimension all groups but the last have the
 * launch's size, and the last one has what is left. */
#include "backend/cpu/lanes.h"

#include "base/assert.h"

/* Adds `groups` groups of one size. */
static void lanes_add(struct geo_cpu_lanes *lanes, const struct geo_scratch_needs *needs,
                      const uint64_t size[3], uint64_t groups)
{
    const uint64_t width = needs->lanes, rows = needs->linear ? 1 : size[1] * size[2];
    const uint64_t row = needs->linear ? size[0] * size[1] * size[2] : size[0];
    lanes->items += groups * rows * row;
    lanes->chunks += groups * rows * ((row + width - 1) / width);
    lanes->partial += row % width != 0 ? groups * rows : 0;
}

struct geo_cpu_lanes geo_cpu_lanes_count(const struct geo_launch *launch,
                                         const struct geo_scratch_needs *needs)
{
    struct geo_cpu_lanes lanes = {0};
    uint64_t sizes[3][2], counts[3][2]; /* of inner groups, and of the last one */
    GEO_ASSERT(needs->lanes != 0);
    for (int i = 0; i < 3; i++) {
        GEO_ASSERT(launch->group_count[i] != 0);
        counts[i][0] = launch->group_count[i] - 1;
        counts[i][1] = 1;
        sizes[i][0] = launch->local_size[i];
        sizes[i][1] = launch->global_size[i] - counts[i][0] * sizes[i][0];
    }
    for (int corner = 0; corner < 8; corner++) {
        const int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        lanes_add(&lanes, needs, (const uint64_t[3]){sizes[0][x], sizes[1][y], sizes[2][z]},
                  counts[0][x] * counts[1][y] * counts[2][z]);
    }
    return lanes;
}
