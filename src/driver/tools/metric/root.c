/* Metrics of a device. See root.h. */
#include "driver/tools/metric/root.h"

#include "base/lock.h"
#include "driver/tools/metric/ask.h"

#include <stdlib.h>

/* A child of fork counts it as free. Each step leaves the lists usable. */
static struct geo_work_lock room_lock;

void geo_metric_root_lock(void)
{
    geo_work_lock_acquire(&room_lock);
}

void geo_metric_root_unlock(void)
{
    geo_work_lock_release(&room_lock);
}

bool geo_metric_root_locked(void)
{
    return geo_work_lock_held(&room_lock);
}

static ze_result_t root_create_locked(struct geo_device *device)
{
    GEO_ASSERT(geo_metric_root_locked() && !atomic_load(&device->metric));
    struct geo_metric_root *root = calloc(1, sizeof(*root));
    if (!root) {
        return geo_metric_ask_memory("the metrics of a device");
    }
    root->device = device;
    root->ops = device->base.driver->ops->metric;
    atomic_store_explicit(&device->metric, root, memory_order_release);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_root_of(struct geo_device *device, struct geo_metric_root **out)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!device->base.driver->ops->metric) {
        return geo_metric_ask_unsupported(device->info->name, "metrics");
    }
    if (!atomic_load_explicit(&device->metric, memory_order_acquire)) {
        geo_metric_root_lock();
        if (!atomic_load_explicit(&device->metric, memory_order_relaxed)) {
            result = root_create_locked(device);
        }
        geo_metric_root_unlock();
    }
    *out = atomic_load_explicit(&device->metric, memory_order_acquire);
    GEO_ASSERT((result == ZE_RESULT_SUCCESS) == (*out != NULL));
    return result;
}

ze_result_t geo_metric_root_from(zet_device_handle_t handle, struct geo_metric_root **out)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(handle, &device));
    return geo_metric_root_of(device, out);
}
