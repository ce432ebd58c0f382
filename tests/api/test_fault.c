/* A fault is told by every way to wait or to ask, on every kind of list: each pair of them in a
 * process of its own, where it is the first that the program hears. */
#include "fault_support.h"

/* What has not come yet is asked for again. */
#define UNTIL_KNOWN(call)                                                                          \
    do {                                                                                           \
        ze_result_t result_;                                                                       \
        while ((result_ = (call)) == ZE_RESULT_NOT_READY) {                                        \
            sched_yield();                                                                         \
        }                                                                                          \
        return result_;                                                                            \
    } while (0)

/* ---- events ---- */

static ze_result_t event_query(struct scene *scene)
{
    UNTIL_KNOWN(zeEventQueryStatus(scene->event));
}

static ze_result_t event_poll(struct scene *scene)
{
    UNTIL_KNOWN(zeEventHostSynchronize(scene->event, 0));
}

static ze_result_t event_wait_bounded(struct scene *scene)
{
    return zeEventHostSynchronize(scene->event, API_PATIENCE_NS);
}

static ze_result_t event_wait(struct scene *scene)
{
    return zeEventHostSynchronize(scene->event, UINT64_MAX);
}

static ze_result_t event_timestamp(struct scene *scene)
{
    ze_kernel_timestamp_result_t result;
    UNTIL_KNOWN(zeEventQueryKernelTimestamp(scene->event, &result));
}

static ze_result_t event_timestamps(struct scene *scene)
{
    ze_kernel_timestamp_result_t result;
    uint32_t count = 1;
    UNTIL_KNOWN(zeEventQueryTimestampsExp(scene->event, scene->api->device, &count, &result));
}

static ze_result_t event_timestamps_ext(struct scene *scene)
{
    ze_kernel_timestamp_result_t result;
    ze_event_query_kernel_timestamps_results_ext_properties_t results = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_RESULTS_EXT_PROPERTIES,
        .pKernelTimestampsBuffer = &result};
    uint32_t count = 1;
    UNTIL_KNOWN(
        zeEventQueryKernelTimestampsExt(scene->event, scene->api->device, &count, &results));
}

/* ---- events that wait for it, and such that nobody signals ---- */

static ze_result_t behind_query(struct scene *scene)
{
    UNTIL_KNOWN(zeEventQueryStatus(scene->behind));
}

static ze_result_t behind_wait(struct scene *scene)
{
    return zeEventHostSynchronize(scene->behind, UINT64_MAX);
}

static ze_result_t never_wait(struct scene *scene)
{
    return zeEventHostSynchronize(scene->never, UINT64_MAX);
}

static ze_result_t never_wait_bounded(struct scene *scene)
{
    return zeEventHostSynchronize(scene->never, API_PATIENCE_NS);
}

/* ---- fences ---- */

static ze_result_t fence_query(struct scene *scene)
{
    UNTIL_KNOWN(zeFenceQueryStatus(scene->fence));
}

static ze_result_t fence_poll(struct scene *scene)
{
    UNTIL_KNOWN(zeFenceHostSynchronize(scene->fence, 0));
}

static ze_result_t fence_wait_bounded(struct scene *scene)
{
    return zeFenceHostSynchronize(scene->fence, API_PATIENCE_NS);
}

static ze_result_t fence_wait(struct scene *scene)
{
    return zeFenceHostSynchronize(scene->fence, UINT64_MAX);
}

/* ---- queues, lists, the device ---- */

static ze_result_t queue_poll(struct scene *scene)
{
    UNTIL_KNOWN(zeCommandQueueSynchronize(scene->queue, 0));
}

static ze_result_t queue_wait_bounded(struct scene *scene)
{
    return zeCommandQueueSynchronize(scene->queue, API_PATIENCE_NS);
}

static ze_result_t queue_wait(struct scene *scene)
{
    return zeCommandQueueSynchronize(scene->queue, UINT64_MAX);
}

static ze_result_t list_poll(struct scene *scene)
{
    UNTIL_KNOWN(zeCommandListHostSynchronize(scene->list, 0));
}

static ze_result_t list_wait_bounded(struct scene *scene)
{
    return zeCommandListHostSynchronize(scene->list, API_PATIENCE_NS);
}

static ze_result_t list_wait(struct scene *scene)
{
    return zeCommandListHostSynchronize(scene->list, UINT64_MAX);
}

static ze_result_t other_list_wait(struct scene *scene)
{
    return zeCommandListHostSynchronize(scene->other, UINT64_MAX);
}

static ze_result_t device_wait(struct scene *scene)
{
    return zeDeviceSynchronize(scene->api->device);
}

/* ---- recorded when it happens: nobody has waited ---- */

static ze_result_t context_status(struct scene *scene)
{
    scene_until_lost(scene);
    return zeContextGetStatus(scene->api->context);
}

static ze_result_t context_create(struct scene *scene)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    scene_until_lost(scene);
    return zeContextCreate(scene->api->driver, &desc, &context);
}

static ze_result_t append(struct scene *scene)
{
    scene_until_lost(scene);
    return zeCommandListAppendBarrier(scene->list, NULL, 0, NULL);
}

static ze_result_t other_append(struct scene *scene)
{
    scene_until_lost(scene);
    return zeCommandListAppendHostFunction(scene->other, scene_host, &scene->ran, NULL, NULL, 0,
                                           NULL);
}

