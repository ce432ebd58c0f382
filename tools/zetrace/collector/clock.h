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

/* Reads what the clock is, and names the device in the trace. */
void device_init(struct device *device, ze_device_handle_t handle, uint32_t id);

/* Compares the clocks again when that is long ago: they drift. */
void device_compare(struct device *device);

/* A timestamp of a command as a time of the trace. */
uint64_t device_time(const struct device *device, uint64_t ticks);

#endif
