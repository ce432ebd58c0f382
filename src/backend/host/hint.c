/* Applies hints about the memory node of allocations. See hint.h. */
#include "backend/host/hint.h"

#include "backend/host/device.h"
#include "backend/host/memory.h"
#include "backend/host/node.h"
#include "base/memfd.h"

/* Smaller ranges are ignored, because a range with its own node needs a separate mapping, and the
 * number of mappings is limited. */
#define PLACE_MIN_BYTES (UINT64_C(1) << 20)

struct pages {
    uint8_t *base;
    uint64_t bytes;
};

/* Returns the pages that are entirely inside the range. */
static struct pages pages_within(const void *base, uint64_t bytes)
{
    uintptr_t begin = ((uintptr_t)base + GEO_PAGE_BYTES - 1) & ~(uintptr_t)(GEO_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)base + bytes) & ~(uintptr_t)(GEO_PAGE_BYTES - 1);
    return (struct pages){(uint8_t *)begin, end > begin ? end - begin : 0};
}

static void range_advise(const struct geo_command_range *range, const struct pages *pages)
{
    switch ((ze_memory_advice_t)range->advice) {
    case ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION:
        (void)geo_node_prefer(pages->base, pages->bytes, range->device->node);
        break;
    case ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION:
    case ZE_MEMORY_ADVICE_SET_SYSTEM_MEMORY_PREFERRED_LOCATION: /* that of the first touch */
        (void)geo_node_forget(pages->base, pages->bytes);
        break;
    default: /* other advice has no effect: one copy, coherent caches, processor atomics */
        break;
    }
}

void geo_host_hint_place(const struct geo_command_range *range)
{
    const struct pages pages = pages_within(range->start, range->bytes);
    if (range->device->node < 0 || pages.bytes < PLACE_MIN_BYTES) {
        return;
    }
    if (range->header.operation == GEO_COMMAND_ADVISE) {
        range_advise(range, &pages);
    } else {
        (void)geo_node_move(pages.base, pages.bytes, range->device->node);
    }
}

bool geo_host_hint_room(const struct geo_command_range *range)
{
    uint64_t left = 0;
    (void)geo_host_memory_ops.available(NULL, range->device, &left);
    return range->bytes < left / 2;
}
