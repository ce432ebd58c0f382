/* Extensions. See extension.h. */
#include "driver/core/extension.h"

#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/driver.h"

#include <string.h>

static const struct geo_extension extensions[] = {
    {ZE_DRIVER_DDI_HANDLES_EXT_NAME, ZE_DRIVER_DDI_HANDLES_EXT_VERSION_CURRENT},
    {ZE_DEVICE_IP_VERSION_EXT_NAME, ZE_DEVICE_IP_VERSION_VERSION_CURRENT},
    {ZE_EU_COUNT_EXT_NAME, ZE_EU_COUNT_EXT_VERSION_CURRENT},
    {ZE_CACHELINE_SIZE_EXT_NAME, ZE_DEVICE_CACHE_LINE_SIZE_EXT_VERSION_CURRENT},
    {ZE_DEVICE_VECTOR_SIZES_EXT_NAME, ZE_DEVICE_VECTOR_SIZES_EXT_VERSION_CURRENT},
    {ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME, ZE_DEVICE_MEMORY_PROPERTIES_EXT_VERSION_CURRENT},
    {ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME,
     ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_VERSION_CURRENT},
    {ZE_VIRTUAL_MEM_READONLY_PROPERTIES_EXT_NAME,
     ZE_VIRTUAL_MEM_READONLY_PROPERTIES_EXT_VERSION_CURRENT},
    {ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME,
     ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_VERSION_CURRENT},
    {ZE_FLOAT_ATOMICS_EXT_NAME, ZE_FLOAT_ATOMICS_EXT_VERSION_CURRENT},
    {ZE_MODULE_PROGRAM_EXP_NAME, ZE_MODULE_PROGRAM_EXP_VERSION_CURRENT},
    {ZE_LINKAGE_INSPECTION_EXT_NAME, ZE_LINKAGE_INSPECTION_EXT_VERSION_CURRENT},
    {ZE_MEMORY_FREE_POLICIES_EXT_NAME, ZE_MEMORY_FREE_POLICIES_EXT_VERSION_CURRENT},
    {ZE_RELAXED_ALLOCATION_LIMITS_EXT_NAME, ZE_RELAXED_ALLOCATION_LIMITS_EXT_VERSION_CURRENT},
    {ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, ZE_RELAXED_ALLOCATION_LIMITS_EXP_VERSION_CURRENT},
    {ZE_EXTERNAL_MEMORY_MAPPING_EXT_NAME, ZE_EXTERNAL_MEMMAP_SYSMEM_EXT_VERSION_CURRENT},
    {ZE_IPC_MEM_HANDLE_TYPE_EXT_NAME, ZE_IPC_MEM_HANDLE_TYPE_EXT_VERSION_CURRENT},
    {ZE_SUB_ALLOCATIONS_EXP_NAME, ZE_SUB_ALLOCATIONS_EXP_VERSION_CURRENT},
    {ZE_GLOBAL_OFFSET_EXP_NAME, ZE_GLOBAL_OFFSET_EXP_VERSION_CURRENT},
    {ZE_GET_KERNEL_ALLOCATION_PROPERTIES_EXP_NAME,
     ZE_KERNEL_GET_ALLOCATION_PROPERTIES_EXP_VERSION_CURRENT},
    {ZE_PCI_PROPERTIES_EXT_NAME, ZE_PCI_PROPERTIES_EXT_VERSION_CURRENT},
    {ZE_GET_KERNEL_BINARY_EXP_NAME, ZE_KERNEL_GET_BINARY_EXP_VERSION_CURRENT},
};

const struct geo_extension *geo_extension_table(uint32_t *count)
{
    *count = sizeof(extensions) / sizeof(extensions[0]);
    return extensions;
}

/* For listings (zeinfo --functions): 1 when the function of that name does something, 0 when it
 * only answers "unsupported"; INVALID_FUNCTION_NAME when the API has no such function. */
static ze_result_t function_status(const char *function, uint32_t *implemented)
{
    GEO_CHECK_POINTER(function);
    GEO_CHECK_POINTER(implemented);
    const struct geo_ddi_function *known = geo_ddi_function_find(function);
    if (!known) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "the API has no function \"%.100s\"",
                        function);
    }
    *implemented = geo_api_find(function) != NULL;
    return ZE_RESULT_SUCCESS;
}

geo_api_fn geo_extension_function(const char *name)
{
    if (strcmp(name, "geoidDriverGetFunctionStatus") == 0) {
        return (geo_api_fn)function_status;
    }
    geo_api_fn vendor = geo_vendor_function(name);
    return vendor ? vendor : geo_api_find(name);
}
