/* Initialisation and drivers: zeInit, zeInitDrivers, zeDriverGet, their sysman counterparts, and
 * what a driver says of itself. The inventory (driver/core/inventory.h) exists once per process;
 * the functions here only decide who may see it. */
#include "ddi/geo_api.h"
#include "driver/api/vendor.h"
#include "driver/core/check.h"
#include "driver/core/context.h"
#include "driver/core/extension.h"
#include "driver/core/inventory.h"

#include <string.h>

#define CORE_TYPES                                                                                 \
    ((1u << ZE_DEVICE_TYPE_GPU) | (1u << ZE_DEVICE_TYPE_CPU) | (1u << ZE_DEVICE_TYPE_FPGA) |       \
     (1u << ZE_DEVICE_TYPE_MCA))
#define NPU_TYPES (1u << ZE_DEVICE_TYPE_VPU)

static _Atomic bool core_initialised, sysman_initialised;

ze_result_t geo_api_unsupported(const char *function)
{
    if (!geo_inventory_ready()) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "%s was called before initialisation",
                        function);
    }
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%s is not supported by this driver",
                    function);
}

/* Any driver with a device of these types? */
static bool types_present(uint32_t types)
{
    for (uint32_t i = 0; i < geo_inventory_count(); i++) {
        if (geo_driver_has_type(geo_inventory_driver(i), types)) {
            return true;
        }
    }
    return false;
}

ze_result_t geo_zeInit(ze_init_flags_t flags)
{
    GEO_CHECK_FLAGS(flags, ze_init_flags_t);
    GEO_CHECK(geo_inventory_open());
    uint32_t types = flags ? 0 : ~0u;
    types |= flags & ZE_INIT_FLAG_GPU_ONLY ? 1u << ZE_DEVICE_TYPE_GPU : 0;
    types |= flags & ZE_INIT_FLAG_VPU_ONLY ? NPU_TYPES : 0;
    if (!types_present(types)) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "no device of the types asked for");
    }
    atomic_store(&core_initialised, true);
    return ZE_RESULT_SUCCESS;
}

/* Which drivers an application asks for that names driver types: all bits mean every driver. */
static uint32_t wanted_types(ze_init_driver_type_flags_t flags)
{
    uint32_t types = 0;
    types |= flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU ? 1u << ZE_DEVICE_TYPE_GPU : 0;
    types |= flags & ZE_INIT_DRIVER_TYPE_FLAG_NPU ? NPU_TYPES : 0;
    return flags == UINT32_MAX ? CORE_TYPES | NPU_TYPES : types;
}

/* The list protocol over the drivers that have devices of these types. */
static ze_result_t drivers_list(uint32_t types, uint32_t *count, ze_driver_handle_t *handles)
{
    uint32_t available = 0;
    for (uint32_t i = 0; i < geo_inventory_count(); i++) {
        available += geo_driver_has_type(geo_inventory_driver(i), types);
    }
    uint32_t wanted = geo_list_protocol(count, available, handles);
    for (uint32_t i = 0, at = 0; i < geo_inventory_count() && at < wanted; i++) {
        struct geo_driver *driver = geo_inventory_driver(i);
        if (geo_driver_has_type(driver, types)) {
            handles[at++] = geo_driver_handle(driver);
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeInitDrivers(uint32_t *pCount, ze_driver_handle_t *phDrivers,
                              ze_init_driver_type_desc_t *desc)
{
    GEO_CHECK_POINTER(pCount);
    GEO_CHECK_POINTER(desc);
    uint32_t types = wanted_types(desc->flags);
    if (!types) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "desc->flags 0x%x names no driver",
                        desc->flags);
    }
    GEO_CHECK(geo_inventory_open());
    if (!types_present(types)) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "no driver of the types asked for");
    }
    atomic_store(&core_initialised, true);
    return drivers_list(types, pCount, phDrivers);
}

ze_result_t geo_zeDriverGet(uint32_t *pCount, ze_driver_handle_t *phDrivers)
{
    if (!atomic_load(&core_initialised) || !geo_inventory_ready()) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "neither zeInit nor zeInitDrivers was "
                                                       "called");
    }
    GEO_CHECK_POINTER(pCount);
    return drivers_list(~0u, pCount, phDrivers);
}

