/* API functions of virtual functions. */
#include "driver/sysman/virtual_function.h"
#include "base/clock.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- identity ---- */

ze_result_t geo_zesVFManagementGetVFPropertiesExp(zes_vf_handle_t hVFhandle,
                                                  zes_vf_exp_properties_t *pProperties)
{
    const struct geo_sysman_virtual_function *function;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    pProperties->address = function->capabilities.address;
    memcpy(pProperties->uuid.id, function->uuid.id, sizeof(pProperties->uuid.id));
    pProperties->flags = function->telemetry;
    return ZE_RESULT_SUCCESS;
}

/* Returns the capabilities. A memory size that does not fit in the older structure is reported as
 * its largest number. */
ze_result_t geo_zesVFManagementGetVFCapabilitiesExp(zes_vf_handle_t hVFhandle,
                                                    zes_vf_exp_capabilities_t *pCapability)
{
    const struct geo_sysman_virtual_function *function;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    const zes_vf_exp2_capabilities_t *capabilities = &function->capabilities;
    pCapability->address = capabilities->address;
    pCapability->vfDeviceMemSize = capabilities->vfDeviceMemSize < UINT32_MAX
                                       ? (uint32_t)capabilities->vfDeviceMemSize
                                       : UINT32_MAX;
    pCapability->vfID = capabilities->vfID;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesVFManagementGetVFCapabilitiesExp2(zes_vf_handle_t hVFhandle,
                                                     zes_vf_exp2_capabilities_t *pCapability)
{
    const struct geo_sysman_virtual_function *function;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    zes_vf_exp2_capabilities_t capabilities = function->capabilities;
    GEO_VALUE_WRITE(pCapability, &capabilities);
    return ZE_RESULT_SUCCESS;
}

/* ---- utilisation ---- */

static uint64_t now_us(void)
{
    return geo_clock_ns() / 1000;
}

ze_result_t geo_zesVFManagementGetVFMemoryUtilizationExp2(zes_vf_handle_t hVFhandle,
                                                          uint32_t *pCount,
                                                          zes_vf_util_mem_exp2_t *pMemUtil)
{
    const struct geo_sysman_virtual_function *function;
    struct geo_sysman_list list;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    GEO_CHECK(geo_virtual_function_memory(function, &list));
    zes_vf_util_mem_exp2_t *items = list.items;
    uint32_t count = geo_count_protocol(pCount, list.count, pMemUtil);
    for (uint32_t i = 0; i < count; i++) {
        GEO_VALUE_WRITE(&pMemUtil[i], &items[i]);
    }
    free(list.items);
    return ZE_RESULT_SUCCESS;
}

/* Converts to the older structure, which also has the total size. It is only known for device
 * memory. */
static void memory_write(const struct geo_sysman_virtual_function *function,
                         const zes_vf_util_mem_exp2_t *memory, uint64_t now,
                         zes_vf_util_mem_exp_t *out)
{
    const bool device = memory->vfMemLocation == ZES_MEM_LOC_DEVICE;
    const uint64_t size = device ? function->capabilities.vfDeviceMemSize : 0;
    out->memTypeFlags = device ? ZES_VF_INFO_MEM_TYPE_EXP_FLAG_MEM_TYPE_DEVICE
                               : ZES_VF_INFO_MEM_TYPE_EXP_FLAG_MEM_TYPE_SYSTEM;
    out->size = size;
    out->free = size > memory->vfMemUtilized ? size - memory->vfMemUtilized : 0;
    out->timestamp = now;
}

ze_result_t geo_zesVFManagementGetVFMemoryUtilizationExp(zes_vf_handle_t hVFhandle,
                                                         uint32_t *pCount,
                                                         zes_vf_util_mem_exp_t *pMemUtil)
{
    const struct geo_sysman_virtual_function *function;
    struct geo_sysman_list list;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    GEO_CHECK(geo_virtual_function_memory(function, &list));
    const zes_vf_util_mem_exp2_t *items = list.items;
    const uint64_t now = now_us();
    uint32_t count = geo_count_protocol(pCount, list.count, pMemUtil);
    for (uint32_t i = 0; i < count; i++) {
        memory_write(function, &items[i], now, &pMemUtil[i]);
    }
    free(list.items);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesVFManagementGetVFEngineUtilizationExp2(zes_vf_handle_t hVFhandle,
                                                          uint32_t *pCount,
                                                          zes_vf_util_engine_exp2_t *pEngineUtil)
{
    const struct geo_sysman_virtual_function *function;
    struct geo_sysman_list list;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    GEO_CHECK(geo_virtual_function_engines(function, &list));
    zes_vf_util_engine_exp2_t *items = list.items;
    uint32_t count = geo_count_protocol(pCount, list.count, pEngineUtil);
    for (uint32_t i = 0; i < count; i++) {
        GEO_VALUE_WRITE(&pEngineUtil[i], &items[i]);
    }
    free(list.items);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesVFManagementGetVFEngineUtilizationExp(zes_vf_handle_t hVFhandle,
                                                         uint32_t *pCount,
                                                         zes_vf_util_engine_exp_t *pEngineUtil)
{
    const struct geo_sysman_virtual_function *function;
    struct geo_sysman_list list;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    GEO_CHECK(geo_virtual_function_engines(function, &list));
    const zes_vf_util_engine_exp2_t *items = list.items;
    const uint64_t now = now_us();
    uint32_t count = geo_count_protocol(pCount, list.count, pEngineUtil);
    for (uint32_t i = 0; i < count; i++) {
        pEngineUtil[i].type = items[i].vfEngineType;
        pEngineUtil[i].activeCounterValue = items[i].activeCounterValue;
        pEngineUtil[i].samplingCounterValue = items[i].samplingCounterValue;
        pEngineUtil[i].timestamp = now;
    }
    free(list.items);
    return ZE_RESULT_SUCCESS;
}

/* ---- telemetry ---- */

ze_result_t geo_zesVFManagementSetVFTelemetryModeExp(zes_vf_handle_t hVFhandle,
                                                     zes_vf_info_util_exp_flags_t flags,
                                                     ze_bool_t enable)
{
    const struct geo_sysman_virtual_function *function;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    return geo_virtual_function_measure(geo_component_of(hVFhandle), function, flags, enable != 0);
}

ze_result_t geo_zesVFManagementSetVFTelemetrySamplingIntervalExp(zes_vf_handle_t hVFhandle,
                                                                 zes_vf_info_util_exp_flags_t flag,
                                                                 uint64_t samplingInterval)
{
    const struct geo_sysman_virtual_function *function;
    GEO_CHECK(geo_virtual_function_from(hVFhandle, &function));
    return geo_virtual_function_set_interval(geo_component_of(hVFhandle), function, flag,
                                             samplingInterval);
}
