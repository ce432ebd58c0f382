/* Counters of used memory. See usage.h. */
#include "backend/host/usage.h"

#include "backend/host/census.h"

static _Atomic uint64_t used_bytes;
static _Atomic uint64_t limit_bytes = UINT64_MAX;

void geo_usage_limit(uint64_t bytes)
{
    atomic_store(&limit_bytes, bytes);
}

uint64_t geo_usage_bytes(void)
{
    return atomic_load_explicit(&used_bytes, memory_order_relaxed);
}

/* Adds bytes if the sum stays within the limit. Adding first and subtracting on failure would make
 * concurrent requests of other threads fail. */
static bool count_add(_Atomic uint64_t *used, uint64_t bytes, uint64_t limit)
{
    uint64_t before = atomic_load_explicit(used, memory_order_relaxed);
    do {
        if (bytes > limit || before > limit - bytes) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(used, &before, before + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void count_sub(_Atomic uint64_t *used, uint64_t bytes)
{
    atomic_fetch_sub_explicit(used, bytes, memory_order_relaxed);
}

/* Publishes the process's use to other processes. */
static void usage_tell(struct geo_backend_device *device)
{
    struct geo_backend_device *root = geo_census_root(device);
    if (root) {
        geo_census_memory(root);
    }
}

/* Subtracts bytes from a device and its parents, up to but excluding `end`. */
static void device_sub(struct geo_backend_device *device, const struct geo_backend_device *end,
                       uint64_t bytes)
{
    for (; device != end; device = device->info.parent) {
        count_sub(&device->used_bytes, bytes);
    }
}

static bool device_add(struct geo_backend_device *device, uint64_t bytes)
{
    for (struct geo_backend_device *at = device; at; at = at->info.parent) {
        if (!count_add(&at->used_bytes, bytes, at->info.memory_bytes)) {
            device_sub(device, at, bytes);
            return false;
        }
    }
    return true;
}

bool geo_usage_charge(struct geo_backend_device *device, uint64_t bytes)
{
    if (!count_add(&used_bytes, bytes, atomic_load_explicit(&limit_bytes, memory_order_relaxed))) {
        return false;
    }
    if (!device_add(device, bytes)) {
        count_sub(&used_bytes, bytes);
        return false;
    }
    usage_tell(device);
    return true;
}

void geo_usage_discharge(struct geo_backend_device *device, uint64_t bytes)
{
    device_sub(device, NULL, bytes);
    count_sub(&used_bytes, bytes);
    usage_tell(device);
}

void geo_usage_share(struct geo_backend_device *device, uint64_t bytes)
{
    struct geo_backend_device *root = geo_census_root(device);
    if (root) {
        atomic_fetch_add_explicit(&root->shared_bytes, bytes, memory_order_relaxed);
        geo_census_memory(root);
    }
}

void geo_usage_unshare(struct geo_backend_device *device, uint64_t bytes)
{
    struct geo_backend_device *root = geo_census_root(device);
    if (root) {
        count_sub(&root->shared_bytes, bytes);
        geo_census_memory(root);
    }
}

static uint64_t left_of(uint64_t used, uint64_t limit)
{
    return used < limit ? limit - used : 0;
}

uint64_t geo_usage_left(const struct geo_backend_device *device)
{
    uint64_t left = left_of(geo_usage_bytes(), atomic_load(&limit_bytes));
    for (; device; device = device->info.parent) {
        uint64_t here = left_of(atomic_load(&device->used_bytes), device->info.memory_bytes);
        left = here < left ? here : left;
    }
    return left;
}
