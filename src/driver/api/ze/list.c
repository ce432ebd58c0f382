/* API functions of command lists: creation, state, execution in an immediate list, getters.
 * cmd/list.h implements lists, append_*.c the appends. */
#include "ddi/geo_api.h"
#include "driver/cmd/append.h"
#include "driver/core/check.h"
#include "driver/graph/capture.h"

ze_result_t geo_zeCommandListCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                    const ze_command_list_desc_t *desc,
                                    ze_command_list_handle_t *phCommandList)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_command_list *list;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_list_create(context, device, desc, &list));
    *phCommandList = geo_command_list_handle(list);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListCreateImmediate(ze_context_handle_t hContext,
                                             ze_device_handle_t hDevice,
                                             const ze_command_queue_desc_t *altdesc,
                                             ze_command_list_handle_t *phCommandList)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_command_list *list;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_list_create_immediate(context, device, altdesc, &list));
    *phCommandList = geo_command_list_handle(list);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListCreateCloneExp(ze_command_list_handle_t hCommandList,
                                            ze_command_list_handle_t *phClonedCommandList)
{
    struct geo_command_list *list, *clone;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_list_clone(list, &clone));
    *phClonedCommandList = geo_command_list_handle(clone);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListDestroy(ze_command_list_handle_t hCommandList)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    if (list->branch) {
        return geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "the list records a graph");
    }
    GEO_CHECK(geo_list_check_idle(list));
    if (list->immediate) {
        /* a graph that it executed may contain a branch of this list: break the cycle of
         * references */
        geo_list_let_go(list);
    }
    geo_object_close(&list->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListClose(ze_command_list_handle_t hCommandList)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return geo_list_close(list);
}

ze_result_t geo_zeCommandListReset(ze_command_list_handle_t hCommandList)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return geo_list_reset(list);
}

ze_result_t geo_zeCommandListHostSynchronize(ze_command_list_handle_t hCommandList,
                                             uint64_t timeout)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    if (__builtin_expect(list->branch != NULL, 0)) {
        return geo_capture_refuse(list, &(struct geo_append_events){0}, "a wait of the host");
    }
    return geo_list_synchronize(list, timeout);
}

/* ---- execution in an immediate list ---- */

ze_result_t geo_zeCommandListImmediateAppendCommandListsExp(
    ze_command_list_handle_t hCommandListImmediate, uint32_t numCommandLists,
    ze_command_list_handle_t *phCommandLists, ze_event_handle_t hSignalEvent,
    uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandListImmediate, &list));
    return geo_append_lists(list, numCommandLists, phCommandLists, &events);
}

ze_result_t geo_zeCommandListImmediateAppendCommandListsWithParameters(
    ze_command_list_handle_t hCommandListImmediate, uint32_t numCommandLists,
    ze_command_list_handle_t *phCommandLists, const void *pNext, ze_event_handle_t hSignalEvent,
    uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    (void)pNext; /* no extension is defined, and chains were rejected */
    return geo_zeCommandListImmediateAppendCommandListsExp(hCommandListImmediate, numCommandLists,
                                                           phCommandLists, hSignalEvent,
                                                           numWaitEvents, phWaitEvents);
}

/* ---- getters ---- */

ze_result_t geo_zeCommandListGetDeviceHandle(ze_command_list_handle_t hCommandList,
                                             ze_device_handle_t *phDevice)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    *phDevice = geo_device_handle(list->device);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListGetContextHandle(ze_command_list_handle_t hCommandList,
                                              ze_context_handle_t *phContext)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    *phContext = geo_context_handle(list->context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListGetOrdinal(ze_command_list_handle_t hCommandList, uint32_t *pOrdinal)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    *pOrdinal = list->ordinal;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListIsImmediate(ze_command_list_handle_t hCommandList,
                                         ze_bool_t *pIsImmediate)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    *pIsImmediate = list->immediate;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListGetFlags(ze_command_list_handle_t hCommandList,
                                      ze_command_list_flags_t *pFlags)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    *pFlags = list->flags;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t immediate_from(ze_command_list_handle_t handle, struct geo_command_list **list)
{
    GEO_CHECK(geo_command_list_from(handle, list));
    return (*list)->immediate
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the command list is not immediate (zeCommandListCreateImmediate)");
}

ze_result_t geo_zeCommandListImmediateGetIndex(ze_command_list_handle_t hCommandListImmediate,
                                               uint32_t *pIndex)
{
    struct geo_command_list *list;
    GEO_CHECK(immediate_from(hCommandListImmediate, &list));
    *pIndex = list->desc.index;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListImmediateGetFlags(ze_command_list_handle_t hCommandList,
                                               ze_command_queue_flags_t *pFlags)
{
    struct geo_command_list *list;
    GEO_CHECK(immediate_from(hCommandList, &list));
    *pFlags = list->desc.flags;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListImmediateGetMode(ze_command_list_handle_t hCommandList,
                                              ze_command_queue_mode_t *pMode)
{
    struct geo_command_list *list;
    GEO_CHECK(immediate_from(hCommandList, &list));
    *pMode = list->desc.mode;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListImmediateGetPriority(ze_command_list_handle_t hCommandList,
                                                  ze_command_queue_priority_t *pPriority)
{
    struct geo_command_list *list;
    GEO_CHECK(immediate_from(hCommandList, &list));
    *pPriority = list->desc.priority;
    return ZE_RESULT_SUCCESS;
}
