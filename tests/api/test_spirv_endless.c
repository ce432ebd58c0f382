/* A kernel that never ends, with GEOID_KERNEL_TIMEOUT: its context is lost and says where it was,
 * others go on. In processes of their own. */
#include "fault_support.h"

__attribute__((constructor)) static void limit_set(void)
{
    setenv("GEOID_KERNEL_TIMEOUT", "1", 1);
}

static ze_command_list_handle_t launch_endless(struct api *api, ze_event_handle_t event)
{
    static int never;
    const int *stop = &never;
    ze_group_count_t groups = {4, 1, 1};
    ze_command_list_handle_t list = scene_immediate(api, api->ordinal, 0);
    ze_kernel_handle_t kernel = api_kernel(api_spirv_module(api, "endless"), "endless");
    MUST_WORK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    MUST_WORK(zeKernelSetArgumentValue(kernel, 0, sizeof(stop), &stop));
    MUST_WORK(zeCommandListAppendLaunchKernel(list, kernel, &groups, event, 0, NULL));
    return list;
}

static void stopped_run(struct api *api, const void *argument)
{
    struct api bystander = *api;
    struct scene scene, alive;
    const char *text = "";
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    (void)argument;
    MUST_WORK(zeContextCreate(api->driver, &desc, &bystander.context));
    scene_open(&scene, api, 0);
    scene_open(&alive, &bystander, 0);
    ze_command_list_handle_t list = launch_endless(api, scene.event);
    MUST_WORK(zeCommandListAppendHostFunction(alive.list, scene_host, &alive.ran, NULL, alive.event,
                                              0, NULL));
    MUST_WORK(zeEventHostSynchronize(alive.event, API_PATIENCE_NS));
    MUST(alive.ran == 1);
    MUST_LOSE(zeEventHostSynchronize(scene.event, API_PATIENCE_NS));
    MUST_WORK(zeDriverGetLastErrorDescription(api->driver, &text));
    if (!strstr(text, "kernel `endless` was stopped in work-group (2,0,0)") ||
        !strstr(text, "it took too long: a work-group ran for more than 1.0 s, the limit of "
                      "GEOID_KERNEL_TIMEOUT (0: no limit)")) {
        fprintf(stderr, "%s\n", text);
        _exit(1);
    }
    MUST_LOSE(zeCommandListHostSynchronize(list, API_PATIENCE_NS));
    MUST_WORK(zeContextGetStatus(bystander.context));
    MUST_WORK(zeCommandListDestroy(list)); /* idle */
}

/* CTX-1, CTX-5 */
static void a_kernel_that_does_not_end_loses_its_context(void **state)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    skip(); /* it keeps signals back until the code calls something */
#endif
#endif
    assert_true(run_apart(*state, stopped_run, NULL));
}

static const struct api_case cases[] = {
    {"a_kernel_that_does_not_end_loses_its_context", a_kernel_that_does_not_end_loses_its_context,
     API_EXECUTES},
};

API_MAIN("endless", cases)
