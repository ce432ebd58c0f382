/* A process that is allowed no further thread: launches, copies, host functions and what waits for
 * the host are done, whatever the program does to hear of it. Each case in a process of its own. */
#include "fault_support.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From now on this process starts no thread. */
static void threads_deny(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* the number of the system call */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* ---- how a program hears of it ---- */

static ze_result_t event_query(struct scene *scene, ze_event_handle_t event)
{
    ze_result_t result;
    (void)scene;
    while ((result = zeEventQueryStatus(event)) == ZE_RESULT_NOT_READY) {
        sched_yield();
    }
    return result;
}

static ze_result_t event_wait_bounded(struct scene *scene, ze_event_handle_t event)
{
    (void)scene;
    return zeEventHostSynchronize(event, API_PATIENCE_NS);
}

static ze_result_t event_wait(struct scene *scene, ze_event_handle_t event)
{
    (void)scene;
    return zeEventHostSynchronize(event, UINT64_MAX);
}

static ze_result_t list_wait(struct scene *scene, ze_event_handle_t event)
{
    (void)event;
    return scene->queue ? zeCommandQueueSynchronize(scene->queue, API_PATIENCE_NS)
                        : zeCommandListHostSynchronize(scene->list, API_PATIENCE_NS);
}

static ze_result_t fence_query(struct scene *scene, ze_event_handle_t event)
{
    ze_result_t result;
    (void)event;
    while (scene->queue && (result = zeFenceQueryStatus(scene->fence)) != ZE_RESULT_SUCCESS) {
        if (result != ZE_RESULT_NOT_READY) {
            return result;
        }
    }
    return scene->queue ? ZE_RESULT_SUCCESS : zeCommandListHostSynchronize(scene->list, UINT64_MAX);
}

typedef ze_result_t hear_fn(struct scene *scene, ze_event_handle_t event);

static hear_fn *const ways[] = {event_query, event_wait_bounded, event_wait, list_wait,
                                fence_query};

static const uint32_t kinds[] = {
    0,
    KIND_SYNCHRONOUS,
    KIND_IN_ORDER,
    KIND_IN_ORDER | KIND_COUNTER,
    KIND_REGULAR,
    KIND_REGULAR | KIND_SYNCHRONOUS,
};

struct pair {
    uint32_t kind;
    hear_fn *hear;
};

/* ---- what a program does ---- */

static void append(struct scene *scene, float *out, const float *in)
{
    ze_group_count_t groups = {4, 1, 1};
    uint32_t count = 4;
    float factor = 2;
    if (scene->kernel) {
        MUST_WORK(zeKernelSetGroupSize(scene->kernel, 1, 1, 1));
        MUST_WORK(zeKernelSetArgumentValue(scene->kernel, 0, sizeof(out), &out));
        MUST_WORK(zeKernelSetArgumentValue(scene->kernel, 1, sizeof(in), &in));
        MUST_WORK(zeKernelSetArgumentValue(scene->kernel, 2, sizeof(factor), &factor));
        MUST_WORK(zeKernelSetArgumentValue(scene->kernel, 3, sizeof(count), &count));
        MUST_WORK(
            zeCommandListAppendLaunchKernel(scene->list, scene->kernel, &groups, NULL, 0, NULL));
        MUST_WORK(zeCommandListAppendBarrier(scene->list, NULL, 0, NULL));
        MUST_WORK(zeCommandListAppendMemoryCopy(scene->list, out + 8, out, 16, NULL, 0, NULL));
        MUST_WORK(zeCommandListAppendBarrier(scene->list, NULL, 0, NULL));
    }
    MUST_WORK(zeCommandListAppendHostFunction(scene->list, scene_host, &scene->ran, NULL,
                                              scene->event, 0, NULL));
    if (scene->queue) {
        MUST_WORK(zeCommandListClose(scene->list));
        MUST_WORK(zeCommandQueueExecuteCommandLists(scene->queue, 1, &scene->list, scene->fence));
    }
}

static void pair_run(struct api *api, const void *argument)
{
    const struct pair *pair = argument;
    struct scene scene;
    threads_deny();
    scene_open(&scene, api, pair->kind);
    float *out = scene.memory, in[4] = {1, 2, 3, 4};
    append(&scene, out, in);
    MUST_WORK(pair->hear(&scene, scene.event));
    MUST(scene.ran == 1);
    MUST(!scene.kernel || !api->executes || memcmp(out, out + 8, 16) == 0);
    MUST(!scene.kernel || !api->executes || out[3] == 8);
}

static void every_kind_of_list_runs(void **state)
{
    struct api *api = *state;
    int failed = 0;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
            const struct pair pair = {kinds[k], ways[w]};
            if (!run_apart(api, pair_run, &pair)) {
                fprintf(stderr, "kind 0x%x, way %zu\n", kinds[k], w);
                failed++;
            }
        }
    }
    assert_int_equal(failed, 0);
}

