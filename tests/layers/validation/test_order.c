/* Faults of order and ranges: what commands of one list touch, barriers of ranges, timestamps. */
#include "objects.h"

#include <stdlib.h>

/* Two allocations and a list without order among its commands. */
struct pair {
    char *one, *other;
    ze_command_list_handle_t list;
};

enum { BYTES = 4096 };

static struct pair pair_begin(const struct faulty_world *world)
{
    return (struct pair){.one = faulty_memory(world, BYTES),
                         .other = faulty_memory(world, BYTES),
                         .list = faulty_list(world, 0)};
}

static void pair_end(const struct faulty_world *world, const struct pair *pair)
{
    MUST(zeCommandListDestroy(pair->list));
    if (pair->one)
        MUST(zeMemFree(world->context, pair->one));
    MUST(zeMemFree(world->context, pair->other));
}

/* Appends a barrier of one range. */
static ze_result_t range_barrier(ze_command_list_handle_t list, const void *range, size_t size)
{
    return zeCommandListAppendMemoryRangesBarrier(list, 1, &size, &range, NULL, 0, NULL);
}

static void barrier_range_beyond_the_end(struct faulty_world *world)
{
    /* SYN-15, MEM-11: a range is of memory; going past the requested size is undefined. */
    struct pair pair = pair_begin(world);
    range_barrier(pair.list, pair.one + 64, BYTES);
    pair_end(world, &pair);
}

static void barrier_range_freed(struct faulty_world *world)
{
    /* SYN-15, GEN-10: coherency of memory that is gone. */
    struct pair pair = pair_begin(world);
    MUST(zeMemFree(world->context, pair.one));
    range_barrier(pair.list, pair.one, BYTES);
    pair.one = NULL;
    pair_end(world, &pair);
}

static void barrier_range_freed_before_its_list_runs(struct faulty_world *world)
{
    /* SYN-15, GEN-10: the range is gone when the list runs. */
    struct pair pair = pair_begin(world);
    MUST(range_barrier(pair.list, pair.one, BYTES));
    MUST(zeCommandListClose(pair.list));
    MUST(zeMemFree(world->context, pair.one));
    pair.one = NULL;
    run_list(world, pair.list);
    pair_end(world, &pair);
}

static void barrier_of_other_ranges(struct faulty_world *world)
{
    /* SYN-15: coherency only for the listed ranges; the second half is not listed. */
    struct pair pair = pair_begin(world);
    fill(pair.list, pair.one, 1, BYTES);
    MUST(range_barrier(pair.list, pair.one, BYTES / 2));
    copy(pair.list, pair.other, pair.one, BYTES);
    close_and_run(world, pair.list);
    pair_end(world, &pair);
}

static void wait_that_orders_one_command_only(struct faulty_world *world)
{
    /* SYN-12: the copy waits for the first fill's event; the second fill has none. */
    const uint8_t pattern = 1;
    struct pair pair = pair_begin(world);
    struct signal signal = signal_begin(world, 0);
    MUST(zeCommandListAppendMemoryFill(pair.list, pair.one, &pattern, 1, BYTES / 2, signal.event, 0,
                                       NULL));
    fill(pair.list, pair.one + BYTES / 2, 2, BYTES / 2);
    MUST(zeCommandListAppendMemoryCopy(pair.list, pair.other, pair.one, BYTES, NULL, 1,
                                       &signal.event));
    close_and_run(world, pair.list);
    pair_end(world, &pair);
    signal_end(&signal);
}

static void box_of_slices_beyond_the_end(struct faulty_world *world)
{
    /* CPY-3: the fifth slice of 1024 bytes is not in 4096. */
    const ze_copy_region_t region = {.width = 64, .height = 4, .depth = 5};
    struct pair pair = pair_begin(world);
    char *big = faulty_memory(world, 2 * BYTES);
    zeCommandListAppendMemoryCopyRegion(pair.list, big, &region, 64, 1024, pair.one, &region, 64,
                                        1024, NULL, 0, NULL);
    pair_end(world, &pair);
    MUST(zeMemFree(world->context, big));
}

