/* API functions of a device's PCI link. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

static ze_result_t pci_from(zes_device_handle_t handle, struct geo_sysman_root **out)
{
    GEO_CHECK(geo_sysman_root_from(handle, out));
    return (*out)->about->pci ? ZE_RESULT_SUCCESS
                              : geo_ask_unsupported((*out)->device->info->name, "PCI link");
}

ze_result_t geo_zesDevicePciGetProperties(zes_device_handle_t hDevice,
                                          zes_pci_properties_t *pProperties)
{
    struct geo_sysman_root *root;
    GEO_CHECK(pci_from(hDevice, &root));
    zes_pci_properties_t properties = *root->about->pci;
    GEO_VALUE_WRITE(pProperties, &properties);
    zes_pci_link_speed_downgrade_ext_properties_t *downgrade =
        GEO_CHAIN_FIND(zes_pci_properties_t, zes_pci_link_speed_downgrade_ext_properties_t,
                       GEO_CHAIN_OF(zes_pci_properties_t, pProperties));
    if (downgrade) {
        downgrade->pciLinkSpeedUpdateCapable = root->about->pci_downgrade;
        downgrade->maxPciGenSupported = root->about->pci_max_generation;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDevicePciGetState(zes_device_handle_t hDevice, zes_pci_state_t *pState)
{
    struct geo_sysman_root *root;
    struct geo_sysman_pci_state state = {0};
    GEO_CHECK(pci_from(hDevice, &root));
    GEO_ASK_ROOT(root, pci_state, root->sysman, &state);
    GEO_VALUE_WRITE(pState, &state.link);
    zes_pci_link_speed_downgrade_ext_state_t *downgrade =
        GEO_CHAIN_FIND(zes_pci_state_t, zes_pci_link_speed_downgrade_ext_state_t,
                       GEO_CHAIN_OF(zes_pci_state_t, pState));
    if (downgrade) {
        downgrade->pciLinkSpeedDowngradeStatus = state.downgraded;
    }
    return ZE_RESULT_SUCCESS;
}

/* Writes the properties of a BAR. The newer structure may be chained to the older one. */
static void bar_write(const zes_pci_bar_properties_1_2_t *bar, zes_pci_bar_properties_t *out)
{
    out->type = bar->type;
    out->index = bar->index;
    out->base = bar->base;
    out->size = bar->size;
    zes_pci_bar_properties_1_2_t *newer =
        GEO_CHAIN_FIND(zes_pci_bar_properties_t, zes_pci_bar_properties_1_2_t,
                       GEO_CHAIN_OF(zes_pci_bar_properties_t, out));
    if (newer) {
        zes_pci_bar_properties_1_2_t value = *bar;
        GEO_VALUE_WRITE(newer, &value);
    }
}

ze_result_t geo_zesDevicePciGetBars(zes_device_handle_t hDevice, uint32_t *pCount,
                                    zes_pci_bar_properties_t *pProperties)
{
    struct geo_sysman_root *root;
    GEO_CHECK(pci_from(hDevice, &root));
    uint32_t count = geo_count_protocol(pCount, root->about->bar_count, pProperties);
    for (uint32_t i = 0; i < count; i++) {
        bar_write(&root->about->bars[i], &pProperties[i]);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDevicePciGetStats(zes_device_handle_t hDevice, zes_pci_stats_t *pStats)
{
    struct geo_sysman_root *root;
    zes_pci_stats_t stats = {0};
    GEO_CHECK(pci_from(hDevice, &root));
    GEO_ASK_ROOT(root, pci_stats, root->sysman, &stats);
    *pStats = stats;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDevicePciLinkSpeedUpdateExt(zes_device_handle_t hDevice,
                                               ze_bool_t shouldDowngrade,
                                               zes_device_action_t *pendingAction)
{
    struct geo_sysman_root *root;
    zes_device_action_t action = ZES_DEVICE_ACTION_NONE;
    GEO_CHECK(pci_from(hDevice, &root));
    if (!root->about->pci_downgrade) {
        return geo_ask_unsupported(root->device->info->name, "choice of the PCI link's speed");
    }
    GEO_ASK_ROOT(root, pci_set_downgrade, root->sysman, shouldDowngrade != 0, &action);
    *pendingAction = action;
    return ZE_RESULT_SUCCESS;
}
