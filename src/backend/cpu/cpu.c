/* The CPU backend: opens the one device, and names the operations it shares with null. */
#include "backend/cpu/cpu.h"

struct geo_backend {
    struct geo_cpu_device device;
};

/* Never freed: at exit workers may still run what never ends. The library that this is in stays
 * loaded for the same reason (it is linked with nodelete). */
static struct geo_backend cpu_backend;

static ze_result_t cpu_open(struct geo_backend **out)
{
    geo_host_open();
    ze_result_t result = geo_cpu_device_init(&cpu_backend.device);
    if (result == ZE_RESULT_SUCCESS) {
        *out = &cpu_backend;
    }
    return result;
}

static void cpu_close(struct geo_backend *backend)
{
    (void)backend;
}

static uint32_t cpu_device_count(struct geo_backend *backend)
{
    (void)backend;
    return 1;
}

static struct geo_backend_device *cpu_device(struct geo_backend *backend, uint32_t index)
{
    return index == 0 ? &backend->device.base : NULL;
}

static const struct geo_device_info *cpu_device_info(struct geo_backend_device *device)
{
    return &device->info;
}

const struct geo_backend_ops geo_backend_cpu_ops = {
    .name = "cpu",
    .driver_uuid = {'G', 'e', 'o', 'i', 'd', ' ', 'c', 'p', 'u', 0, 0, 0, 0, 0, 0, 1},
    .driver_version = GEO_DRIVER_VERSION(40000u),
    .open = cpu_open,
    .close = cpu_close,
    .device_count = cpu_device_count,
    .device = cpu_device,
    .device_info = cpu_device_info,
    .memory = &geo_host_memory_ops,
    .stream = &geo_host_stream_ops,
    .event = &geo_host_event_ops,
    .program = &geo_cpu_program_ops,
};
