/* API functions that append copies, region copies, fills and hints on memory to a command list.
 * Each checks its arguments and fills one record (cmd/append.h). */
#include "ddi/geo_api.h"
#include "driver/cmd/append.h"
#include "driver/cmd/region.h"
#include "driver/core/check.h"

#include <string.h>

/* ---- copies ---- */

static ze_result_t copy_append(ze_command_list_handle_t handle, void *dstptr, const void *srcptr,
                               size_t size, const struct geo_append_events *events)
{
    struct geo_command_list *list;
    struct geo_append append;
    GEO_CHECK(geo_command_list_from(handle, &list));
    GEO_CHECK(
        geo_append_begin(list, GEO_COMMAND_COPY, sizeof(struct geo_command_copy), events, &append));
    struct geo_command_copy *copy = (struct geo_command_copy *)append.command;
    copy->destination = dstptr;
    copy->source = srcptr;
    copy->bytes = size;
    return geo_append_commit(&append);
}

ze_result_t geo_zeCommandListAppendMemoryCopy(ze_command_list_handle_t hCommandList, void *dstptr,
                                              const void *srcptr, size_t size,
                                              ze_event_handle_t hSignalEvent,
                                              uint32_t numWaitEvents,
                                              ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    return copy_append(hCommandList, dstptr, srcptr, size, &events);
}

ze_result_t geo_zeCommandListAppendMemoryCopyWithParameters(ze_command_list_handle_t hCommandList,
                                                            void *dstptr, const void *srcptr,
                                                            size_t size, const void *pNext,
                                                            ze_event_handle_t hSignalEvent,
                                                            uint32_t numWaitEvents,
                                                            ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    (void)pNext; /* no extension is defined, and chains were rejected */
    return copy_append(hCommandList, dstptr, srcptr, size, &events);
}

ze_result_t geo_zeCommandListAppendMemoryCopyFromContext(
    ze_command_list_handle_t hCommandList, void *dstptr, ze_context_handle_t hContextSrc,
    const void *srcptr, size_t size, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
    ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_context *source;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_context_from(hContextSrc, &source));
    return copy_append(hCommandList, dstptr, srcptr, size, &events);
}

ze_result_t geo_zeCommandListAppendMemoryCopyRegion(
    ze_command_list_handle_t hCommandList, void *dstptr, const ze_copy_region_t *dstRegion,
    uint32_t dstPitch, uint32_t dstSlicePitch, const void *srcptr,
    const ze_copy_region_t *srcRegion, uint32_t srcPitch, uint32_t srcSlicePitch,
    ze_event_handle_t hSignalEvent, uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_append append;
    struct geo_region to, from;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_region_init(&to, dstptr, dstRegion, dstPitch, dstSlicePitch));
    GEO_CHECK(geo_region_init(&from, srcptr, srcRegion, srcPitch, srcSlicePitch));
    GEO_CHECK(geo_region_check(&to, &from));
    GEO_CHECK(geo_region_append(list, &to, &from, &events, &append));
    return geo_append_commit(&append);
}

/* ---- fills ---- */

static ze_result_t pattern_check(const struct geo_command_list *list, size_t pattern_size)
{
    uint64_t limit = list->device->info->groups[list->ordinal].max_fill_pattern_bytes;
    if (pattern_size == 0 || (pattern_size & (pattern_size - 1)) != 0 || pattern_size > limit) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "a pattern of %zu bytes is not supported: powers of two up to %llu are",
                        pattern_size, (unsigned long long)limit);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListAppendMemoryFill(ze_command_list_handle_t hCommandList, void *ptr,
                                              const void *pattern, size_t pattern_size, size_t size,
                                              ze_event_handle_t hSignalEvent,
                                              uint32_t numWaitEvents,
                                              ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_append append;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(pattern_check(list, pattern_size));
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_FILL,
                               sizeof(struct geo_command_fill) + pattern_size, &events, &append));
    struct geo_command_fill *fill = (struct geo_command_fill *)append.command;
    fill->destination = ptr;
    fill->bytes = size;
    fill->pattern_offset = sizeof(*fill);
    fill->pattern_bytes = (uint32_t)pattern_size;
    memcpy(fill + 1, pattern, pattern_size);
    return geo_append_commit(&append);
}

ze_result_t geo_zeCommandListAppendMemoryFillWithParameters(
    ze_command_list_handle_t hCommandList, void *ptr, const void *pattern, size_t pattern_size,
    size_t size, const void *pNext, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
    ze_event_handle_t *phWaitEvents)
{
    (void)pNext; /* no extension is defined, and chains were rejected */
    return geo_zeCommandListAppendMemoryFill(hCommandList, ptr, pattern, pattern_size, size,
                                             hSignalEvent, numWaitEvents, phWaitEvents);
}

/* ---- hints ---- */

static ze_result_t range_append(struct geo_command_list *list, enum geo_command_operation operation,
                                const struct geo_device *device, const void *ptr, size_t size,
                                uint32_t advice)
{
    struct geo_append_events none = {0};
    struct geo_append append;
    GEO_CHECK(geo_append_begin(list, operation, sizeof(struct geo_command_range), &none, &append));
    struct geo_command_range *range = (struct geo_command_range *)append.command;
    range->start = ptr;
    range->bytes = size;
    range->device = device->backend_device;
    range->advice = advice;
    return geo_append_commit(&append);
}

ze_result_t geo_zeCommandListAppendMemoryPrefetch(ze_command_list_handle_t hCommandList,
                                                  const void *ptr, size_t size)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return range_append(list, GEO_COMMAND_PREFETCH, list->device, ptr, size, 0);
}

ze_result_t geo_zeCommandListAppendMemAdvise(ze_command_list_handle_t hCommandList,
                                             ze_device_handle_t hDevice, const void *ptr,
                                             size_t size, ze_memory_advice_t advice)
{
    struct geo_command_list *list;
    struct geo_device *device;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    return range_append(list, GEO_COMMAND_ADVISE, device, ptr, size, (uint32_t)advice);
}