/* A list that is held by an event, released by the host; a wait with a limit meanwhile. */
static void held_run(struct api *api, const void *argument)
{
    struct scene scene;
    hear_fn *const *hear = argument;
    threads_deny();
    scene_open(&scene, api, 0);
    MUST_WORK(zeCommandListAppendHostFunction(scene.other, scene_host, &scene.ran, NULL,
                                              scene.behind, 1, &scene.event));
    MUST_RESULT(zeEventQueryStatus(scene.behind), ZE_RESULT_NOT_READY);
    MUST_RESULT(zeEventHostSynchronize(scene.behind, 1000000), ZE_RESULT_NOT_READY);
    MUST_RESULT(zeCommandListHostSynchronize(scene.other, 1000000), ZE_RESULT_NOT_READY);
    MUST(scene.ran == 0);
    MUST_WORK(zeEventHostSignal(scene.event));
    MUST_WORK((*hear)(&scene, scene.behind));
    MUST(scene.ran == 1);
}

/* SYN-5 */
static void what_waits_for_the_host_goes_on(void **state)
{
    for (size_t w = 0; w < 3; w++) {
        assert_true(run_apart(*state, held_run, &ways[w]));
    }
}

/* A counter that a plain store raises, which wakes nobody. */
static void counter_run(struct api *api, const void *argument)
{
    static uint64_t word;
    ze_event_counter_based_external_sync_allocation_desc_t sync = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC,
        .deviceAddress = &word,
        .hostAddress = &word,
        .completionValue = 1,
    };
    ze_event_counter_based_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
        .pNext = &sync,
        .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
    };
    struct scene scene;
    ze_event_handle_t event;
    hear_fn *const *hear = argument;
    threads_deny();
    scene_open(&scene, api, 0);
    MUST_WORK(zeEventCounterBasedCreate(api->context, api->device, &desc, &event));
    MUST_WORK(zeCommandListAppendHostFunction(scene.other, scene_host, &scene.ran, NULL,
                                              scene.behind, 1, &event));
    MUST_RESULT(zeEventQueryStatus(scene.behind), ZE_RESULT_NOT_READY);
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    MUST_WORK((*hear)(&scene, scene.behind));
    MUST(scene.ran == 1);
}

static void what_nobody_tells_of_is_looked_for(void **state)
{
    for (size_t w = 0; w < 3; w++) {
        assert_true(run_apart(*state, counter_run, &ways[w]));
    }
}

static const struct api_case cases[] = {
    API_CASE(every_kind_of_list_runs),
    API_CASE(what_waits_for_the_host_goes_on),
    API_CASE(what_nobody_tells_of_is_looked_for),
};

int main(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return 0; /* it needs processes of its own to know what it may suppress */
#endif
#endif
    return api_main("threadless", cases, sizeof(cases) / sizeof(cases[0]));
}
