/* Stores attributes of atomics. See atomics.h.
 *
 * The attributes of an allocation are freed with it. Nothing reports when system memory is
 * unmapped, so only the most recently declared ranges are kept. */
#include "driver/mem/atomics.h"

#include "driver/core/device_properties.h"

#include <stdlib.h>

#define RANGES 256u

/* A range of system memory with declared attributes. */
struct range {
    const struct geo_device *device; /* NULL: unused */
    uintptr_t begin, end;
    ze_memory_atomic_attr_exp_flags_t attributes;
};

/* protected by the memory lock */
static struct range ranges[RANGES];
static uint32_t next_range; /* the oldest range, replaced next */

/* ---- checks of attributes ---- */

static ze_memory_access_cap_flags_t needed(ze_memory_atomic_attr_exp_flags_t attributes,
                                           ze_memory_atomic_attr_exp_flag_t flag,
                                           ze_memory_access_cap_flags_t capability)
{
    return attributes & flag ? capability : 0;
}

static bool device_can(const struct geo_device *device, bool system,
                       ze_memory_atomic_attr_exp_flags_t attributes)
{
    ze_device_memory_access_properties_t can = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    geo_device_fill_memory_access(device, &can);
    ze_memory_access_cap_flags_t host = needed(
        attributes, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS, ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC);
    ze_memory_access_cap_flags_t own =
        needed(attributes, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS,
               ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC);
    ze_memory_access_cap_flags_t all =
        needed(attributes, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS,
               ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC);
    ze_memory_access_cap_flags_t shared =
        system ? can.sharedSystemAllocCapabilities : can.sharedSingleDeviceAllocCapabilities;
    return (host & ~can.hostAllocCapabilities) == 0 && (own & ~can.deviceAllocCapabilities) == 0 &&
           (all & ~shared) == 0;
}

static bool contradictory(ze_memory_atomic_attr_exp_flags_t attributes)
{
    const ze_memory_atomic_attr_exp_flags_t some = ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS |
                                                   ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS |
                                                   ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS;
    /* each flag is the bit just below the one that it contradicts */
    const ze_memory_atomic_attr_exp_flags_t none =
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_HOST_ATOMICS |
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_DEVICE_ATOMICS |
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_SYSTEM_ATOMICS;
    return (attributes & none) << 1 & attributes ||
           (attributes & ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS && attributes & some);
}

/* (lock held) Finds the memory of a range; *memory is NULL for system memory. */
static ze_result_t memory_at(const struct geo_context *context, const struct geo_device *device,
                             const void *pointer, uint64_t bytes, struct geo_memory **memory)
{
    struct geo_memory_info info;
    GEO_ASSERT(geo_memory_lock_held());
    bool known = geo_memory_find(pointer, &info);
    ze_device_memory_access_properties_t can = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    geo_device_fill_memory_access(device, &can);
    bool shared = known ? info.context == context && info.type == ZE_MEMORY_TYPE_SHARED
                        : can.sharedSystemAllocCapabilities != 0;
    if (!shared) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%p is not in shared memory of this context", pointer);
    }
    uint64_t room =
        known ? info.base + info.bytes - (uintptr_t)pointer : UINTPTR_MAX - (uintptr_t)pointer;
    if (bytes == 0 || bytes > room) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "the range of %llu bytes at %p is empty or ends beyond its allocation",
                        (unsigned long long)bytes, pointer);
    }
    *memory = known ? geo_memory_at_locked((const void *)info.base) : NULL;
    GEO_ASSERT(known == (*memory != NULL)); /* only holders of the lock change the map */
    return ZE_RESULT_SUCCESS;
}

/* ---- storage of attributes ---- */

static uint32_t device_index(const struct geo_device *device)
{
    const struct geo_driver *driver = device->base.driver;
    GEO_ASSERT(device >= driver->devices && device < driver->devices + driver->device_count);
    return (uint32_t)(device - driver->devices);
}

static ze_result_t memory_set(struct geo_memory *memory, const struct geo_device *device,
                              ze_memory_atomic_attr_exp_flags_t attributes)
{
    GEO_ASSERT(memory->driver == device->base.driver && memory->type == ZE_MEMORY_TYPE_SHARED);
    if (!memory->atomics) {
        memory->atomics = calloc(memory->driver->device_count, sizeof(*memory->atomics));
    }
    if (!memory->atomics) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for attributes");
    }
    memory->atomics[device_index(device)] = attributes;
    return ZE_RESULT_SUCCESS;
}

/* Returns the most recently declared range of the device that contains [begin, end), or NULL. */
static const struct range *range_find(const struct geo_device *device, uintptr_t begin,
                                      uintptr_t end)
{
    for (uint32_t i = 1; i <= RANGES; i++) {
        const struct range *range = &ranges[(next_range + RANGES - i) % RANGES];
        if (range->device == device && range->begin <= begin && end <= range->end) {
            return range;
        }
    }
    return NULL;
}

static void range_set(const struct geo_device *device, uintptr_t begin, uintptr_t end,
                      ze_memory_atomic_attr_exp_flags_t attributes)
{
    GEO_ASSERT(next_range < RANGES && begin < end);
    ranges[next_range] = (struct range){device, begin, end, attributes};
    next_range = (next_range + 1) % RANGES;
}

ze_result_t geo_atomics_set(struct geo_context *context, struct geo_device *device,
                            const void *pointer, uint64_t bytes,
                            ze_memory_atomic_attr_exp_flags_t attributes)
{
    struct geo_memory *memory = NULL;
    if (contradictory(attributes)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the attributes 0x%x allow and forbid the same atomics", attributes);
    }
    geo_memory_lock();
    ze_result_t result = memory_at(context, device, pointer, bytes, &memory);
    if (result == ZE_RESULT_SUCCESS && !device_can(device, !memory, attributes)) {
        result = geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the device does not support all atomics of 0x%x", attributes);
    }
    if (result == ZE_RESULT_SUCCESS && memory) {
        result = memory_set(memory, device, attributes);
    } else if (result == ZE_RESULT_SUCCESS) {
        range_set(device, (uintptr_t)pointer, (uintptr_t)pointer + bytes, attributes);
    }
    geo_memory_unlock();
    return result;
}

ze_result_t geo_atomics_get(struct geo_context *context, struct geo_device *device,
                            const void *pointer, uint64_t bytes,
                            ze_memory_atomic_attr_exp_flags_t *attributes)
{
    struct geo_memory *memory = NULL;
    geo_memory_lock();
    ze_result_t result = memory_at(context, device, pointer, bytes, &memory);
    if (result == ZE_RESULT_SUCCESS && memory) {
        *attributes = memory->atomics ? memory->atomics[device_index(device)] : 0;
    } else if (result == ZE_RESULT_SUCCESS) {
        const struct range *range =
            range_find(device, (uintptr_t)pointer, (uintptr_t)pointer + bytes);
        *attributes = range ? range->attributes : 0;
    }
    geo_memory_unlock();
    return result;
}
