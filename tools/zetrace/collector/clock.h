/* Devices' clocks, as times of the trace. Under the lock of tracker.h. */
#ifndef TOOLS_ZETRACE_CLOCK_H
#define TOOLS_ZETRACE_CLOCK_H

#include <level_zero/ze_api.h>

struct device {
    ze_device_handle_t handle;
    uint32_t id;
    double tick_ns;
    uint64_t mask;      /* of the bits that timestamps of commands have */
    uint64_t ticks, at, /* one moment by both clocks */
        compared;       /* when that was */
};

/* Reads the resolution of the device's timer and writes the name of the device to the trace. */
void device_init(struct device *device, ze_device_handle_t handle, uint32_t id);

/* Compares the device's clock with the host's again if the last comparison is old, because they
 * drift. */
void device_compare(struct device *device);

/* Converts a timestamp of a command, in ticks of the device, to nanoseconds of the trace. */
uint64_t device_time(const struct device *device, uint64_t ticks);

#endif
