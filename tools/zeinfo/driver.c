/* The program zeinfo, a driver: version, properties, extensions, devices. */
#include "describe.h"
#include "query.h"
#include "zeinfo.h"

#include <stdio.h>
#include <stdlib.h>

static ze_result_t properties_get(void *driver, void *properties)
{
    return zeDriverGetProperties((ze_driver_handle_t)driver, properties);
}

static ze_result_t ipc_get(void *driver, void *properties)
{
    return zeDriverGetIpcProperties((ze_driver_handle_t)driver, properties);
}

static ze_result_t devices_get(void *driver, uint32_t *count, void **devices)
{
    return zeDeviceGet((ze_driver_handle_t)driver, count, (ze_device_handle_t *)devices);
}

static void version_print(struct emit *emit, ze_driver_handle_t driver)
{
    ze_api_version_t version;
    char text[32];
    if (zeDriverGetApiVersion(driver, &version) == ZE_RESULT_SUCCESS) {
        snprintf(text, sizeof(text), "%u.%u", ZE_MAJOR_VERSION((uint32_t)version),
                 ZE_MINOR_VERSION((uint32_t)version));
        emit_text(emit, "apiVersion", text);
    }
}

static void extensions_print(struct emit *emit, ze_driver_handle_t driver)
{
    uint32_t count = 0;
    ze_result_t result = zeDriverGetExtensionProperties(driver, &count, NULL);
    ze_driver_extension_properties_t *extensions =
        result == ZE_RESULT_SUCCESS ? calloc((size_t)count + 1, sizeof(*extensions)) : NULL;
    emit_begin(emit, "extensions", EMIT_OBJECT);
    if (extensions && count) {
        result = zeDriverGetExtensionProperties(driver, &count, extensions);
    }
    for (uint32_t i = 0; extensions && result == ZE_RESULT_SUCCESS && i < count; i++) {
        char name[ZE_MAX_EXTENSION_NAME + 1], version[32];
        snprintf(name, sizeof(name), "%.*s", ZE_MAX_EXTENSION_NAME, extensions[i].name);
        snprintf(version, sizeof(version), "%u.%u", ZE_MAJOR_VERSION(extensions[i].version),
                 ZE_MINOR_VERSION(extensions[i].version));
        emit_text(emit, name, version);
    }
    if (result != ZE_RESULT_SUCCESS) {
        emit_text(emit, "error", describe_result(result));
    }
    emit_end(emit);
    free(extensions);
}

void device_title(ze_device_handle_t device, char text[DEVICE_TITLE_BYTES])
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    ze_result_t result = zeDeviceGetProperties(device, &properties);
    static const char *const types[] = {"?", "gpu", "cpu", "fpga", "mca", "vpu"};
    const char *type = (unsigned)properties.type < 6 ? types[properties.type] : "?";
    if (result == ZE_RESULT_SUCCESS) {
        snprintf(text, DEVICE_TITLE_BYTES, "[%s] %.*s", type, (int)sizeof(properties.name),
                 properties.name);
    } else {
        snprintf(text, DEVICE_TITLE_BYTES, "%s", describe_result(result));
    }
}

/* One line per device, for lists that fit on a screen. */
static void device_brief(struct emit *emit, ze_device_handle_t device)
{
    char text[DEVICE_TITLE_BYTES];
    device_title(device, text);
    emit_text(emit, NULL, text);
}

void **driver_devices(ze_driver_handle_t driver, uint32_t *count, ze_result_t *result)
{
    return query_handles(devices_get, driver, count, result);
}

void driver_print(struct emit *emit, ze_driver_handle_t driver, bool brief)
{
    uint32_t count;
    ze_result_t result;
    emit_begin(emit, NULL, EMIT_OBJECT);
    const char *path = why_driver_path(driver);
    if (*path) {
        emit_text(emit, "library", path);
    }
    version_print(emit, driver);
    if (!brief) {
        query_struct(emit, "properties", "ze_driver_properties_t", properties_get, driver);
        query_struct(emit, "ipcProperties", "ze_driver_ipc_properties_t", ipc_get, driver);
        extensions_print(emit, driver);
    }
    void **devices = driver_devices(driver, &count, &result);
    emit_begin(emit, "devices", EMIT_LIST);
    for (uint32_t i = 0; i < count; i++) {
        if (brief) {
            device_brief(emit, (ze_device_handle_t)devices[i]);
        } else {
            device_print(emit, (ze_device_handle_t)devices[i]);
        }
    }
    emit_end(emit);
    if (result != ZE_RESULT_SUCCESS) {
        emit_text(emit, "devicesError", describe_result(result));
    }
    emit_end(emit);
    free(devices);
}
