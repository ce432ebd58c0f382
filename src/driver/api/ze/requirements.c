/* API functions of runtime requirements: what code needs, and whether a device meets it
 * (program/requirements.h). */
#include "driver/program/requirements.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/program/module.h"

#include <string.h>

ze_result_t geo_zeDeviceGetRuntimeRequirements(ze_device_handle_t hDevice, const void *pObjDesc,
                                               size_t *pSize, char *pRequirements)
{
    struct geo_device *device;
    struct geo_module *module;
    char text[GEO_REQUIREMENTS_BYTES], reason[GEO_NATIVE_REASON_BYTES];
    const ze_runtime_requirements_module_desc_t *desc = pObjDesc;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    if (desc->stype == ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_GRAPH_DESC) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "graphs have no requirements");
    }
    if (desc->stype != ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_MODULE_DESC) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "pObjDesc describes neither a module nor a graph");
    }
    GEO_CHECK(geo_module_from(desc->requirementsSrc, &module));
    geo_requirements_of_payload(geo_module_payload(module, reason), text);
    const size_t bytes = strlen(text) + 1;
    if (pRequirements && *pSize < bytes) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "the buffer of %zu bytes is too small: %zu are needed", *pSize, bytes);
    }
    if (pRequirements) {
        memcpy(pRequirements, text, bytes);
    }
    *pSize = bytes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetRuntimeRequirementsKey(ze_device_handle_t hDevice, const char **pKey)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    *pKey = geo_requirements_key(device);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceValidateRuntimeRequirements(ze_device_handle_t hDevice,
                                                    const char *pRequirements,
                                                    ze_validate_runtime_requirements_output_t *pOut)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    pOut->result = geo_requirements_check(device, pRequirements);
    return ZE_RESULT_SUCCESS;
}
