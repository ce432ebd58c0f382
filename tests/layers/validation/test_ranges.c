/* Random ranges of every command that takes one: within the allocation or the image, up to its last
 * byte or pixel, or beyond it. The layer passes the first in silence and tells of each of the
 * others. */
#include "objects.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 400, TOLD = 90 /* of a message, the first hundred are written */ };
enum { SIDE = 16, PIXEL = 4, ROOM = 6000 };

struct ranges {
    const struct faulty_world *world;
    unsigned seed;
    ze_command_list_handle_t list;
    ze_kernel_handle_t kernel;
    ze_image_handle_t image;
    struct signal signal;
    char *memory, *enough; /* of `size` bytes; of ROOM bytes */
    size_t size;
};

static unsigned choose(struct ranges *ranges, unsigned below)
{
    ranges->seed = ranges->seed * 1103515245u + 12345u;
    return (ranges->seed >> 16) % below;
}

/* Returns a place, at a multiple of `step`, where `length` bytes end at or before the end, often at
 * it; or beyond it, where only a part of them is left. The size is 4 more than a multiple of 8. */
static char *place_at(struct ranges *ranges, size_t length, size_t step, bool beyond)
{
    size_t at = ranges->size - length;
    if (beyond)
        at += 1 + choose(ranges, (unsigned)length - 1);
    else if (choose(ranges, 3) == 0)
        at = choose(ranges, (unsigned)at + 1);
    if (beyond && at % step != 0)
        at += step - at % step < ranges->size - at ? step - at % step : 0;
    return ranges->memory + (at - at % step);
}

static char *place(struct ranges *ranges, size_t length, bool beyond)
{
    return place_at(ranges, length, 1, beyond);
}

static ze_result_t plain_copy(struct ranges *ranges, bool beyond)
{
    const size_t length = 2 + choose(ranges, 100);
    char *at = place(ranges, length, beyond);
    return choose(ranges, 2) ? zeCommandListAppendMemoryCopy(ranges->list, at, ranges->enough,
                                                             length, NULL, 0, NULL)
                             : zeCommandListAppendMemoryCopy(ranges->list, ranges->enough, at,
                                                             length, NULL, 0, NULL);
}

static ze_result_t plain_fill(struct ranges *ranges, bool beyond)
{
    const uint64_t pattern = 1;
    const size_t unit = (size_t)1 << choose(ranges, 4);
    const size_t length = unit * (2 + choose(ranges, 12));
    return zeCommandListAppendMemoryFill(ranges->list, place(ranges, length, beyond), &pattern,
                                         unit, length, NULL, 0, NULL);
}

/* A box with an origin: it ends with the last row of the last slice. */
static ze_result_t box_copy(struct ranges *ranges, bool beyond)
{
    ze_copy_region_t box = {.originX = choose(ranges, 5),
                            .originY = choose(ranges, 3),
                            .width = 2 + choose(ranges, 16),
                            .height = 1 + choose(ranges, 4),
                            .depth = choose(ranges, 4)};
    box.originZ = box.depth ? choose(ranges, 2) : 0;
    const uint32_t slices = box.depth ? box.depth : 1, pitch = 24, slice_pitch = 24 * 8;
    const size_t end = (size_t)(box.originZ + slices - 1) * slice_pitch +
                       (size_t)(box.originY + box.height - 1) * pitch + box.originX + box.width;
    char *at = place(ranges, end, beyond);
    return choose(ranges, 2)
               ? zeCommandListAppendMemoryCopyRegion(ranges->list, at, &box, pitch, slice_pitch,
                                                     ranges->enough, &box, pitch, slice_pitch, NULL,
                                                     0, NULL)
               : zeCommandListAppendMemoryCopyRegion(ranges->list, ranges->enough, &box, pitch,
                                                     slice_pitch, at, &box, pitch, slice_pitch,
                                                     NULL, 0, NULL);
}

static ze_result_t range_barrier(struct ranges *ranges, bool beyond)
{
    const size_t sizes[2] = {2 + choose(ranges, 100), 64};
    const void *places[2] = {place(ranges, sizes[0], beyond), ranges->enough};
    return zeCommandListAppendMemoryRangesBarrier(ranges->list, 2, sizes, places, NULL, 0, NULL);
}

static ze_result_t image_to_memory(struct ranges *ranges, bool beyond)
{
    const ze_image_region_t box = {choose(ranges, 4),     choose(ranges, 4),     0,
                                   1 + choose(ranges, 8), 1 + choose(ranges, 8), 1};
    const uint32_t row = box.width * PIXEL, pitch = row + 4 * choose(ranges, 4);
    const bool padded = choose(ranges, 2);
    const size_t length = (size_t)(padded ? pitch : row) * (box.height - 1) + row;
    char *at = place(ranges, length, beyond);
    if (padded)
        return choose(ranges, 2)
                   ? zeCommandListAppendImageCopyToMemoryExt(ranges->list, at, ranges->image, &box,
                                                             pitch, 0, NULL, 0, NULL)
                   : zeCommandListAppendImageCopyFromMemoryExt(ranges->list, ranges->image, at,
                                                               &box, pitch, 0, NULL, 0, NULL);
    return choose(ranges, 2) ? zeCommandListAppendImageCopyToMemory(ranges->list, at, ranges->image,
                                                                    &box, NULL, 0, NULL)
                             : zeCommandListAppendImageCopyFromMemory(ranges->list, ranges->image,
                                                                      at, &box, NULL, 0, NULL);
}

