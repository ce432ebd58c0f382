/* Queries of a GPU that several files use. See device.h. */
#include "backend/cuda/nvml/device.h"

#include <string.h>

uint32_t geo_nvml_device_pci_function(const geo_nvml_pci *pci)
{
    const char *dot = memchr(pci->bus_id, '.', sizeof(pci->bus_id) - 1);
    return dot && dot[1] >= '0' && dot[1] <= '7' ? (uint32_t)(dot[1] - '0') : 0;
}

ze_result_t geo_nvml_device_memory(const struct geo_backend_device *device, uint64_t *total,
                                   uint64_t *unused, struct geo_strbuf *why)
{
    geo_nvml_memory_v2 newer = {.version = GEO_NVML_VERSION(geo_nvml_memory_v2, 2)};
    geo_nvml_memory older = {0};
    if (GEO_NVML(device->nvml, DeviceGetMemoryInfo_v2, device->handle, &newer) ==
        GEO_NVML_SUCCESS) {
        *total = newer.total;
        *unused = newer.free;
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t result =
        GEO_NVML_ASK(device->nvml, why, DeviceGetMemoryInfo, device->handle, &older);
    *total = older.total;
    *unused = older.free;
    return result;
}
