/* The watchdog of a device's scheduler, set in one process, stops kernels of another. The processes
 * have a /dev/shm of their own. */
#include "fault_support.h"
#include "own_shm.h"

#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

static bool apart;

__attribute__((constructor)) static void shm_hide(void)
{
    apart = own_shm();
    unsetenv("GEOID_KERNEL_TIMEOUT");
}

/* What the processes of a case share. */
struct shared {
    volatile int stop;
    _Atomic uint32_t open, go, done;
};

static void until(_Atomic uint32_t *word)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    for (uint64_t waited = 0; waited < API_PATIENCE_NS && !atomic_load(word); waited += 2000000) {
        nanosleep(&pause, NULL);
    }
}

static zes_sched_handle_t scheduler_of(const struct api *api)
{
    zes_sched_handle_t scheduler = NULL;
    uint32_t count = 1;
    MUST_WORK(zesInit(0));
    MUST_WORK(zesDeviceEnumSchedulers((zes_device_handle_t)api->device, &count, &scheduler));
    MUST(count == 1 && scheduler);
    return scheduler;
}

static void watchdog_set(const struct api *api, uint64_t us)
{
    zes_sched_timeout_properties_t timeout = {.stype = ZES_STRUCTURE_TYPE_SCHED_TIMEOUT_PROPERTIES,
                                              .watchdogTimeout = us};
    zes_sched_mode_t mode = ZES_SCHED_MODE_EXCLUSIVE;
    ze_bool_t reload = 1;
    zes_sched_handle_t scheduler = scheduler_of(api);
    MUST_WORK(zesSchedulerSetTimeoutMode(scheduler, &timeout, &reload));
    MUST(!reload);
    MUST_WORK(zesSchedulerGetCurrentMode(scheduler, &mode));
    MUST(mode == ZES_SCHED_MODE_TIMEOUT);
    timeout.watchdogTimeout = 0;
    MUST_WORK(zesSchedulerGetTimeoutModeProperties(scheduler, 0, &timeout));
    MUST(timeout.watchdogTimeout == us);
    MUST_WORK(zesSchedulerGetTimeoutModeProperties(scheduler, 1, &timeout));
    MUST(timeout.watchdogTimeout == ZES_SCHED_WATCHDOG_DISABLE);
}

static struct shared *shared_make(void)
{
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(shared != MAP_FAILED);
    return shared;
}

/* Returns a list of this process, for a kernel that runs until shared->stop is set. */
static ze_command_list_handle_t list_open(struct api *api)
{
    return scene_immediate(api, api->ordinal, 0);
}

static void kernel_watch(ze_kernel_handle_t kernel, const struct shared *shared)
{
    const volatile int *stop = &shared->stop;
    MUST_WORK(zeKernelSetArgumentValue(kernel, 0, sizeof(stop), &stop));
}

static ze_kernel_handle_t kernel_open(struct api *api, const struct shared *shared)
{
    ze_kernel_handle_t kernel = api_kernel(api_spirv_module(api, "endless"), "endless");
    MUST_WORK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    kernel_watch(kernel, shared);
    return kernel;
}

static ze_result_t kernel_run(ze_command_list_handle_t list, ze_kernel_handle_t kernel)
{
    const ze_group_count_t groups = {3, 1, 1};
    MUST_WORK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    return zeCommandListHostSynchronize(list, UINT64_MAX);
}

/* Runs `run` in a process, which is ready before go. */
static pid_t process_start(struct api *api, struct shared *shared,
                           ze_result_t (*run)(struct api *, struct shared *))
{
    fflush(NULL);
    pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ze_result_t result = run(api, shared);
        atomic_store(&shared->done, 1);
        _exit(result == ZE_RESULT_SUCCESS ? 0 : result == ZE_RESULT_ERROR_DEVICE_LOST ? 2 : 1);
    }
    return child;
}

static int process_end(pid_t child)
{
    int status = -1;
    MUST(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static struct shared ends = {.stop = 1};

/* With a list, and so an executor and threads, from before. */
static ze_result_t run_in_list(struct api *api, struct shared *shared)
{
    ze_command_list_handle_t list = list_open(api);
    MUST_WORK(kernel_run(list, kernel_open(api, &ends)));
    atomic_store(&shared->open, 1);
    until(&shared->go);
    return kernel_run(list, kernel_open(api, shared));
}

/* The parent makes these, and launches the kernel once: its code is made at the first launch, and
 * counts as memory of the device. So the child's launch is its first use of the device. */
static struct {
    ze_command_list_handle_t list;
    ze_kernel_handle_t kernel;
} inherited;

static ze_result_t run_inherited(struct api *api, struct shared *shared)
{
    (void)api;
    atomic_store(&shared->open, 1);
    until(&shared->go);
    return kernel_run(inherited.list, inherited.kernel);
}

static void stops(struct api *api, struct shared *shared,
                  ze_result_t (*run)(struct api *, struct shared *))
{
    pid_t child = process_start(api, shared, run);
    until(&shared->open);
    watchdog_set(api, 300000);
    atomic_store(&shared->go, 1);
    MUST(process_end(child) == 2);
}

static void stopped_run(struct api *api, const void *argument)
{
    (void)argument;
    stops(api, shared_make(), run_in_list);
    struct shared *shared = shared_make();
    inherited.list = list_open(api);
    inherited.kernel = kernel_open(api, &ends);
    MUST_WORK(kernel_run(inherited.list, inherited.kernel));
    kernel_watch(inherited.kernel, shared);
    stops(api, shared, run_inherited);
}

/* Longer than the watchdog that there was, and what the machine's load cannot make shorter. */
static void finished_run(struct api *api, const void *argument)
{
    const struct timespec longer = {.tv_nsec = 900000000};
    struct shared *shared = shared_make();
    (void)argument;
    watchdog_set(api, 300000);
    pid_t child = process_start(api, shared, run_in_list);
    until(&shared->open);
    watchdog_set(api, ZES_SCHED_WATCHDOG_DISABLE);
    atomic_store(&shared->go, 1);
    nanosleep(&longer, NULL);
    MUST(!atomic_load(&shared->done));
    shared->stop = 1;
    MUST(process_end(child) == 0);
}

static bool sanitized(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return true; /* it keeps signals back until the code calls something */
#endif
#endif
    return false;
}

/* SYC-8, SYC-9 */
static void a_kernel_that_does_not_end_is_stopped_by_anothers_watchdog(void **state)
{
    if (!apart || sanitized()) {
        skip();
    }
    assert_true(run_apart(*state, stopped_run, NULL));
}

/* SYC-9 */
static void a_long_kernel_ends_where_the_watchdog_was_taken_away(void **state)
{
    if (!apart || sanitized()) {
        skip();
    }
    assert_true(run_apart(*state, finished_run, NULL));
}

static const struct api_case cases[] = {
    {"a_kernel_that_does_not_end_is_stopped_by_anothers_watchdog",
     a_kernel_that_does_not_end_is_stopped_by_anothers_watchdog, API_EXECUTES},
    {"a_long_kernel_ends_where_the_watchdog_was_taken_away",
     a_long_kernel_ends_where_the_watchdog_was_taken_away, API_EXECUTES},
};

API_MAIN("watchdog", cases)