/* The memory is enough; the box is within the image or beyond its right or lower edge. */
static ze_result_t pixels(struct ranges *ranges, bool beyond)
{
    ze_image_region_t box = {0, 0, 0, 1 + choose(ranges, SIDE), 1 + choose(ranges, SIDE), 1};
    box.originX = choose(ranges, 2) ? SIDE - box.width : choose(ranges, SIDE - box.width + 1);
    box.originY = choose(ranges, 2) ? SIDE - box.height : choose(ranges, SIDE - box.height + 1);
    if (beyond && choose(ranges, 2))
        box.originX = SIDE - box.width + 1;
    else if (beyond)
        box.originY = SIDE - box.height + 1;
    return zeCommandListAppendImageCopyToMemory(ranges->list, ranges->enough, ranges->image, &box,
                                                NULL, 0, NULL);
}

static ze_result_t timestamps(struct ranges *ranges, bool beyond)
{
    const uint32_t count = 1 + choose(ranges, 2);
    ze_event_handle_t events[2] = {ranges->signal.event, ranges->signal.event};
    const size_t length = count * sizeof(ze_kernel_timestamp_result_t);
    return zeCommandListAppendQueryKernelTimestamps(
        ranges->list, count, events, place_at(ranges, length, 8, beyond), NULL, NULL, 0, NULL);
}

static ze_result_t device_time(struct ranges *ranges, bool beyond)
{
    void *at = place_at(ranges, sizeof(uint64_t), 8, beyond);
    return zeCommandListAppendWriteGlobalTimestamp(ranges->list, at, NULL, 0, NULL);
}

static ze_result_t group_counts(struct ranges *ranges, bool beyond)
{
    const void *at = place_at(ranges, sizeof(ze_group_count_t), 4, beyond);
    return zeCommandListAppendLaunchKernelIndirect(ranges->list, ranges->kernel, at, NULL, 0, NULL);
}

static const struct {
    const char *name;
    ze_result_t (*append)(struct ranges *ranges, bool beyond);
} ways[] = {{"copy", plain_copy},       {"fill", plain_fill},         {"box", box_copy},
            {"barrier", range_barrier}, {"image", image_to_memory},   {"pixels", pixels},
            {"timestamps", timestamps}, {"device time", device_time}, {"counts", group_counts}};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Appends with standard error in a file. Returns whether the layer told the fault. */
static bool is_told(struct ranges *ranges, unsigned way)
{
    static char told[65536];
    const int file = memfd_create("told", 0), error = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    ways[way].append(ranges, true);
    dup2(error, STDERR_FILENO);
    const ssize_t length = pread(file, told, sizeof(told) - 1, 0);
    told[length > 0 ? length : 0] = '\0';
    close(file);
    close(error);
    fputs(told, stderr);
    return strstr(told, "out-of-range") != NULL;
}

/* Appends random ranges. The list never runs: a reset empties it. */
static void append_all(struct faulty_world *world, bool beyond)
{
    struct ranges ranges = {.world = world,
                            .seed = beyond ? 7 : 1,
                            .list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER),
                            .image = image_create(world, SIDE, SIDE),
                            .signal = signal_begin(world, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP),
                            .enough = shared_memory(world, ROOM)};
    ze_module_handle_t module = faulty_module(world);
    unsigned wrong = 0;
    ranges.kernel = faulty_kernel(module, "ids");
    set_pointer(ranges.kernel, 0, ranges.enough);
    for (int i = 0; i < (beyond ? TOLD : ROUNDS); i++) {
        const unsigned way = choose(&ranges, WAYS);
        ranges.size = 1028 + 8 * choose(&ranges, 256);
        ranges.memory = shared_memory(world, ranges.size);
        if (!beyond) {
            MUST(ways[way].append(&ranges, false));
        } else if (!is_told(&ranges, way)) {
            fprintf(stderr, "round %d, %s: not told\n", i, ways[way].name);
            wrong++;
        }
        MUST(zeCommandListReset(ranges.list));
        MUST(zeMemFree(world->context, ranges.memory));
    }
    MUST(zeCommandListDestroy(ranges.list));
    MUST(zeKernelDestroy(ranges.kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeImageDestroy(ranges.image));
    signal_end(&ranges.signal);
    MUST(zeMemFree(world->context, ranges.enough));
    if (wrong)
        exit(4);
}

static void ranges_within(struct faulty_world *world)
{
    /* MEM-11, CPY-1..6, SYN-15, SYN-20, CMQ-22, KRN-9: up to the last byte. */
    append_all(world, false);
}

static void ranges_beyond(struct faulty_world *world)
{
    /* MEM-11: going past the requested size is undefined. ze_image_region_t: in an image. */
    append_all(world, true);
}

const struct faulty faulty_programs[] = {
    {"ranges_within", ranges_within, "", NULL, NULL},
    {"ranges_beyond", ranges_beyond, "out-of-range", NULL, NULL},
    {0}};
