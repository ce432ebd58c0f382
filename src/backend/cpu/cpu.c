/* The CPU backend: opens its devices and lists its operations, some of which it shares with the
 * null backend. */
#include "backend/cpu/cpu.h"

#include "backend/cpu/debug/debug.h"
#include "backend/cpu/device.h"
#include "backend/cpu/image.h"
#include "backend/cpu/launch.h"
#include "backend/cpu/metric/metric.h"
#include "backend/cpu/program.h"
#include "backend/cpu/sysman/machine.h"
#include "backend/host/host.h"
#include "backend/host/roster.h"

/* Never freed, because workers may still execute endless work at exit. The library is linked with
 * nodelete for the same reason. */
static struct geo_backend_device devices[GEO_ROSTER_DEVICES];
static struct geo_backend backend;

static ze_result_t cpu_open(struct geo_backend **out)
{
    ze_result_t result = geo_cpu_devices_init(&backend, devices);
    if (result == ZE_RESULT_SUCCESS) {
        geo_cpu_metric_open();
        geo_cpu_debug_open(
            &(struct geo_cpu_debug_desc){.backend = &backend, .describe = geo_cpu_launch_describe});
        *out = &backend;
    }
    return result;
}

/* Opens sysman for a root device. Its sub-devices follow it in the array. */
static ze_result_t sysman_open(struct geo_backend_device *device, const char *root,
                               struct geo_sysman **out)
{
    struct geo_cpu_sysman_desc desc = {
        .devices = device,
        .count = 1,
        .driver_version = geo_backend_cpu_ops.driver_version,
        .root = root,
    };
    while (device + desc.count < devices + backend.device_count &&
           device[desc.count].info.parent == device) {
        desc.count++;
    }
    return geo_cpu_sysman_open(&desc, out);
}

static const struct geo_sysman_ops sysman_ops = {
    .open = sysman_open,
    .close = geo_cpu_sysman_close,
    .device = geo_cpu_sysman_device,
    .components = geo_cpu_sysman_components,
};

const struct geo_backend_ops geo_backend_cpu_ops = {
    .name = "cpu",
    .driver_uuid = {'G', 'e', 'o', 'i', 'd', ' ', 'c', 'p', 'u', 0, 0, 0, 0, 0, 0, 1},
    .driver_version = GEO_DRIVER_VERSION(0u),
    .open = cpu_open,
    .close = geo_host_close,
    .device_count = geo_host_device_count,
    .device = geo_host_device,
    .device_info = geo_host_device_info,
    .narrow = geo_roster_narrow,
    .memory = &geo_host_memory_ops,
    .stream = &geo_cpu_debug_stream_ops,
    .event = &geo_host_event_ops,
    .program = &geo_cpu_program_ops,
    .image = &geo_cpu_image_ops,
    .semaphore = &geo_host_semaphore_ops,
    .sysman = &sysman_ops,
    .metric = &geo_cpu_metric_ops,
    .debug = &geo_cpu_debug_ops,
};
