/* API functions of devices: discovery and properties. All answers come from the backend's
 * description of the device (struct geo_device_info). Structures and known structures in their
 * chains are written completely (core/device_properties.h). */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/device_properties.h"
#include "driver/core/driver.h"
#include "driver/core/stream.h"
#include "driver/image/properties.h"
#include "driver/mem/share.h"

#include <string.h>

ze_result_t geo_zeDeviceGet(ze_driver_handle_t hDriver, uint32_t *pCount,
                            ze_device_handle_t *phDevices)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    uint32_t count = geo_count_protocol(pCount, driver->visible_count, phDevices);
    for (uint32_t i = 0; i < count; i++) {
        phDevices[i] = geo_device_handle(driver->visible[i]);
    }
    if (driver->hidden) { /* loaders drop a driver without devices; ours reads this text */
        geo_error_note(driver->hidden);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetRootDevice(ze_device_handle_t hDevice, ze_device_handle_t *phRootDevice)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    *phRootDevice = device->root ? geo_device_handle(device->root) : NULL;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetSubDevices(ze_device_handle_t hDevice, uint32_t *pCount,
                                      ze_device_handle_t *phSubdevices)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    uint32_t count = geo_count_protocol(pCount, device->sub_count, phSubdevices);
    for (uint32_t i = 0; i < count; i++) {
        phSubdevices[i] = geo_device_handle(device->subs[i]);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetProperties(ze_device_handle_t hDevice,
                                      ze_device_properties_t *pDeviceProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    geo_device_fill_properties(device, pDeviceProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetComputeProperties(ze_device_handle_t hDevice,
                                             ze_device_compute_properties_t *pComputeProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    geo_device_fill_compute(device, pComputeProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetModuleProperties(ze_device_handle_t hDevice,
                                            ze_device_module_properties_t *pModuleProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    geo_device_fill_module(device, pModuleProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetCommandQueueGroupProperties(
    ze_device_handle_t hDevice, uint32_t *pCount,
    ze_command_queue_group_properties_t *pCommandQueueGroupProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    uint32_t count =
        geo_count_protocol(pCount, device->info->group_count, pCommandQueueGroupProperties);
    for (uint32_t i = 0; i < count; i++) {
        geo_device_fill_group(device, i, &pCommandQueueGroupProperties[i]);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetMemoryProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                            ze_device_memory_properties_t *pMemProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    if (geo_count_protocol(pCount, GEO_DEVICE_MEMORIES, pMemProperties)) {
        geo_device_fill_memory(device, pMemProperties);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zeDeviceGetMemoryAccessProperties(ze_device_handle_t hDevice,
                                      ze_device_memory_access_properties_t *pMemAccessProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    geo_device_fill_memory_access(device, pMemAccessProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetCacheProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                           ze_device_cache_properties_t *pCacheProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    uint32_t count = geo_count_protocol(pCount, device->info->cache_count, pCacheProperties);
    for (uint32_t i = 0; i < count; i++) {
        geo_device_fill_cache(device, i, &pCacheProperties[i]);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetImageProperties(ze_device_handle_t hDevice,
                                           ze_device_image_properties_t *pImageProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    geo_image_fill_properties(device, pImageProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetExternalMemoryProperties(
    ze_device_handle_t hDevice, ze_device_external_memory_properties_t *pExternalMemoryProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    pExternalMemoryProperties->memoryAllocationImportTypes =
        ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;
    const struct geo_driver *driver = device->base.driver;
    bool dmabufs = geo_share_wants_dmabuf(driver, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF);
    pExternalMemoryProperties->memoryAllocationExportTypes =
        ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD |
        (dmabufs ? ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF : 0u);
    bool images = driver->ops->image != NULL; /* images are in ordinary memory */
    pExternalMemoryProperties->imageImportTypes =
        images ? pExternalMemoryProperties->memoryAllocationImportTypes : 0;
    pExternalMemoryProperties->imageExportTypes =
        images ? pExternalMemoryProperties->memoryAllocationExportTypes : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetP2PProperties(ze_device_handle_t hDevice, ze_device_handle_t hPeerDevice,
                                         ze_device_p2p_properties_t *pP2PProperties)
{
    struct geo_device *device, *peer;
    GEO_CHECK(geo_device_from(hDevice, &device));
    GEO_CHECK(geo_device_from(hPeerDevice, &peer));
    geo_device_fill_p2p(device, peer, pP2PProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceCanAccessPeer(ze_device_handle_t hDevice, ze_device_handle_t hPeerDevice,
                                      ze_bool_t *value)
{
    struct geo_device *device, *peer;
    GEO_CHECK(geo_device_from(hDevice, &device));
    GEO_CHECK(geo_device_from(hPeerDevice, &peer));
    *value = geo_device_reaches(device, peer);
    return ZE_RESULT_SUCCESS;
}

/* Clears the lost state of the device and its parts. A program calls this after a fault, before it
 * creates a new context (CTX-7). The code of a faulted kernel is unloaded with its context, and the
 * device needs no reset. */
ze_result_t geo_zeDeviceGetStatus(ze_device_handle_t hDevice)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    atomic_store(&device->lost, false);
    for (uint32_t i = 0; i < device->part_count; i++) {
        atomic_store(&device->parts[i].lost, false);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetGlobalTimestamps(ze_device_handle_t hDevice, uint64_t *hostTimestamp,
                                            uint64_t *deviceTimestamp)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    return device->base.driver->ops->event->timestamps(device->backend_device, deviceTimestamp,
                                                       hostTimestamp);
}

ze_result_t geo_zeDeviceSynchronize(ze_device_handle_t hDevice)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    return geo_stream_device_synchronize(device);
}

/* Returns an invented PCI address for a processor, which is not on a PCI bus: Intel MPI and
 * profilers abort if this function fails. Sysman reports the speed of the link. */
ze_result_t geo_zeDevicePciGetPropertiesExt(ze_device_handle_t hDevice,
                                            ze_pci_ext_properties_t *pPciProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    pPciProperties->address = geo_device_pci_address(device);
    pPciProperties->maxSpeed =
        (ze_pci_speed_ext_t){.genVersion = -1, .width = -1, .maxBandwidth = -1};
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetVectorWidthPropertiesExt(
    ze_device_handle_t hDevice, uint32_t *pCount,
    ze_device_vector_width_properties_ext_t *pVectorWidthProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    if (geo_count_protocol(pCount, 1, pVectorWidthProperties)) {
        geo_device_fill_vector_width(device, pVectorWidthProperties);
    }
    return ZE_RESULT_SUCCESS;
}