static void boxes_that_overlap(struct faulty_world *world)
{
    /* CPY-3, VAL-11: no overlap; columns 8 to 15 are in both. */
    const ze_copy_region_t to = {.originX = 8, .width = 16, .height = 8};
    const ze_copy_region_t from = {.width = 16, .height = 8};
    struct pair pair = pair_begin(world);
    zeCommandListAppendMemoryCopyRegion(pair.list, pair.one, &to, 64, 0, pair.one, &from, 64, 0,
                                        NULL, 0, NULL);
    pair_end(world, &pair);
}

static void pattern_of_three_bytes(struct faulty_world *world)
{
    /* CPY-2: the pattern size is a power of two. */
    const uint8_t pattern[3] = {1, 2, 3};
    struct pair pair = pair_begin(world);
    zeCommandListAppendMemoryFill(pair.list, pair.one, pattern, 3, 3072, NULL, 0, NULL);
    pair_end(world, &pair);
}

static void fill_of_half_a_pattern(struct faulty_world *world)
{
    /* zeCommandListAppendMemoryFill: INVALID_SIZE "when size % pattern_size != 0". */
    const uint64_t pattern = 1;
    struct pair pair = pair_begin(world);
    zeCommandListAppendMemoryFill(pair.list, pair.one, &pattern, sizeof(pattern), 100, NULL, 0,
                                  NULL);
    pair_end(world, &pair);
}

static void prefetch_of_freed_memory(struct faulty_world *world)
{
    /* MEM-14, GEN-10: the range is memory that is gone. */
    struct pair pair = pair_begin(world);
    void *shared = shared_memory(world, BYTES);
    MUST(zeMemFree(world->context, shared));
    zeCommandListAppendMemoryPrefetch(pair.list, shared, BYTES);
    pair_end(world, &pair);
}

/* --- timestamps --- */

static void timestamps_beyond_the_end(struct faulty_world *world)
{
    /* SYN-20: results are packed in order; two need more than one and a half. */
    struct pair pair = pair_begin(world);
    struct signal signal = signal_begin(world, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t events[2] = {signal.event, signal.event};
    void *results = shared_memory(world, 3 * sizeof(ze_kernel_timestamp_result_t) / 2);
    zeCommandListAppendQueryKernelTimestamps(pair.list, 2, events, results, NULL, NULL, 0, NULL);
    pair_end(world, &pair);
    signal_end(&signal);
    MUST(zeMemFree(world->context, results));
}

static void timestamp_offset_beyond_the_end(struct faulty_world *world)
{
    /* zeCommandListAppendQueryKernelTimestamps: pOffsets are "bytes from dstptr for each event". */
    struct pair pair = pair_begin(world);
    struct signal signal = signal_begin(world, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    const size_t size = sizeof(ze_kernel_timestamp_result_t);
    void *results = shared_memory(world, 2 * size);
    size_t *offset = shared_memory(world, sizeof(*offset));
    *offset = 2 * size;
    zeCommandListAppendQueryKernelTimestamps(pair.list, 1, &signal.event, results, offset, NULL, 0,
                                             NULL);
    pair_end(world, &pair);
    signal_end(&signal);
    MUST(zeMemFree(world->context, results));
    MUST(zeMemFree(world->context, offset));
}

static void device_time_beyond_the_end(struct faulty_world *world)
{
    /* CMQ-22, MEM-11: eight bytes are written where four are left. */
    struct pair pair = pair_begin(world);
    char *memory = shared_memory(world, 12);
    zeCommandListAppendWriteGlobalTimestamp(pair.list, (uint64_t *)(void *)(memory + 8), NULL, 0,
                                            NULL);
    pair_end(world, &pair);
    MUST(zeMemFree(world->context, memory));
}

static void device_time_copied_without_order(struct faulty_world *world)
{
    /* SYN-12: the copy reads what another command of the list writes. */
    struct pair pair = pair_begin(world);
    uint64_t *time = shared_memory(world, sizeof(*time));
    MUST(zeCommandListAppendWriteGlobalTimestamp(pair.list, time, NULL, 0, NULL));
    copy(pair.list, pair.one, time, sizeof(*time));
    close_and_run(world, pair.list);
    pair_end(world, &pair);
    MUST(zeMemFree(world->context, time));
}

/* --- no fault --- */

static void interleaved_rows(struct faulty_world *world)
{
    /* CPY-3: boxes of every other row share no byte, although their spans cross. SYN-12. */
    const ze_copy_region_t region = {.width = 64, .height = 16};
    struct pair pair = pair_begin(world);
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListAppendMemoryCopyRegion(pair.list, pair.one + 64 * i, &region, 128, 0,
                                                 pair.other + 1024 * i, &region, 64, 0, NULL, 0,
                                                 NULL));
    MUST(close_and_run(world, pair.list));
    pair_end(world, &pair);
}

static void rows_moved_between_rows(struct faulty_world *world)
{
    /* CPY-3: source and destination of one copy are every other row of one allocation. */
    const ze_copy_region_t region = {.width = 64, .height = 16};
    struct pair pair = pair_begin(world);
    MUST(zeCommandListAppendMemoryCopyRegion(pair.list, pair.one + 64, &region, 128, 0, pair.one,
                                             &region, 128, 0, NULL, 0, NULL));
    MUST(close_and_run(world, pair.list));
    pair_end(world, &pair);
}

static void interleaved_slices(struct faulty_world *world)
{
    /* CPY-3: boxes of every other slice share no byte. SYN-12. */
    const ze_copy_region_t region = {.width = 16, .height = 4, .depth = 8};
    struct pair pair = pair_begin(world);
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListAppendMemoryCopyRegion(pair.list, pair.one + 64 * i, &region, 16, 128,
                                                 pair.other + 2048 * i, &region, 16, 64, NULL, 0,
                                                 NULL));
    MUST(close_and_run(world, pair.list));
    pair_end(world, &pair);
}

