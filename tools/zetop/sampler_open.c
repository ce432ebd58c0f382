/* Finding drivers and devices. See sampler.h. */
#include "sampler.h"

#include "text.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How drivers mark what is simulated, at the end of a device's model. */
static const char mark[] = " (simulated)";

static bool fails(char *why, size_t size, const char *what, ze_result_t result)
{
    snprintf(why, size, "%s: %s", what, word_of(&words_ze_result_t, (uint32_t)result));
    return false;
}

static bool drivers_get(struct sampler *sampler, char *why, size_t size)
{
    uint32_t count = 0;
    ze_result_t result = zesInit(0);
    if (result == ZE_RESULT_SUCCESS) {
        result = zesDriverGet(&count, NULL);
    }
    zes_driver_handle_t *handles = calloc(count + 1, sizeof(*handles));
    sampler->drivers = calloc(count + 1, sizeof(*sampler->drivers));
    if (!handles || !sampler->drivers) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    } else if (result == ZE_RESULT_SUCCESS && count) {
        result = zesDriverGet(&count, handles);
    }
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < count; i++) {
        struct driver *driver = &sampler->drivers[sampler->driver_count++];
        void *function = NULL;
        driver->handle = handles[i];
        /* A driver's handle of sysman need not be one of the core: only the driver knows. */
        if (zesDriverGetExtensionFunctionAddress(handles[i], "zeDriverGetLastErrorDescription",
                                                 &function) == ZE_RESULT_SUCCESS) {
            driver->error = (driver_error_fn)function;
        }
    }
    free(handles);
    if (result != ZE_RESULT_SUCCESS || count == 0) {
        return fails(why, size, "no driver", result);
    }
    return true;
}

static void uuid_print(const uint8_t *id, char *text, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    for (size_t i = 0; i < ZES_MAX_UUID_SIZE && at + 3 < size; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text[at++] = '-';
        }
        text[at++] = digits[id[i] >> 4];
        text[at++] = digits[id[i] & 15];
    }
    text[at] = '\0';
}

static ze_result_t device_describe(struct device *device)
{
    zes_device_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES};
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                          .pNext = &extension};
    ze_result_t result = zesDeviceGetProperties(device->handle, &properties);
    if (result != ZE_RESULT_SUCCESS) { /* the extension is younger than the function */
        memset(&extension, 0, sizeof(extension));
        properties.pNext = NULL;
        result = zesDeviceGetProperties(device->handle, &properties);
    }
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED) {
        return result;
    }
    uuid_print(extension.type ? extension.uuid.id : properties.core.uuid.id, device->uuid,
               sizeof(device->uuid));
    char *end = strstr(properties.modelName, mark);
    device->simulated = end && end[strlen(mark)] == '\0';
    if (device->simulated) {
        *end = '\0';
    }
    device->subdevice_count = properties.numSubdevices;
    text_copy(device->name, sizeof(device->name), properties.modelName);
    text_copy(device->vendor, sizeof(device->vendor), properties.vendorName);
    text_copy(device->serial, sizeof(device->serial), properties.serialNumber);
    text_copy(device->version, sizeof(device->version), properties.driverVersion);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t devices_get(struct sampler *sampler, struct driver *driver)
{
    uint32_t count = 0;
    ze_result_t result = zesDeviceGet(driver->handle, &count, NULL);
    if (result != ZE_RESULT_SUCCESS || count == 0) {
        return result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ? ZE_RESULT_SUCCESS : result;
    }
    zes_device_handle_t *handles = calloc(count, sizeof(zes_device_handle_t));
    struct device *devices =
        realloc(sampler->devices, (sampler->device_count + count) * sizeof(*devices));
    sampler->devices = devices ? devices : sampler->devices;
    result = handles && devices ? zesDeviceGet(driver->handle, &count, handles)
                                : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < count; i++) {
        struct device *device = &devices[sampler->device_count];
        *device = (struct device){.handle = handles[i],
                                  .driver = driver,
                                  .index = (uint32_t)sampler->device_count,
                                  .name = "?"};
        device->lost = device_describe(device) != ZE_RESULT_SUCCESS; /* snapshots tell why */
        sampler->device_count++;
    }
    free(handles);
    return result;
}

bool sampler_open(struct sampler *sampler, char *why, size_t size)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    *sampler = (struct sampler){NULL, 0, NULL, 0};
    if (!drivers_get(sampler, why, size)) {
        return false;
    }
    for (size_t i = 0; result == ZE_RESULT_SUCCESS && i < sampler->driver_count; i++) {
        struct driver *driver = &sampler->drivers[i];
        const char *text = NULL;
        result = devices_get(sampler, driver);
        if (result != ZE_RESULT_SUCCESS) {
            fails(why, size, "cannot list the devices", result);
            if (driver->error && driver->error(driver->handle, &text) == ZE_RESULT_SUCCESS &&
                text && *text) {
                const size_t used = strlen(why);
                snprintf(why + used, size - used, ": %s", text);
            }
        }
    }
    if (result == ZE_RESULT_SUCCESS && sampler->device_count == 0) {
        snprintf(why, size, "the drivers have no devices");
    }
    return result == ZE_RESULT_SUCCESS && sampler->device_count > 0;
}

void sampler_close(struct sampler *sampler)
{
    for (size_t i = 0; i < sampler->device_count; i++) {
        struct device *device = &sampler->devices[i];
        for (size_t j = 0; j < device->part_count; j++) {
            free(device->parts[j].values);
            free(device->parts[j].history);
        }
        free(device->parts);
        free(device->processes);
    }
    free(sampler->devices);
    free(sampler->drivers);
    *sampler = (struct sampler){NULL, 0, NULL, 0};
}
