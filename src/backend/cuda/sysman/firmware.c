/* Firmware: the video BIOS, the objects of the InfoROM, and the GPU's system processor (GSP). NVML
 * cannot write any of them. */
#include "backend/cuda/sysman/sysman.h"

#include <stdio.h>

enum { VBIOS = -1, IMAGE = -2, GSP = -3 }; /* other values: an object of the InfoROM */

enum { TEXT_BYTES = 80 }; /* maximum length that NVML writes */

struct firmware {
    struct geo_sysman_firmware firmware; /* first */
    int kind;
};

static int version_read(const struct geo_sysman *sysman, int kind, char text[TEXT_BYTES],
                        const char **function)
{
    switch (kind) {
    case VBIOS:
        *function = "DeviceGetVbiosVersion";
        return GEO_NVML(sysman->nvml, DeviceGetVbiosVersion, sysman->device->handle, text,
                        TEXT_BYTES);
    case IMAGE:
        *function = "DeviceGetInforomImageVersion";
        return GEO_NVML(sysman->nvml, DeviceGetInforomImageVersion, sysman->device->handle, text,
                        TEXT_BYTES);
    case GSP:
        *function = "DeviceGetGspFirmwareVersion";
        return GEO_NVML(sysman->nvml, DeviceGetGspFirmwareVersion, sysman->device->handle, text);
    default:
        *function = "DeviceGetInforomVersion";
        return GEO_NVML(sysman->nvml, DeviceGetInforomVersion, sysman->device->handle, kind, text,
                        TEXT_BYTES);
    }
}

static ze_result_t firmware_version(const struct geo_sysman_firmware *object,
                                    char version[ZES_STRING_PROPERTY_SIZE], struct geo_strbuf *why)
{
    const struct firmware *firmware = object->base.opaque;
    const struct geo_sysman *sysman = object->base.sysman;
    char text[TEXT_BYTES] = "";
    const char *function;
    int code = version_read(sysman, firmware->kind, text, &function);
    ze_result_t result = geo_nvml_answer(sysman->nvml, code, function, why);
    text[TEXT_BYTES - 1] = '\0';
    snprintf(version, ZES_STRING_PROPERTY_SIZE, "%.*s", ZES_STRING_PROPERTY_SIZE - 1, text);
    return result;
}

static const struct geo_sysman_firmware_ops firmware_ops = {.version = firmware_version};

void geo_gpu_find_firmware(struct geo_component_list *list)
{
    static const struct {
        int kind;
        const char *name;
    } kinds[] = {
        {VBIOS, "VBIOS"},
        {IMAGE, "InfoROM image"},
        {GEO_NVML_INFOROM_OEM, "InfoROM OEM"},
        {GEO_NVML_INFOROM_ECC, "InfoROM ECC"},
        {GEO_NVML_INFOROM_POWER, "InfoROM power"},
        {GSP, "GSP"},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char text[TEXT_BYTES] = "";
        const char *function;
        if (!geo_gpu_has(version_read(list->sysman, kinds[i].kind, text, &function))) {
            continue;
        }
        struct firmware *firmware = geo_gpu_list_add(list, sizeof(*firmware), -1, kinds[i].name);
        if (firmware) {
            firmware->kind = kinds[i].kind;
            firmware->firmware.ops = &firmware_ops;
            snprintf(firmware->firmware.properties.name, ZES_STRING_PROPERTY_SIZE, "%s",
                     kinds[i].name);
        }
    }
}