static void readers_without_order(struct faulty_world *world)
{
    /* SYN-12 matters where one of two commands writes; all of these read one place. */
    struct pair pair = pair_begin(world);
    for (size_t i = 0; i < 4; i++)
        copy(pair.list, pair.other + 64 * i, pair.one, 64);
    MUST(close_and_run(world, pair.list));
    pair_end(world, &pair);
}

static void barrier_of_these_ranges(struct faulty_world *world)
{
    /* SYN-15: same rules as a barrier, coherency for the listed ranges. */
    const void *ranges[2];
    const size_t sizes[2] = {BYTES / 2, BYTES / 2};
    struct pair pair = pair_begin(world);
    ranges[0] = pair.one + BYTES / 2;
    ranges[1] = pair.one;
    fill(pair.list, pair.one, 1, BYTES);
    MUST(zeCommandListAppendMemoryRangesBarrier(pair.list, 2, sizes, ranges, NULL, 0, NULL));
    copy(pair.list, pair.other, pair.one, BYTES);
    MUST(close_and_run(world, pair.list));
    pair_end(world, &pair);
}

static void order_by_an_appended_signal(struct faulty_world *world)
{
    /* zeCommandListAppendSignalEvent: "Signals an event when all that stands before is done". */
    struct pair pair = pair_begin(world);
    struct signal signal = signal_begin(world, 0);
    fill(pair.list, pair.one, 1, BYTES);
    fill(pair.list, pair.other, 2, 64);
    MUST(zeCommandListAppendSignalEvent(pair.list, signal.event));
    MUST(zeCommandListAppendWaitOnEvents(pair.list, 1, &signal.event));
    copy(pair.list, pair.other, pair.one, BYTES);
    MUST(close_and_run(world, pair.list));
    pair_end(world, &pair);
    signal_end(&signal);
}

