/* API functions of the state of a device, resets, and the processes that use it. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/event.h"
#include "driver/sysman/list.h"
#include "driver/sysman/value.h"

#include <stdlib.h>

ze_result_t geo_zesDeviceGetState(zes_device_handle_t hDevice, zes_device_state_t *pState)
{
    struct geo_sysman_root *root;
    struct geo_sysman_device_state state = {0};
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    GEO_ASK_ROOT(root, state, root->sysman, &state);
    pState->reset = state.reset;
    pState->repaired = state.repaired;
    zes_device_ext_state_t *extension = GEO_CHAIN_FIND(zes_device_state_t, zes_device_ext_state_t,
                                                       GEO_CHAIN_OF(zes_device_state_t, pState));
    if (extension) {
        extension->flags = state.flags;
    }
    return ZE_RESULT_SUCCESS;
}

/* Resets the device. It counts as detached and attached again (SYC-28), whatever the backend
 * reports. */
static ze_result_t device_reset(zes_device_handle_t handle, bool force,
                                const zes_reset_type_t *type)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(handle, &root));
    GEO_ASK_ROOT(root, reset, root->sysman, force, type);
    geo_events_post(root, ZES_EVENT_TYPE_FLAG_DEVICE_DETACH | ZES_EVENT_TYPE_FLAG_DEVICE_ATTACH);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceReset(zes_device_handle_t hDevice, ze_bool_t force)
{
    return device_reset(hDevice, force != 0, NULL);
}

ze_result_t geo_zesDeviceResetExt(zes_device_handle_t hDevice, zes_reset_properties_t *pProperties)
{
    return device_reset(hDevice, pProperties->force != 0, &pProperties->resetType);
}

/* ---- processes ---- */

static ze_result_t processes_ask(const void *owner, uint32_t *count, void *items,
                                 struct geo_strbuf *why)
{
    const struct geo_sysman_root *root = owner;
    return root->about->ops->processes(root->sysman, count, items, why);
}

/* Writes the list of processes. Unlike other lists it is never cut: if it does not fit, only the
 * count is written (SYS-7). */
static ze_result_t processes_write(const struct geo_sysman_list *list, uint32_t *count,
                                   zes_process_state_t *out)
{
    zes_process_state_t *items = list->items;
    const bool written = *count > 0 && out;
    const bool fits = list->count <= *count;
    *count = list->count;
    if (written && !fits) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "the array is too small: %u processes use the device", list->count);
    }
    for (uint32_t i = 0; written && i < list->count; i++) {
        GEO_VALUE_WRITE(&out[i], &items[i]);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDeviceProcessesGetState(zes_device_handle_t hDevice, uint32_t *pCount,
                                           zes_process_state_t *pProcesses)
{
    struct geo_sysman_root *root;
    struct geo_sysman_list list;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    const char *name = root->device->info->name;
    if (!root->about->ops || !root->about->ops->processes) {
        return geo_ask_unsupported(name, "processes");
    }
    GEO_CHECK(geo_sysman_list_read(&list, sizeof(zes_process_state_t), processes_ask, root, name,
                                   "processes"));
    ze_result_t result = processes_write(&list, pCount, pProcesses);
    free(list.items);
    return result;
}
