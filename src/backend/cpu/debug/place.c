/* Numbers of threads. See place.h. */
#include "backend/cpu/debug/place.h"

#include "base/assert.h"

uint32_t geo_cpu_debug_place_count(const struct geo_backend_device *device)
{
    const struct geo_device_info *info = &device->info;
    return info->slices * info->subslices_per_slice * info->eus_per_subslice * info->threads_per_eu;
}

uint32_t geo_cpu_debug_place_number(const struct geo_backend_device *device,
                                    const ze_device_thread_t *thread)
{
    const struct geo_device_info *info = &device->info;
    if (thread->slice >= info->slices || thread->subslice >= info->subslices_per_slice ||
        thread->eu >= info->eus_per_subslice || thread->thread >= info->threads_per_eu) {
        return GEO_CPU_DEBUG_NOWHERE;
    }
    const uint32_t subslice = thread->slice * info->subslices_per_slice + thread->subslice;
    return (subslice * info->eus_per_subslice + thread->eu) * info->threads_per_eu + thread->thread;
}

ze_device_thread_t geo_cpu_debug_place_thread(const struct geo_backend_device *device,
                                              uint32_t number)
{
    const struct geo_device_info *info = &device->info;
    ze_device_thread_t thread;
    GEO_ASSERT(number < geo_cpu_debug_place_count(device));
    thread.thread = number % info->threads_per_eu;
    number /= info->threads_per_eu;
    thread.eu = number % info->eus_per_subslice;
    number /= info->eus_per_subslice;
    thread.subslice = number % info->subslices_per_slice;
    thread.slice = number / info->subslices_per_slice;
    return thread;
}

static bool field_is_valid(uint32_t field, uint32_t count)
{
    return field < count || field == UINT32_MAX;
}

bool geo_cpu_debug_place_is_valid(const struct geo_backend_device *device,
                                  const ze_device_thread_t *threads)
{
    const struct geo_device_info *info = &device->info;
    return field_is_valid(threads->slice, info->slices) &&
           field_is_valid(threads->subslice, info->subslices_per_slice) &&
           field_is_valid(threads->eu, info->eus_per_subslice) &&
           field_is_valid(threads->thread, info->threads_per_eu);
}

static bool field_matches(uint32_t field, uint32_t value)
{
    return field == UINT32_MAX || field == value;
}

bool geo_cpu_debug_place_matches(const struct geo_backend_device *device,
                                 const ze_device_thread_t *threads, uint32_t number)
{
    const ze_device_thread_t thread = geo_cpu_debug_place_thread(device, number);
    return field_matches(threads->slice, thread.slice) &&
           field_matches(threads->subslice, thread.subslice) &&
           field_matches(threads->eu, thread.eu) && field_matches(threads->thread, thread.thread);
}

bool geo_cpu_debug_place_is_all(const ze_device_thread_t *threads)
{
    return threads->slice == UINT32_MAX && threads->subslice == UINT32_MAX &&
           threads->eu == UINT32_MAX && threads->thread == UINT32_MAX;
}

/* Returns the index of a place among the workers of a crew, or their number. */
static uint32_t worker_find(const struct geo_crew_desc *crew, int32_t place)
{
    uint32_t i = 0;
    while (i < crew->workers && crew->places[i] != place) {
        i++;
    }
    return i;
}

/* The parts of a device follow each other in its numbers, if they are the whole device. */
uint32_t geo_cpu_debug_place_of(const struct geo_backend_device *device,
                                const struct geo_backend_device *part,
                                const struct geo_backend_device *part_end, int32_t place)
{
    const uint32_t count = geo_cpu_debug_place_count(device);
    uint32_t before = 0, found = GEO_CPU_DEBUG_NOWHERE;
    for (; part != part_end; part++) {
        const uint32_t index = worker_find(&part->crew, place);
        if (index < part->crew.workers && found == GEO_CPU_DEBUG_NOWHERE) {
            found = before + index;
        }
        before += part->crew.workers;
    }
    if (before != count) {
        found = worker_find(&device->crew, place);
        found = found < device->crew.workers ? found : GEO_CPU_DEBUG_NOWHERE;
    }
    return found < count ? found : GEO_CPU_DEBUG_NOWHERE;
}
