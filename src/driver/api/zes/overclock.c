/* API functions of overclocking. */
#include "driver/sysman/overclock.h"
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

/* ---- device ---- */

ze_result_t geo_zesDeviceSetOverclockWaiver(zes_device_handle_t hDevice)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    GEO_ASK_ROOT(root, overclock_waive, root->sysman);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceGetOverclockDomains(zes_device_handle_t hDevice,
                                             uint32_t *pOverclockDomains)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    return geo_overclock_domains(root, pOverclockDomains);
}

ze_result_t geo_zesDeviceGetOverclockControls(zes_device_handle_t hDevice,
                                              zes_overclock_domain_t domainType,
                                              uint32_t *pAvailableControls)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    return geo_overclock_controls(root, domainType, pAvailableControls);
}

ze_result_t geo_zesDeviceResetOverclockSettings(zes_device_handle_t hDevice,
                                                ze_bool_t onShippedState)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    GEO_ASK_ROOT(root, overclock_reset, root->sysman, onShippedState != 0);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceReadOverclockState(zes_device_handle_t hDevice,
                                            zes_overclock_mode_t *pOverclockMode,
                                            ze_bool_t *pWaiverSetting, ze_bool_t *pOverclockState,
                                            zes_pending_action_t *pPendingAction,
                                            ze_bool_t *pPendingReset)
{
    struct geo_sysman_root *root;
    struct geo_sysman_overclock_state state = {0};
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    GEO_ASK_ROOT(root, overclock_state, root->sysman, &state);
    *pOverclockMode = state.mode;
    *pWaiverSetting = state.waived;
    *pOverclockState = state.overclocked;
    *pPendingAction = state.action;
    *pPendingReset = state.needs_reset;
    return ZE_RESULT_SUCCESS;
}

/* ---- domains ---- */

ze_result_t geo_zesOverclockGetDomainProperties(zes_overclock_handle_t hDomainHandle,
                                                zes_overclock_properties_t *pDomainProperties)
{
    const struct geo_sysman_overclock *domain;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    zes_overclock_properties_t properties = domain->properties;
    GEO_VALUE_WRITE(pDomainProperties, &properties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesOverclockGetDomainVFProperties(zes_overclock_handle_t hDomainHandle,
                                                  zes_vf_property_t *pVFProperties)
{
    const struct geo_sysman_overclock *domain;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    GEO_CHECK(geo_overclock_check_point(domain, 0));
    *pVFProperties = domain->curve;
    return ZE_RESULT_SUCCESS;
}

/* ---- controls ---- */

ze_result_t geo_zesOverclockGetDomainControlProperties(zes_overclock_handle_t hDomainHandle,
                                                       zes_overclock_control_t DomainControl,
                                                       zes_control_property_t *pControlProperties)
{
    const struct geo_sysman_overclock *domain;
    const struct geo_sysman_control *control;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    GEO_CHECK(geo_overclock_find(domain, DomainControl, &control));
    *pControlProperties = control->property;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesOverclockGetControlCurrentValue(zes_overclock_handle_t hDomainHandle,
                                                   zes_overclock_control_t DomainControl,
                                                   double *pValue)
{
    const struct geo_sysman_overclock *domain;
    struct geo_sysman_control_value value;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    GEO_CHECK(geo_overclock_read(domain, DomainControl, &value));
    *pValue = value.current;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesOverclockGetControlPendingValue(zes_overclock_handle_t hDomainHandle,
                                                   zes_overclock_control_t DomainControl,
                                                   double *pValue)
{
    const struct geo_sysman_overclock *domain;
    struct geo_sysman_control_value value;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    GEO_CHECK(geo_overclock_read(domain, DomainControl, &value));
    *pValue = value.pending;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesOverclockGetControlState(zes_overclock_handle_t hDomainHandle,
                                            zes_overclock_control_t DomainControl,
                                            zes_control_state_t *pControlState,
                                            zes_pending_action_t *pPendingAction)
{
    const struct geo_sysman_overclock *domain;
    struct geo_sysman_control_value value;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    GEO_CHECK(geo_overclock_read(domain, DomainControl, &value));
    *pControlState = value.state;
    *pPendingAction = value.action;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesOverclockSetControlUserValue(zes_overclock_handle_t hDomainHandle,
                                                zes_overclock_control_t DomainControl,
                                                double pValue, zes_pending_action_t *pPendingAction)
{
    const struct geo_sysman_overclock *domain;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    return geo_overclock_set(domain, DomainControl, pValue, pPendingAction);
}

/* ---- voltage-frequency curve ---- */

ze_result_t geo_zesOverclockGetVFPointValues(zes_overclock_handle_t hDomainHandle,
                                             zes_vf_type_t VFType, zes_vf_array_type_t VFArrayType,
                                             uint32_t PointIndex, uint32_t *PointValue)
{
    const struct geo_sysman_overclock *domain;
    uint32_t value = 0;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    GEO_CHECK(geo_overclock_check_point(domain, PointIndex));
    GEO_ASK(domain, point, domain, VFType, VFArrayType, PointIndex, &value);
    *PointValue = value;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesOverclockSetVFPointValues(zes_overclock_handle_t hDomainHandle,
                                             zes_vf_type_t VFType, uint32_t PointIndex,
                                             uint32_t PointValue)
{
    const struct geo_sysman_overclock *domain;
    GEO_CHECK(geo_overclock_from(hDomainHandle, &domain));
    return geo_overclock_set_point(domain, VFType, PointIndex, PointValue);
}
