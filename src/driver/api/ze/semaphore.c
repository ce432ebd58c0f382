/* API functions of external semaphores. cmd/semaphore.h implements them. */
#include "driver/cmd/semaphore.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"

#define FD_KINDS                                                                                   \
    (ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD |                                                    \
     ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_VK_TIMELINE_SEMAPHORE_FD)

static ze_result_t kind_check(ze_external_semaphore_ext_flags_t flags)
{
    if (flags & ~(uint32_t)FD_KINDS) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                        "semaphores can only be imported by file descriptor, not as type 0x%x",
                        flags);
    }
    if (flags == 0 || (flags & (flags - 1)) != 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the flags are 0x%x: they must name exactly one kind of semaphore", flags);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceImportExternalSemaphoreExt(ze_device_handle_t hDevice,
                                                   const ze_external_semaphore_ext_desc_t *desc,
                                                   ze_external_semaphore_ext_handle_t *phSemaphore)
{
    struct geo_device *device;
    struct geo_external_semaphore *semaphore;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    GEO_CHECK(kind_check(desc->flags));
    const ze_external_semaphore_fd_ext_desc_t *fd =
        GEO_CHAIN_FIND(ze_external_semaphore_ext_desc_t, ze_external_semaphore_fd_ext_desc_t,
                       GEO_CHAIN_OF(ze_external_semaphore_ext_desc_t, desc));
    if (!fd) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "desc has no ze_external_semaphore_fd_ext_desc_t in its chain");
    }
    GEO_CHECK(geo_external_semaphore_import(device, (ze_external_semaphore_ext_flag_t)desc->flags,
                                            fd->fd, &semaphore));
    *phSemaphore = geo_external_semaphore_handle(semaphore);
    return ZE_RESULT_SUCCESS;
}

/* Ends the handle. Lists keep the semaphores that they use. */
ze_result_t geo_zeDeviceReleaseExternalSemaphoreExt(ze_external_semaphore_ext_handle_t hSemaphore)
{
    struct geo_external_semaphore *semaphore;
    GEO_CHECK(geo_external_semaphore_from(hSemaphore, &semaphore));
    geo_object_close(&semaphore->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListAppendSignalExternalSemaphoreExt(
    ze_command_list_handle_t hCommandList, uint32_t numSemaphores,
    ze_external_semaphore_ext_handle_t *phSemaphores,
    ze_external_semaphore_signal_params_ext_t *signalParams, ze_event_handle_t hSignalEvent,
    uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    const struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    const struct geo_semaphore_points points = {.operation = GEO_COMMAND_SIGNAL_SEMAPHORES,
                                                .count = numSemaphores,
                                                .handles = phSemaphores,
                                                .values = &signalParams->value,
                                                .stride = sizeof(*signalParams)};
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return geo_external_semaphores_append(list, &points, &events);
}

ze_result_t geo_zeCommandListAppendWaitExternalSemaphoreExt(
    ze_command_list_handle_t hCommandList, uint32_t numSemaphores,
    ze_external_semaphore_ext_handle_t *phSemaphores,
    ze_external_semaphore_wait_params_ext_t *waitParams, ze_event_handle_t hSignalEvent,
    uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    const struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    const struct geo_semaphore_points points = {.operation = GEO_COMMAND_WAIT_SEMAPHORES,
                                                .count = numSemaphores,
                                                .handles = phSemaphores,
                                                .values = &waitParams->value,
                                                .stride = sizeof(*waitParams)};
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return geo_external_semaphores_append(list, &points, &events);
}
