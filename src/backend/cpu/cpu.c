/* The CPU backend: opens the one device, and names the operations it shares with null. */
#include "backend/cpu/cpu.h"

#include "backend/cpu/device.h"
#include "backend/cpu/image.h"
#include "backend/cpu/program.h"
#include "backend/host/host.h"

/* Never freed: at exit workers may still run what never ends. The library that this is in stays
 * loaded for the same reason (it is linked with nodelete). */
static struct geo_cpu_device device;
static struct geo_backend_device *const devices[] = {&device.base};
static struct geo_backend backend = {.devices = devices, .device_count = 1};

static ze_result_t cpu_open(struct geo_backend **out)
{
    ze_result_t result = geo_cpu_device_init(&device);
    if (result == ZE_RESULT_SUCCESS) {
        backend.spin_ns = geo_executor_spin_ns(device.base.runner.executor);
        *out = &backend;
    }
    return result;
}

const struct geo_backend_ops geo_backend_cpu_ops = {
    .name = "cpu",
    .driver_uuid = {'G', 'e', 'o', 'i', 'd', ' ', 'c', 'p', 'u', 0, 0, 0, 0, 0, 0, 1},
    .driver_version = GEO_DRIVER_VERSION(40000u),
    .open = cpu_open,
    .close = geo_host_close,
    .device_count = geo_host_device_count,
    .device = geo_host_device,
    .device_info = geo_host_device_info,
    .memory = &geo_host_memory_ops,
    .stream = &geo_host_stream_ops,
    .event = &geo_host_event_ops,
    .program = &geo_cpu_program_ops,
    .image = &geo_cpu_image_ops,
};
