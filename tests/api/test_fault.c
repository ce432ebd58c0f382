/* What a program sees when a kernel faults: results, not a crash; and the way back. */
#include "harness.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(call, expected)                                                                     \
    do {                                                                                           \
        ze_result_t result_ = (call);                                                              \
        if (result_ != (expected)) {                                                               \
            fprintf(stderr, "%s: 0x%x\n", #call, (unsigned)result_);                               \
            return __LINE__ % 251 + 1;                                                             \
        }                                                                                          \
    } while (0)

/* Writes through null pointers; then everything of the context says so until a new one is made. */
static int fault_and_recover(struct api *api)
{
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t scale = api_kernel(module, "scale");
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_group_count_t groups = {64, 1, 1};
    uint32_t count = 64;
    EXPECT(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool), ZE_RESULT_SUCCESS);
    EXPECT(zeEventCreate(pool, &event_desc, &event), ZE_RESULT_SUCCESS);
    EXPECT(zeKernelSetGroupSize(scale, 1, 1, 1), ZE_RESULT_SUCCESS);
    EXPECT(zeKernelSetArgumentValue(scale, 0, sizeof(void *), NULL), ZE_RESULT_SUCCESS);
    EXPECT(zeKernelSetArgumentValue(scale, 1, sizeof(void *), NULL), ZE_RESULT_SUCCESS);
    EXPECT(zeKernelSetArgumentValue(scale, 3, sizeof(count), &count), ZE_RESULT_SUCCESS);
    EXPECT(zeCommandListAppendLaunchKernel(list.list, scale, &groups, event, 0, NULL),
           ZE_RESULT_SUCCESS);
    if (list.queue) {
        EXPECT(zeCommandListClose(list.list), ZE_RESULT_SUCCESS);
        EXPECT(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL),
               ZE_RESULT_SUCCESS);
        EXPECT(zeCommandQueueSynchronize(list.queue, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    } else {
        EXPECT(zeCommandListHostSynchronize(list.list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    }
    EXPECT(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT(zeEventQueryStatus(event), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT(zeContextGetStatus(api->context), ZE_RESULT_ERROR_DEVICE_LOST);
    /* objects can still be given back */
    EXPECT(zeEventDestroy(event), ZE_RESULT_SUCCESS);
    EXPECT(zeEventPoolDestroy(pool), ZE_RESULT_SUCCESS);
    EXPECT(zeKernelDestroy(scale), ZE_RESULT_SUCCESS);
    EXPECT(zeModuleDestroy(module), ZE_RESULT_SUCCESS);
    EXPECT(zeCommandListDestroy(list.list), ZE_RESULT_SUCCESS);
    if (list.queue) {
        EXPECT(zeCommandQueueDestroy(list.queue), ZE_RESULT_SUCCESS);
    }
    EXPECT(zeContextDestroy(api->context), ZE_RESULT_SUCCESS);
    ze_context_desc_t desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
    EXPECT(zeContextCreate(api->driver, &desc, &api->context), ZE_RESULT_ERROR_DEVICE_LOST);
    (void)zeDeviceGetStatus(api->device);
    EXPECT(zeContextCreate(api->driver, &desc, &api->context), ZE_RESULT_SUCCESS);
    list = api_list_create(api);
    uint32_t *memory = api_alloc_shared(api, 64), pattern = 5;
    EXPECT(zeCommandListAppendMemoryFill(list.list, memory, &pattern, 4, 64, NULL, 0, NULL),
           ZE_RESULT_SUCCESS);
    api_list_run(api, &list);
    return memory[15] == 5 ? 0 : 250;
}

/* CTX-5, CTX-6, CTX-7, GEN-24 */
static void a_faulting_kernel_loses_the_context_not_the_process(void **state)
{
    struct api *api = *state;
    fflush(NULL);
    pid_t child = fork(); /* apart: the test framework handles faults, too */
    if (child == 0) {
        alarm(60);
        _exit(fault_and_recover(api));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static const struct api_case cases[] = {
    API_RUN_CASE(a_faulting_kernel_loses_the_context_not_the_process),
};

API_MAIN("fault", cases)