static void timestamps_that_just_fit(struct faulty_world *world)
{
    /* SYN-20: packed without offsets, or at offsets; the list runs in order. */
    struct signal signal = signal_begin(world, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_event_handle_t events[2] = {signal.event, signal.event};
    ze_kernel_timestamp_result_t host, *results = shared_memory(world, 2 * sizeof(host));
    size_t *offsets = shared_memory(world, 2 * sizeof(*offsets));
    offsets[0] = sizeof(host);
    offsets[1] = 0;
    MUST(zeCommandListAppendBarrier(list, signal.event, 0, NULL));
    MUST(zeCommandListAppendQueryKernelTimestamps(list, 2, events, results, NULL, NULL, 0, NULL));
    MUST(
        zeCommandListAppendQueryKernelTimestamps(list, 2, events, results, offsets, NULL, 0, NULL));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeEventQueryKernelTimestamp(signal.event, &host));
    MUST(zeCommandListDestroy(list));
    signal_end(&signal);
    MUST(zeMemFree(world->context, results));
    MUST(zeMemFree(world->context, offsets));
}

static void recycled_address_with_another_size(struct faulty_world *world)
{
    /* GEN-15: what a freed address was before matters no more; MEM-11 is about today's size. */
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (size_t size = 65536; size >= 64; size /= 2) {
        char *memory = faulty_memory(world, size);
        fill(list, memory, 1, size);
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
        MUST(zeMemFree(world->context, memory));
        memory = faulty_memory(world, 2 * size);
        fill(list, memory, 1, 2 * size);
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
        MUST(zeMemFree(world->context, memory));
    }
    MUST(zeCommandListDestroy(list));
}

const struct faulty faulty_programs[] = {
    {"barrier_range_beyond_the_end", barrier_range_beyond_the_end, "out-of-range",
     "zeCommandListAppendMemoryRangesBarrier", NULL},
    {"barrier_range_freed", barrier_range_freed, "freed-memory",
     "zeCommandListAppendMemoryRangesBarrier", NULL},
    {"barrier_range_freed_before_its_list_runs", barrier_range_freed_before_its_list_runs,
     "freed-memory", "zeCommandQueueExecuteCommandLists", NULL},
    /* Not told: the barrier orders all commands; what it makes visible depends on caches. */
    {"barrier_of_other_ranges", barrier_of_other_ranges, "", NULL, NULL},
    {"wait_that_orders_one_command_only", wait_that_orders_one_command_only, "missing-dependency",
     "command 1", NULL},
    {"box_of_slices_beyond_the_end", box_of_slices_beyond_the_end, "out-of-range", "srcptr", NULL},
    {"boxes_that_overlap", boxes_that_overlap, "overlapping-copy", NULL, NULL},
    {"pattern_of_three_bytes", pattern_of_three_bytes, "wrong-size", "pattern_size", NULL},
    {"fill_of_half_a_pattern", fill_of_half_a_pattern, "wrong-size", "size", NULL},
    {"prefetch_of_freed_memory", prefetch_of_freed_memory, "freed-memory", "ptr", NULL},
    {"timestamps_beyond_the_end", timestamps_beyond_the_end, "out-of-range", "dstptr", NULL},
    {"timestamp_offset_beyond_the_end", timestamp_offset_beyond_the_end, "out-of-range",
     "zeCommandListAppendQueryKernelTimestamps", NULL},
    {"device_time_beyond_the_end", device_time_beyond_the_end, "out-of-range", "dstptr", NULL},
    {"device_time_copied_without_order", device_time_copied_without_order, "missing-dependency",
     "zeCommandListAppendWriteGlobalTimestamp", NULL},
    {"interleaved_rows", interleaved_rows, "", NULL, NULL},
    {"rows_moved_between_rows", rows_moved_between_rows, "", NULL, NULL},
    {"interleaved_slices", interleaved_slices, "", NULL, NULL},
    {"readers_without_order", readers_without_order, "", NULL, NULL},
    {"barrier_of_these_ranges", barrier_of_these_ranges, "", NULL, NULL},
    {"order_by_an_appended_signal", order_by_an_appended_signal, "", NULL, NULL},
    {"timestamps_that_just_fit", timestamps_that_just_fit, "", NULL, NULL},
    {"recycled_address_with_another_size", recycled_address_with_another_size, "", NULL, NULL},
    {0}};
