/* API functions that append kernel launches: plain, cooperative, indirect, several at once, with
 * arguments. They check their arguments and fill one launch record from the kernel's state
 * (program/kernel.h) between begin and commit (cmd/append.h). */
#include "ddi/geo_api.h"
#include "driver/cmd/mutable.h"
#include "driver/core/check.h"
#include "driver/graph/capture.h"
#include "driver/program/kernel.h"

#include <string.h>

/* The kind of a launch. */
struct launch_request {
    const ze_group_count_t *groups;   /* NULL: indirect */
    const ze_group_count_t *indirect; /* address of the counts that are read when it runs */
    /* number of launches that run, for a launch that is one of several; read when it runs */
    const uint32_t *limit;
    uint32_t index;
    bool cooperative;
};

static ze_result_t launch_check(const struct geo_command_list *list,
                                const struct geo_kernel *kernel,
                                const struct launch_request *request)
{
    if (!(list->group_flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                        "queue group %u cannot run kernels", list->ordinal);
    }
    if (!geo_device_covers(geo_kernel_device(kernel), list->device)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the kernel was built for another device");
    }
    if (!request->cooperative) {
        return geo_kernel_launch_check_cooperation(kernel, list->device, false, NULL);
    }
    if (!(list->group_flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                        "queue group %u cannot run cooperative kernels", list->ordinal);
    }
    const uint32_t counts[3] = {request->groups->groupCountX, request->groups->groupCountY,
                                request->groups->groupCountZ};
    return geo_kernel_launch_check_cooperation(kernel, list->device, true, counts);
}

/* Keeps the objects that the record needs as long as it may run. */
static ze_result_t kernel_keep(struct geo_command_list *list, const struct geo_kernel *kernel)
{
    GEO_CHECK(geo_keep_add(&list->keep, geo_kernel_owner(kernel)));
    for (uint32_t i = 0; kernel->images && i < geo_kernel_argument_count(kernel); i++) {
        if (kernel->images[i]) {
            GEO_CHECK(geo_keep_add(&list->keep, kernel->images[i]));
        }
    }
    return ZE_RESULT_SUCCESS;
}

static uint32_t argument_room(const struct geo_command_list *list, const struct geo_kernel *kernel)
{
    return __builtin_expect(list->mutation != NULL, 0) ? geo_mutation_argument_bytes(list, kernel)
                                                       : geo_kernel_argument_bytes(kernel);
}

static ze_result_t launch_append(struct geo_command_list *list, struct geo_kernel *kernel,
                                 const struct launch_request *request,
                                 const struct geo_append_events *events)
{
    struct geo_append append;
    const size_t head = (sizeof(struct geo_command_launch) + 15) & ~(size_t)15;
    GEO_CHECK(launch_check(list, kernel, request));
    GEO_CHECK(geo_append_begin(list,
                               request->indirect ? GEO_COMMAND_LAUNCH_INDIRECT : GEO_COMMAND_LAUNCH,
                               head + argument_room(list, kernel), events, &append));
    GEO_CHECK(kernel_keep(list, kernel));
    struct geo_command_launch *launch = (struct geo_command_launch *)append.command;
    GEO_CHECK(geo_kernel_launch_encode(kernel, request->groups, launch, (uint8_t *)launch + head));
    launch->argument_offset = (uint32_t)head;
    launch->indirect_counts = (const uint32_t *)request->indirect;
    launch->indirect_limit = request->limit;
    launch->indirect_index = request->index;
    launch->cooperative = request->cooperative;
    if (__builtin_expect(append.branch != NULL, 0)) {
        geo_capture_record_name(&append, kernel->module, kernel->index);
    }
    if (__builtin_expect(list->mutation != NULL, 0)) {
        GEO_CHECK(geo_mutation_launch(list, kernel, request->groups, request->cooperative));
    }
    return geo_append_commit(&append);
}

static ze_result_t handles_resolve(ze_command_list_handle_t hCommandList,
                                   ze_kernel_handle_t hKernel, struct geo_command_list **list,
                                   struct geo_kernel **kernel)
{
    GEO_CHECK(geo_command_list_from(hCommandList, list));
    return geo_kernel_from(hKernel, kernel);
}

ze_result_t geo_zeCommandListAppendLaunchKernel(ze_command_list_handle_t hCommandList,
                                                ze_kernel_handle_t hKernel,
                                                const ze_group_count_t *pLaunchFuncArgs,
                                                ze_event_handle_t hSignalEvent,
                                                uint32_t numWaitEvents,
                                                ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct launch_request request = {.groups = pLaunchFuncArgs};
    struct geo_command_list *list;
    struct geo_kernel *kernel;
    GEO_CHECK(handles_resolve(hCommandList, hKernel, &list, &kernel));
    return launch_append(list, kernel, &request, &events);
}