ze_result_t geo_zesInit(zes_init_flags_t flags)
{
    GEO_CHECK_FLAGS(flags, zes_init_flags_t);
    GEO_CHECK(geo_inventory_open());
    atomic_store(&sysman_initialised, true);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDriverGet(uint32_t *pCount, zes_driver_handle_t *phDrivers)
{
    if (!atomic_load(&sysman_initialised) || !geo_inventory_ready()) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "zesInit was not called");
    }
    GEO_CHECK_POINTER(pCount);
    return drivers_list(~0u, pCount, phDrivers);
}

ze_result_t geo_zeDriverGetApiVersion(ze_driver_handle_t hDriver, ze_api_version_t *version)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(version);
    *version = ZE_API_VERSION_CURRENT;
    return ZE_RESULT_SUCCESS;
}

static void driver_properties_extend(const void *next)
{
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_driver_properties_t, ze_driver_ddi_handles_ext_properties_t, walk)) {
            ((ze_driver_ddi_handles_ext_properties_t *)walk.link)->flags =
                ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED;
        } else if (GEO_LINK_IS(ze_driver_properties_t, ze_driver_memory_free_ext_properties_t,
                               walk)) {
            ((ze_driver_memory_free_ext_properties_t *)walk.link)->freePolicies =
                ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE |
                ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
        }
    }
}

ze_result_t geo_zeDriverGetProperties(ze_driver_handle_t hDriver,
                                      ze_driver_properties_t *pDriverProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(pDriverProperties);
    memcpy(pDriverProperties->uuid.id, driver->ops->driver_uuid, ZE_MAX_DRIVER_UUID_SIZE);
    pDriverProperties->driverVersion = driver->ops->driver_version;
    driver_properties_extend(GEO_CHAIN_OF(ze_driver_properties_t, pDriverProperties));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDriverGetIpcProperties(ze_driver_handle_t hDriver,
                                         ze_driver_ipc_properties_t *pIpcProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(pIpcProperties);
    pIpcProperties->flags = ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zeDriverGetExtensionProperties(ze_driver_handle_t hDriver, uint32_t *pCount,
                                   ze_driver_extension_properties_t *pExtensionProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(pCount);
    uint32_t available;
    const struct geo_extension *extensions = geo_extension_table(&available);
    uint32_t count = geo_list_protocol(pCount, available, pExtensionProperties);
    for (uint32_t i = 0; i < count; i++) {
        memset(&pExtensionProperties[i], 0, sizeof(pExtensionProperties[i]));
        strncpy(pExtensionProperties[i].name, extensions[i].name, ZE_MAX_EXTENSION_NAME - 1);
        pExtensionProperties[i].version = extensions[i].version;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zesDriverGetExtensionProperties(zes_driver_handle_t hDriver, uint32_t *pCount,
                                    zes_driver_extension_properties_t *pExtensionProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(pCount);
    (void)geo_list_protocol(pCount, 0, pExtensionProperties);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t function_address(ze_driver_handle_t hDriver, const char *name, void **address)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(name);
    GEO_CHECK_POINTER(address);
    geo_api_fn function = geo_function_by_name(name);
    if (!function) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "there is no extension function \"%.100s\"", name);
    }
    *address = (void *)function;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDriverGetExtensionFunctionAddress(ze_driver_handle_t hDriver, const char *name,
                                                    void **ppFunctionAddress)
{
    return function_address(hDriver, name, ppFunctionAddress);
}

ze_result_t geo_zesDriverGetExtensionFunctionAddress(zes_driver_handle_t hDriver, const char *name,
                                                     void **ppFunctionAddress)
{
    return function_address(hDriver, name, ppFunctionAddress);
}

ze_result_t geo_zeDriverGetLastErrorDescription(ze_driver_handle_t hDriver, const char **ppString)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(ppString);
    *ppString = geo_error_text();
    return ZE_RESULT_SUCCESS;
}

ze_context_handle_t geo_zeDriverGetDefaultContext(ze_driver_handle_t hDriver)
{
    struct geo_driver *driver;
    if (geo_driver_from(hDriver, &driver) != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    struct geo_context *context = geo_driver_default_context(driver);
    return context ? geo_context_handle(context) : NULL;
}
