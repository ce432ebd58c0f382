/* The first of sysman: its device list and who a device is. One object answers as ze and zes
 * handle, so the core identity is the same by construction. Sysman lists every device that there
 * is, whatever ZE_FLAT_DEVICE_HIERARCHY and ZE_AFFINITY_MASK make of it in the core API (ENV-5); a
 * sub-device's handle stands for its device (SYS-2). */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/device_properties.h"
#include "driver/core/driver.h"

#include <stdio.h>
#include <string.h>

static ze_result_t device_from(zes_device_handle_t handle, struct geo_device **out)
{
    ze_result_t result = geo_device_from((ze_device_handle_t)handle, out);
    if (result == ZE_RESULT_SUCCESS) {
        *out = (*out)->card;
    }
    return result;
}

ze_result_t geo_zesDeviceGet(zes_driver_handle_t hDriver, uint32_t *pCount,
                             zes_device_handle_t *phDevices)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from((ze_driver_handle_t)hDriver, &driver));
    const uint32_t cards = driver->devices[driver->device_count - 1].index + 1;
    uint32_t count = geo_list_protocol(pCount, cards, phDevices);
    for (uint32_t i = 0, at = 0; at < count; i++) {
        if (driver->devices[i].card == &driver->devices[i]) {
            phDevices[at++] = (zes_device_handle_t)geo_device_handle(&driver->devices[i]);
        }
    }
    return ZE_RESULT_SUCCESS;
}

static void text_set(char out[ZES_STRING_PROPERTY_SIZE], const char *text)
{
    memset(out, 0, ZES_STRING_PROPERTY_SIZE);
    snprintf(out, ZES_STRING_PROPERTY_SIZE, "%s", text);
}

static zes_device_type_t sysman_type(const struct geo_device *device)
{
    return device->type == ZE_DEVICE_TYPE_CPU ? ZES_DEVICE_TYPE_CPU : ZES_DEVICE_TYPE_GPU;
}

static void properties_extend(const struct geo_device *device, const void *next)
{
    zes_device_ext_properties_t *extension =
        GEO_CHAIN_FIND(zes_device_properties_t, zes_device_ext_properties_t, next);
    if (extension) {
        memcpy(extension->uuid.id, device->info->uuid, sizeof(extension->uuid.id));
        extension->type = sysman_type(device);
        extension->flags =
            device->type == ZE_DEVICE_TYPE_GPU ? ZES_DEVICE_PROPERTY_FLAG_INTEGRATED : 0;
    }
    zes_oem_serial_id_ext_properties_t *serial =
        GEO_CHAIN_FIND(zes_device_properties_t, zes_oem_serial_id_ext_properties_t, next);
    if (serial) {
        serial->length = 0;
        memset(serial->oemSerialId, 0, sizeof(serial->oemSerialId));
    }
}

ze_result_t geo_zesDeviceGetProperties(zes_device_handle_t hDevice,
                                       zes_device_properties_t *pProperties)
{
    struct geo_device *device;
    GEO_CHECK(device_from(hDevice, &device));
    uint32_t version = device->base.driver->ops->driver_version;
    char text[ZES_STRING_PROPERTY_SIZE];
    snprintf(text, sizeof(text), "%u.%u.%u", version >> 24, (version >> 16) & 0xff,
             version & 0xffff);
    /* The core part is filled in place; what the application left in its header is not a chain. */
    pProperties->core.stype = GEO_STYPE(ze_device_properties_t);
    pProperties->core.pNext = NULL;
    geo_device_fill_properties(device, &pProperties->core);
    pProperties->numSubdevices = device->part_count;
    text_set(pProperties->serialNumber, "unknown");
    text_set(pProperties->boardNumber, "unknown");
    text_set(pProperties->brandName, "Geoid");
    text_set(pProperties->modelName, device->info->name);
    text_set(pProperties->vendorName, "Geoid");
    text_set(pProperties->driverVersion, text);
    properties_extend(device, GEO_CHAIN_OF(zes_device_properties_t, pProperties));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceGetSubDevicePropertiesExp(zes_device_handle_t hDevice, uint32_t *pCount,
                                                   zes_subdevice_exp_properties_t *pProperties)
{
    struct geo_device *device;
    GEO_CHECK(device_from(hDevice, &device));
    uint32_t count = geo_list_protocol(pCount, device->part_count, pProperties);
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_device *part = &device->parts[i];
        pProperties[i].subdeviceId = part->part;
        memcpy(pProperties[i].uuid.id, part->info->uuid, sizeof(pProperties[i].uuid.id));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDriverGetDeviceByUuidExp(zes_driver_handle_t hDriver, zes_uuid_t uuid,
                                            zes_device_handle_t *phDevice, ze_bool_t *onSubdevice,
                                            uint32_t *subdeviceId)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from((ze_driver_handle_t)hDriver, &driver));
    for (uint32_t i = 0; i < driver->device_count; i++) {
        struct geo_device *device = &driver->devices[i];
        if (memcmp(device->info->uuid, uuid.id, sizeof(uuid.id)) == 0) {
            *phDevice = (zes_device_handle_t)geo_device_handle(device->card);
            *onSubdevice = device->card != device;
            *subdeviceId = device->part;
            return ZE_RESULT_SUCCESS;
        }
    }
    return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no device of this driver has this uuid");
}