ze_result_t geo_zeCommandListAppendLaunchCooperativeKernel(ze_command_list_handle_t hCommandList,
                                                           ze_kernel_handle_t hKernel,
                                                           const ze_group_count_t *pLaunchFuncArgs,
                                                           ze_event_handle_t hSignalEvent,
                                                           uint32_t numWaitEvents,
                                                           ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct launch_request request = {.groups = pLaunchFuncArgs, .cooperative = true};
    struct geo_command_list *list;
    struct geo_kernel *kernel;
    GEO_CHECK(handles_resolve(hCommandList, hKernel, &list, &kernel));
    return launch_append(list, kernel, &request, &events);
}

ze_result_t geo_zeCommandListAppendLaunchKernelIndirect(
    ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
    const ze_group_count_t *pLaunchArgumentsBuffer, ze_event_handle_t hSignalEvent,
    uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct launch_request request = {.indirect = pLaunchArgumentsBuffer};
    struct geo_command_list *list;
    struct geo_kernel *kernel;
    GEO_CHECK(handles_resolve(hCommandList, hKernel, &list, &kernel));
    return launch_append(list, kernel, &request, &events);
}

/* Declares that the next `count` launches of a mutable list are one command. */
static void members_begin(struct geo_command_list *list, uint32_t count)
{
    if (list->mutation) {
        geo_mutation_members(list, count);
    }
}

/* Appends launches one by one. The waits precede the first one, the signal follows the last. */
ze_result_t geo_zeCommandListAppendLaunchMultipleKernelsIndirect(
    ze_command_list_handle_t hCommandList, uint32_t numKernels, ze_kernel_handle_t *phKernels,
    const uint32_t *pCountBuffer, const ze_group_count_t *pLaunchArgumentsBuffer,
    ze_event_handle_t hSignalEvent, uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_command_list *list;
    struct geo_kernel *kernel;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    if (numKernels == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "numKernels is 0");
    }
    for (uint32_t i = 0; i < numKernels; i++) { /* check all before the first is appended */
        struct launch_request request = {.indirect = pLaunchArgumentsBuffer};
        GEO_CHECK(geo_kernel_from(phKernels[i], &kernel));
        GEO_CHECK(launch_check(list, kernel, &request));
    }
    members_begin(list, numKernels);
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < numKernels && result == ZE_RESULT_SUCCESS; i++) {
        struct geo_append_events events = {
            .signal = i + 1 == numKernels ? hSignalEvent : NULL,
            .wait_count = i == 0 ? numWaitEvents : 0,
            .waits = i == 0 ? phWaitEvents : NULL,
        };
        struct launch_request request = {
            .indirect = &pLaunchArgumentsBuffer[i],
            .limit = pCountBuffer,
            .index = i,
        };
        kernel = (struct geo_kernel *)(void *)phKernels[i];
        result = launch_append(list, kernel, &request, &events);
    }
    members_begin(list, 0);
    return result;
}

/* ---- launches with parameters ---- */

/* Reads the extensions. Both callers allow only this one; others were rejected. */
static void extensions_read(const void *next, struct launch_request *request)
{
    const ze_command_list_append_launch_kernel_param_cooperative_desc_t *cooperative =
        GEO_CHAIN_FIND(zeCommandListAppendLaunchKernelWithParameters,
                       ze_command_list_append_launch_kernel_param_cooperative_desc_t, next);
    request->cooperative = cooperative && cooperative->isCooperative;
}

ze_result_t geo_zeCommandListAppendLaunchKernelWithParameters(
    ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
    const ze_group_count_t *pGroupCounts, const void *pNext, ze_event_handle_t hSignalEvent,
    uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct launch_request request = {.groups = pGroupCounts};
    struct geo_command_list *list;
    struct geo_kernel *kernel;
    GEO_CHECK(handles_resolve(hCommandList, hKernel, &list, &kernel));
    extensions_read(pNext, &request);
    return launch_append(list, kernel, &request, &events);
}

/* Sets all arguments. The value of a local argument is a size_t with its size. */
static ze_result_t arguments_set(struct geo_kernel *kernel, void **values)
{
    uint32_t count = geo_kernel_argument_count(kernel);
    if (count != 0) {
        GEO_CHECK(geo_check_pointer(values, "pArguments"));
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t bytes = geo_kernel_argument_size(kernel, i);
        const void *value = values[i];
        if (bytes == 0) {
            GEO_CHECK(geo_check_pointer(value, "pArguments[i] of a local argument"));
            memcpy(&bytes, value, sizeof(bytes));
            value = NULL;
        }
        GEO_CHECK(geo_kernel_set_argument(kernel, i, bytes, value));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListAppendLaunchKernelWithArguments(
    ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
    const ze_group_count_t groupCounts, const ze_group_size_t groupSizes, void **pArguments,
    const void *pNext, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
    ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct launch_request request = {.groups = &groupCounts};
    struct geo_command_list *list;
    struct geo_kernel *kernel;
    GEO_CHECK(handles_resolve(hCommandList, hKernel, &list, &kernel));
    extensions_read(pNext, &request);
    GEO_CHECK(geo_kernel_set_group_size(kernel, groupSizes.groupSizeX, groupSizes.groupSizeY,
                                        groupSizes.groupSizeZ));
    GEO_CHECK(arguments_set(kernel, pArguments));
    return launch_append(list, kernel, &request, &events);
}
