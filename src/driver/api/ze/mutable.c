/* API functions of mutable command lists: ids of the commands to be appended next, and changes to
 * them after the list was closed. cmd/mutable.h implements the changes. */
#include "driver/cmd/mutable.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"

ze_result_t geo_zeCommandListIsMutableExp(ze_command_list_handle_t hCommandList,
                                          ze_bool_t *pIsMutable)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    *pIsMutable = list->mutation != NULL;
    return ZE_RESULT_SUCCESS;
}

/* ---- ids ---- */

/* Returns an id without a choice of kernels, so a flag that requests a choice is rejected. */
ze_result_t geo_zeCommandListGetNextCommandIdExp(ze_command_list_handle_t hCommandList,
                                                 const ze_mutable_command_id_exp_desc_t *desc,
                                                 uint64_t *pCommandId)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return geo_mutable_next(list, desc->flags, 0, NULL, pCommandId);
}

ze_result_t geo_zeCommandListGetNextCommandIdWithKernelsExp(
    ze_command_list_handle_t hCommandList, const ze_mutable_command_id_exp_desc_t *desc,
    uint32_t numKernels, ze_kernel_handle_t *phKernels, uint64_t *pCommandId)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return geo_mutable_next(list, desc->flags, numKernels, phKernels, pCommandId);
}

/* ---- changes ---- */

static ze_result_t list_resolve(ze_command_list_handle_t hCommandList,
                                struct geo_command_list **list)
{
    GEO_CHECK(geo_command_list_from(hCommandList, list));
    return geo_list_check_mutable(*list);
}

/* Marks the list as changed unless the change failed: failed changes have no effect. */
static ze_result_t list_changed(struct geo_command_list *list, ze_result_t result)
{
    list->changed = list->changed || result == ZE_RESULT_SUCCESS;
    return result;
}

ze_result_t geo_zeCommandListUpdateMutableCommandsExp(ze_command_list_handle_t hCommandList,
                                                      const ze_mutable_commands_exp_desc_t *desc)
{
    struct geo_command_list *list;
    GEO_CHECK(list_resolve(hCommandList, &list));
    return list_changed(
        list, geo_mutable_launch_update(list, GEO_CHAIN_OF(ze_mutable_commands_exp_desc_t, desc)));
}

ze_result_t geo_zeCommandListUpdateMutableCommandSignalEventExp(
    ze_command_list_handle_t hCommandList, uint64_t commandId, ze_event_handle_t hSignalEvent)
{
    struct geo_command_list *list;
    GEO_CHECK(list_resolve(hCommandList, &list));
    return list_changed(list, geo_mutable_events_set_signal(list, commandId, hSignalEvent));
}

ze_result_t
geo_zeCommandListUpdateMutableCommandWaitEventsExp(ze_command_list_handle_t hCommandList,
                                                   uint64_t commandId, uint32_t numWaitEvents,
                                                   ze_event_handle_t *phWaitEvents)
{
    struct geo_command_list *list;
    GEO_CHECK(list_resolve(hCommandList, &list));
    return list_changed(list,
                        geo_mutable_events_set_waits(list, commandId, numWaitEvents, phWaitEvents));
}

ze_result_t geo_zeCommandListUpdateMutableCommandKernelsExp(ze_command_list_handle_t hCommandList,
                                                            uint32_t numKernels,
                                                            uint64_t *pCommandId,
                                                            ze_kernel_handle_t *phKernels)
{
    struct geo_command_list *list;
    GEO_CHECK(list_resolve(hCommandList, &list));
    return list_changed(list,
                        geo_mutable_launch_set_kernels(list, numKernels, pCommandId, phKernels));
}
