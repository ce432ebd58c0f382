/* The calls of a storm that use external semaphores: all threads append them to one list. See
 * storm.h. */
#include "storm.h"

#include <sys/eventfd.h>
#include <unistd.h>

/* The thread's own counter: its signal is in the list before its wait, so the list goes on. */
static ze_result_t signal_and_wait(ze_command_list_handle_t list,
                                   ze_external_semaphore_ext_handle_t semaphore)
{
    ze_external_semaphore_signal_params_ext_t signal = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT};
    ze_external_semaphore_wait_params_ext_t wait = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT};
    ze_result_t result =
        zeCommandListAppendSignalExternalSemaphoreExt(list, 1, &semaphore, &signal, NULL, 0, NULL);
    return result ? result
                  : zeCommandListAppendWaitExternalSemaphoreExt(list, 1, &semaphore, &wait, NULL, 0,
                                                                NULL);
}

ze_result_t storm_semaphore(struct storm *storm)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ze_external_semaphore_fd_ext_desc_t by_fd = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC, .fd = fd};
    ze_external_semaphore_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC,
                                             .pNext = &by_fd,
                                             .flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD};
    ze_external_semaphore_ext_handle_t semaphore;
    ze_result_t result =
        zeDeviceImportExternalSemaphoreExt(storm->shared->api->device, &desc, &semaphore);
    if (result == ZE_RESULT_SUCCESS) {
        ze_result_t appended = signal_and_wait(storm->shared->appended, semaphore);
        result = zeDeviceReleaseExternalSemaphoreExt(semaphore);
        result = appended ? appended : result;
    }
    close(fd);
    return result;
}