static ze_result_t append_list(struct scene *scene)
{
    scene_until_lost(scene);
    return zeCommandListImmediateAppendCommandListsExp(scene->other, 1, &scene->closed, NULL, 0,
                                                       NULL);
}

static ze_result_t execute(struct scene *scene)
{
    scene_until_lost(scene);
    return zeCommandQueueExecuteCommandLists(scene->queue, 1, &scene->closed, NULL);
}

/* ---- the table ---- */

static const struct kind {
    const char *name;
    uint32_t flags;
} kinds[] = {
    {"regular", KIND_REGULAR},
    {"regular, synchronous queue", KIND_REGULAR | KIND_SYNCHRONOUS},
    {"regular, in order", KIND_REGULAR | KIND_IN_ORDER},
    {"regular, in order, counter", KIND_REGULAR | KIND_IN_ORDER | KIND_COUNTER},
    {"immediate", 0},
    {"immediate, synchronous", KIND_SYNCHRONOUS},
    {"immediate, in order", KIND_IN_ORDER},
    {"immediate, in order, counter", KIND_IN_ORDER | KIND_COUNTER},
    {"immediate, in order, synchronous, counter", KIND_SYNCHRONOUS | KIND_IN_ORDER | KIND_COUNTER},
    {"copy, regular", KIND_COPY | KIND_REGULAR},
    {"copy, immediate", KIND_COPY},
};

/* `only`: kinds with all of these flags; `never`: with none of those. */
static const struct way {
    const char *name;
    ze_result_t (*ask)(struct scene *scene);
    uint32_t only, never;
} ways[] = {
    {"event query", event_query, 0, 0},
    {"event poll", event_poll, 0, 0},
    {"event wait, bounded", event_wait_bounded, 0, 0},
    {"event wait", event_wait, 0, 0},
    {"event timestamp", event_timestamp, 0, 0},
    {"event timestamps", event_timestamps, 0, 0},
    {"event timestamps, extension", event_timestamps_ext, 0, 0},
    {"query of an event behind", behind_query, 0, KIND_COUNTER},
    {"wait for an event behind", behind_wait, 0, KIND_COUNTER},
    {"wait for what nobody signals", never_wait, 0, 0},
    {"wait for what nobody signals, bounded", never_wait_bounded, 0, 0},
    {"fence query", fence_query, KIND_REGULAR, 0},
    {"fence poll", fence_poll, KIND_REGULAR, 0},
    {"fence wait, bounded", fence_wait_bounded, KIND_REGULAR, 0},
    {"fence wait", fence_wait, KIND_REGULAR, 0},
    {"queue poll", queue_poll, KIND_REGULAR, 0},
    {"queue wait, bounded", queue_wait_bounded, KIND_REGULAR, 0},
    {"queue wait", queue_wait, KIND_REGULAR, 0},
    {"list poll", list_poll, 0, KIND_REGULAR},
    {"list wait, bounded", list_wait_bounded, 0, KIND_REGULAR},
    {"list wait", list_wait, 0, KIND_REGULAR},
    {"wait for another list", other_list_wait, 0, KIND_COUNTER},
    {"device wait", device_wait, 0, 0},
    {"context status", context_status, 0, 0},
    {"context creation", context_create, 0, 0},
    {"append", append, 0, 0},
    {"append to another list", other_append, 0, 0},
    {"append of a list", append_list, KIND_REGULAR, KIND_COPY},
    {"execute", execute, KIND_REGULAR, 0},
};

struct pair {
    const struct kind *kind;
    const struct way *way;
};

/* Asked twice: what was said once stays. */
static void pair_run(struct api *api, const void *argument)
{
    const struct pair *pair = argument;
    struct scene scene;
    scene_open(&scene, api, pair->kind->flags);
    scene_fault(&scene);
    for (int again = 0; again < 2; again++) {
        MUST_LOSE(pair->way->ask(&scene));
        text_must_tell(&scene);
    }
    MUST(scene.ran == 0);
}

static void pairs_run(struct api *api, uint32_t only, uint32_t never)
{
    int failed = 0;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        const struct kind *kind = &kinds[k];
        if ((kind->flags & only) != only || (kind->flags & never) != 0) {
            continue;
        }
        for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
            const struct pair pair = {kind, &ways[w]};
            if ((kind->flags & pair.way->only) == pair.way->only &&
                (kind->flags & pair.way->never) == 0 && !run_apart(api, pair_run, &pair)) {
                fprintf(stderr, "%s: %s\n", kind->name, pair.way->name);
                failed++;
            }
        }
    }
    assert_int_equal(failed, 0);
}

/* CTX-5, CTX-6, SYN-4 */
static void regular_lists_tell_of_a_fault(void **state)
{
    pairs_run(*state, KIND_REGULAR, KIND_COPY);
}

/* CTX-5 */
static void immediate_lists_tell_of_a_fault(void **state)
{
    pairs_run(*state, 0, KIND_REGULAR | KIND_COPY);
}

/* CTX-5 */
static void copy_engines_tell_of_a_fault(void **state)
{
    pairs_run(*state, KIND_COPY, 0);
}

#define RUNS(function) {#function, function, API_EXECUTES}
static const struct api_case cases[] = {
    RUNS(regular_lists_tell_of_a_fault),
    RUNS(immediate_lists_tell_of_a_fault),
    RUNS(copy_engines_tell_of_a_fault),
};

API_MAIN("fault", cases)
