/* Divides a grid into other work-groups. See regroup.h. */
#include "backend/cpu/regroup.h"

#include "base/assert.h"

/* With groups of this many items the overhead of a group is a few percent. */
#define ITEMS_ENOUGH UINT64_C(256)
/* Small groups are enlarged while at least this many groups remain. */
#define GROUPS_ENOUGH UINT64_C(1024)
/* Row length for narrow groups in a plane, so that items that are adjacent along y stay
 * together. */
#define ROW_ITEMS UINT64_C(64)
/* Row length for groups of kernels that access memory in rows. Shorter rows leave little to the
 * processor's prefetching, and rows of images of 2^n pixels meet in the same sets of the caches. */
#define LONG_ROW_ITEMS UINT64_C(256)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* Returns whether more than a tenth of the lanes would be idle. */
static bool is_narrow(uint64_t items, uint32_t lanes)
{
    return items * 10 < round_up(items, lanes) * 9;
}

/* Makes groups longer along x, with about as many items. */
static void lengthen(const uint64_t global[3], uint32_t lanes, uint64_t size[3])
{
    uint64_t items = size[0] * size[1] * size[2];
    uint64_t row = round_up(most(least(LONG_ROW_ITEMS, items), size[0]), lanes);
    size[0] = least(row, global[0]);
    size[1] = least(most(items / size[0], 1), size[1]);
    size[2] = least(most(items / (size[0] * size[1]), 1), size[2]);
}

bool geo_regroup(const struct geo_grid *asked, uint32_t lanes, bool long_rows,
                 struct geo_grid *grid)
{
    uint64_t global[3], size[3], items = 1;
    for (int i = 0; i < 3; i++) {
        size[i] = asked->size[i];
        global[i] = (uint64_t)asked->count[i] * size[i];
        items *= size[i];
    }
    bool narrow = is_narrow(size[0], lanes), plane = size[1] * size[2] > 1;
    bool lengthens = long_rows && plane && size[0] < LONG_ROW_ITEMS;
    if (size[0] == global[0] || (!narrow && 2 * items > ITEMS_ENOUGH && !lengthens)) {
        return false;
    }
    uint64_t groups = GROUPS_ENOUGH / least(global[2], GROUPS_ENOUGH);
    uint64_t want = most(items, least(ITEMS_ENOUGH, global[0] * global[1] / groups));
    if (!narrow && want < 2 * items && !lengthens) {
        return false;
    }
    if (!narrow) {
        size[0] *= want / items;
    } else if (plane) {
        size[0] = least(round_up(least(ROW_ITEMS, want), lanes), global[0]);
        size[1] = least(most(want / size[0], 1), global[1]);
        size[2] = least(most(want / (size[0] * size[1]), 1), global[2]);
    } else {
        size[0] = round_up(want, lanes);
    }
    size[0] = least(size[0], global[0]);
    if (long_rows && plane && size[0] < LONG_ROW_ITEMS) {
        lengthen(global, lanes, size);
    }
    for (int i = 0; i < 3; i++) {
        grid->size[i] = (uint32_t)size[i];
        grid->count[i] = (uint32_t)((global[i] + size[i] - 1) / size[i]);
    }
    return true;
}

void geo_regroup_whole(const struct geo_grid *asked, uint32_t lanes, struct geo_grid *grid)
{
    uint64_t items = (uint64_t)asked->count[0] * asked->size[0];
    uint64_t size = round_up(grid->size[0], lanes);
    GEO_ASSERT(items % lanes == 0);
    grid->size[0] = (uint32_t)size;
    grid->count[0] = (uint32_t)((items + size - 1) / size);
}

/* Maps a range of new groups back. A range that spans several rows covers whole rows of items, and
 * one that spans several planes covers whole planes. */
void geo_regroup_back(const struct geo_grid *asked, const struct geo_grid *grid, uint32_t first[3],
                      uint32_t last[3])
{
    bool whole = false;
    for (int i = 2; i >= 0; i--) {
        uint64_t items = (uint64_t)asked->count[i] * asked->size[i];
        uint64_t begin = whole ? 0 : (uint64_t)first[i] * grid->size[i];
        uint64_t end = whole ? items : least(items, ((uint64_t)last[i] + 1) * grid->size[i]);
        whole |= first[i] != last[i];
        first[i] = (uint32_t)(begin / asked->size[i]);
        last[i] = (uint32_t)((end - 1) / asked->size[i]);
    }
}
