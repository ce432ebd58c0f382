/* The program zeinfo, a device: every property query of the core API. */
#include "describe.h"
#include "query.h"
#include "zeinfo.h"

#include <stdlib.h>

/* Queries of one structure each. */
#define GETTER(name, function)                                                                     \
    static ze_result_t name(void *device, void *properties)                                        \
    {                                                                                              \
        return function((ze_device_handle_t)device, properties);                                   \
    }

/* Queries of a list each. */
#define LIST_GETTER(name, function)                                                                \
    static ze_result_t name(void *device, uint32_t *count, void *properties)                       \
    {                                                                                              \
        return function((ze_device_handle_t)device, count, properties);                            \
    }

GETTER(device_get, zeDeviceGetProperties)
GETTER(compute_get, zeDeviceGetComputeProperties)
GETTER(module_get, zeDeviceGetModuleProperties)
GETTER(access_get, zeDeviceGetMemoryAccessProperties)
GETTER(image_get, zeDeviceGetImageProperties)
GETTER(external_get, zeDeviceGetExternalMemoryProperties)
GETTER(pci_get, zeDevicePciGetPropertiesExt)
LIST_GETTER(groups_get, zeDeviceGetCommandQueueGroupProperties)
LIST_GETTER(memory_get, zeDeviceGetMemoryProperties)
LIST_GETTER(cache_get, zeDeviceGetCacheProperties)

/* Loaders of earlier versions lack these. */
#pragma weak zeDeviceGetVectorWidthPropertiesExt
#pragma weak zeDeviceGetRootDevice

static ze_result_t vector_get(void *device, uint32_t *count, void *properties)
{
    return zeDeviceGetVectorWidthPropertiesExt
               ? zeDeviceGetVectorWidthPropertiesExt((ze_device_handle_t)device, count, properties)
               : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

static ze_result_t sub_devices_get(void *device, uint32_t *count, void **devices)
{
    return zeDeviceGetSubDevices((ze_device_handle_t)device, count, (ze_device_handle_t *)devices);
}

static void queries_print(struct emit *emit, ze_device_handle_t device)
{
    static const struct {
        const char *key, *type;
        query_struct_fn one;
        query_list_fn list;
    } queries[] = {
        {"properties", "ze_device_properties_t", device_get, NULL},
        {"compute", "ze_device_compute_properties_t", compute_get, NULL},
        {"module", "ze_device_module_properties_t", module_get, NULL},
        {"vectorWidths", "ze_device_vector_width_properties_ext_t", NULL, vector_get},
        {"queueGroups", "ze_command_queue_group_properties_t", NULL, groups_get},
        {"memory", "ze_device_memory_properties_t", NULL, memory_get},
        {"memoryAccess", "ze_device_memory_access_properties_t", access_get, NULL},
        {"caches", "ze_device_cache_properties_t", NULL, cache_get},
        {"image", "ze_device_image_properties_t", image_get, NULL},
        {"externalMemory", "ze_device_external_memory_properties_t", external_get, NULL},
        {"pci", "ze_pci_ext_properties_t", pci_get, NULL},
    };
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        if (queries[i].one) {
            query_struct(emit, queries[i].key, queries[i].type, queries[i].one, device);
        } else {
            query_list(emit, queries[i].key, queries[i].type, queries[i].list, device);
        }
    }
}

static void state_print(struct emit *emit, ze_device_handle_t device)
{
    uint64_t host = 0, clock = 0;
    emit_text(emit, "status", describe_result(zeDeviceGetStatus(device)));
    if (zeDeviceGetGlobalTimestamps(device, &host, &clock) == ZE_RESULT_SUCCESS) {
        emit_number(emit, "deviceTimestamp", clock, EMIT_PLAIN);
    }
    ze_device_handle_t root = NULL;
    if (zeDeviceGetRootDevice && zeDeviceGetRootDevice(device, &root) == ZE_RESULT_SUCCESS) {
        emit_bool(emit, "hasRootDevice", root != NULL);
    }
}

void device_print(struct emit *emit, ze_device_handle_t device)
{
    uint32_t count;
    ze_result_t result;
    emit_begin(emit, NULL, EMIT_OBJECT);
    state_print(emit, device);
    queries_print(emit, device);
    void **devices = query_handles(sub_devices_get, device, &count, &result);
    emit_begin(emit, "subDevices", EMIT_LIST);
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] != device) { /* a device is not its own part, whatever a driver says */
            device_print(emit, (ze_device_handle_t)devices[i]);
        }
    }
    emit_end(emit);
    emit_end(emit);
    free(devices);
}
