/* Reads the clock of a device together with the time of the host. See clock.h. */
#include "clock.h"

#include "spool.h"

enum { COMPARE_NS = 100000000, ATTEMPTS = 5 };

/* The best of several: what stands between two looks at the host's clock is the error. */
static void compare(struct device *device)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t host = 0, ticks = 0;
        const uint64_t before = spool_now();
        const ze_result_t result = zeDeviceGetGlobalTimestamps(device->handle, &host, &ticks);
        const uint64_t after = spool_now();
        if (result == ZE_RESULT_SUCCESS && after - before < best) {
            best = after - before;
            device->ticks = ticks;
            device->at = before + best / 2;
        }
    }
    device->compared = spool_now();
}

void device_init(struct device *device, ze_device_handle_t handle, uint32_t id)
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    *device = (struct device){.handle = handle, .id = id, .tick_ns = 1, .mask = UINT64_MAX};
    if (zeDeviceGetProperties(handle, &properties) != ZE_RESULT_SUCCESS) {
        return;
    }
    const uint32_t bits = properties.kernelTimestampValidBits;
    if (properties.timerResolution > 0) {
        device->tick_ns = 1e9 / (double)properties.timerResolution;
    }
    if (bits > 0 && bits < 64) {
        device->mask = (UINT64_C(1) << bits) - 1;
    }
    properties.name[sizeof(properties.name) - 1] = '\0';
    spool_name(ZETRACE_DEVICE, id, properties.name);
    compare(device);
}

void device_compare(struct device *device)
{
    if (spool_now() - device->compared > COMPARE_NS) {
        compare(device);
    }
}

uint64_t device_time(const struct device *device, uint64_t ticks)
{
    const uint64_t forward = (ticks - device->ticks) & device->mask;
    const uint64_t back = (device->ticks - ticks) & device->mask;
    return forward <= back ? device->at + (uint64_t)((double)forward * device->tick_ns)
                           : device->at - (uint64_t)((double)back * device->tick_ns);
}
