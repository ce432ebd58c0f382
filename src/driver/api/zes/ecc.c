/* API functions of error-correcting memory. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

ze_result_t geo_zesDeviceEccAvailable(zes_device_handle_t hDevice, ze_bool_t *pAvailable)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    *pAvailable = root->about->ecc_available;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceEccConfigurable(zes_device_handle_t hDevice, ze_bool_t *pConfigurable)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    *pConfigurable = root->about->ecc_configurable;
    return ZE_RESULT_SUCCESS;
}

static void state_write(const struct geo_sysman_root *root, zes_device_ecc_properties_t *state,
                        zes_device_ecc_properties_t *out)
{
    GEO_VALUE_WRITE(out, state);
    zes_device_ecc_default_properties_ext_t *shipped =
        GEO_CHAIN_FIND(zes_device_ecc_properties_t, zes_device_ecc_default_properties_ext_t,
                       GEO_CHAIN_OF(zes_device_ecc_properties_t, out));
    if (shipped) {
        shipped->defaultState = root->about->ecc_default;
    }
}

ze_result_t geo_zesDeviceGetEccState(zes_device_handle_t hDevice,
                                     zes_device_ecc_properties_t *pState)
{
    struct geo_sysman_root *root;
    zes_device_ecc_properties_t state = {0};
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    if (!root->about->ecc_available) {
        return geo_ask_unsupported(root->device->info->name, "error correction");
    }
    GEO_ASK_ROOT(root, ecc_state, root->sysman, &state);
    state_write(root, &state, pState);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceSetEccState(zes_device_handle_t hDevice,
                                     const zes_device_ecc_desc_t *newState,
                                     zes_device_ecc_properties_t *pState)
{
    struct geo_sysman_root *root;
    zes_device_ecc_properties_t state = {0};
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    if (newState->state != ZES_DEVICE_ECC_STATE_ENABLED &&
        newState->state != ZES_DEVICE_ECC_STATE_DISABLED) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION,
                        "error correction can be enabled or disabled, not set to %d",
                        (int)newState->state);
    }
    if (!root->about->ecc_available || !root->about->ecc_configurable) {
        return geo_ask_unsupported(root->device->info->name, "switch for error correction");
    }
    GEO_ASK_ROOT(root, ecc_set, root->sysman, newState->state, &state);
    state_write(root, &state, pState);
    return state.pendingAction == ZES_DEVICE_ACTION_NONE ? ZE_RESULT_SUCCESS
                                                         : ZE_RESULT_WARNING_ACTION_REQUIRED;
}
