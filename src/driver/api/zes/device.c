/* Sysman's list of devices and their properties. One object is both a ze and a zes handle, so its
 * core properties are the same. Sysman lists every existing device, whatever
 * ZE_FLAT_DEVICE_HIERARCHY and ZE_AFFINITY_MASK hide in the core API (ENV-5). The handle of a
 * sub-device stands for its root device (SYS-2). */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/device_properties.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

#include <stdio.h>
#include <string.h>

ze_result_t geo_zesDeviceGet(zes_driver_handle_t hDriver, uint32_t *pCount,
                             zes_device_handle_t *phDevices)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from((ze_driver_handle_t)hDriver, &driver));
    const uint32_t cards = driver->devices[driver->device_count - 1].index + 1;
    uint32_t count = geo_count_protocol(pCount, cards, phDevices);
    for (uint32_t i = 0, at = 0; at < count; i++) {
        if (driver->devices[i].card == &driver->devices[i]) {
            phDevices[at++] = (zes_device_handle_t)geo_device_handle(&driver->devices[i]);
        }
    }
    return ZE_RESULT_SUCCESS;
}

#define SAME_TYPE(TYPE)                                                                            \
    _Static_assert((int)ZES_DEVICE_TYPE_##TYPE == (int)ZE_DEVICE_TYPE_##TYPE,                      \
                   "sysman has the core's types");
SAME_TYPE(GPU)
SAME_TYPE(CPU)
SAME_TYPE(FPGA)
SAME_TYPE(MCA)
SAME_TYPE(VPU)

/* Returns the flags. A CPU reported as a GPU is an integrated GPU. */
static zes_device_property_flags_t device_flags(const struct geo_device *device)
{
    const ze_device_property_flags_t flags = device->info->flags;
    if (device->info->type == ZE_DEVICE_TYPE_CPU) {
        return device->type == ZE_DEVICE_TYPE_GPU ? ZES_DEVICE_PROPERTY_FLAG_INTEGRATED : 0;
    }
    return (flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED ? ZES_DEVICE_PROPERTY_FLAG_INTEGRATED : 0u) |
           (flags & ZE_DEVICE_PROPERTY_FLAG_ECC ? ZES_DEVICE_PROPERTY_FLAG_ECC : 0u) |
           (flags & ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING ? ZES_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING
                                                           : 0u);
}

static void properties_extend(const struct geo_device *device,
                              const struct geo_sysman_device *about, const void *next)
{
    zes_device_ext_properties_t *extension =
        GEO_CHAIN_FIND(zes_device_properties_t, zes_device_ext_properties_t, next);
    if (extension) {
        memcpy(extension->uuid.id, device->info->uuid, sizeof(extension->uuid.id));
        extension->type = (zes_device_type_t)device->type;
        extension->flags = device_flags(device);
    }
    zes_oem_serial_id_ext_properties_t *serial =
        GEO_CHAIN_FIND(zes_device_properties_t, zes_oem_serial_id_ext_properties_t, next);
    if (serial) {
        const char *text = about->oem_serial ? about->oem_serial : "";
        geo_sysman_text(serial->oemSerialId, sizeof(serial->oemSerialId), text, false);
        serial->length = (uint16_t)strlen(serial->oemSerialId);
    }
}

/* Returns the description of a device whose backend has none. */
static struct geo_sysman_device about_unknown(const struct geo_device *device, const char *version)
{
    return (struct geo_sysman_device){.serial = "unknown",
                                      .board = "unknown",
                                      .brand = "Geoid",
                                      .model = device->info->name,
                                      .vendor = "Geoid",
                                      .driver_version = version};
}

static void properties_fill(const struct geo_device *device, const struct geo_sysman_device *about,
                            zes_device_properties_t *out)
{
    /* The core structure is filled in place. Its pNext is uninitialised data of the application,
     * not a chain. */
    out->core.stype = GEO_STYPE(ze_device_properties_t);
    out->core.pNext = NULL;
    geo_device_fill_properties(device, &out->core);
    out->numSubdevices = device->part_count;
    const struct {
        char *out;
        const char *text;
        bool simulated;
    } texts[] = {
        {out->serialNumber, about->serial, false},
        {out->boardNumber, about->board, false},
        {out->brandName, about->brand, false},
        {out->modelName, about->model, about->simulated},
        {out->vendorName, about->vendor, false},
        {out->driverVersion, about->driver_version, false},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        geo_sysman_text(texts[i].out, ZES_STRING_PROPERTY_SIZE, texts[i].text, texts[i].simulated);
    }
    properties_extend(device, about, GEO_CHAIN_OF(zes_device_properties_t, out));
}

/* Returns SURVIVABILITY_MODE_DETECTED for a device that can only get new firmware (SYC-29). Its
 * properties are filled in nevertheless. */
static ze_result_t survivability(const struct geo_sysman_root *root)
{
    struct geo_sysman_device_state state = {0};
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (root->about->ops && root->about->ops->state) {
        GEO_ASK_ROOT_FOR(result, root, state, root->sysman, &state);
    }
    return result == ZE_RESULT_SUCCESS && (state.flags & ZES_DEVICE_STATE_EXT_FLAG_SURVIVABILITY)
               ? geo_fail(ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED,
                          "%s is in survivability mode: only its firmware can be written",
                          root->device->info->name)
               : ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceGetProperties(zes_device_handle_t hDevice,
                                       zes_device_properties_t *pProperties)
{
    struct geo_device *device;
    struct geo_sysman_root *root;
    char version[ZES_STRING_PROPERTY_SIZE];
    GEO_CHECK(geo_sysman_card_from(hDevice, &device));
    const uint32_t number = device->base.driver->ops->driver_version;
    snprintf(version, sizeof(version), "%u.%u.%u", number >> 24, (number >> 16) & 0xff,
             number & 0xffff);
    if (!device->base.driver->ops->sysman ||
        geo_sysman_root_of(device, &root) != ZE_RESULT_SUCCESS) {
        const struct geo_sysman_device about = about_unknown(device, version);
        properties_fill(device, &about, pProperties);
        return ZE_RESULT_SUCCESS;
    }
    properties_fill(device, root->about, pProperties);
    return survivability(root);
}

ze_result_t geo_zesDeviceGetSubDevicePropertiesExp(zes_device_handle_t hDevice, uint32_t *pCount,
                                                   zes_subdevice_exp_properties_t *pProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_sysman_card_from(hDevice, &device));
    uint32_t count = geo_count_protocol(pCount, device->part_count, pProperties);
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
