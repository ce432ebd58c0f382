/* What a device does is seen in another process, through the public API: kernels and copies, each
 * in an engine of their own. The processes have a /dev/shm of their own. */
#include "fault_support.h"
#include "own_shm.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

static bool apart;

__attribute__((constructor)) static void shm_hide(void)
{
    apart = own_shm();
}

#define ENGINES 64

/* What the processes of a case share. */
struct shared {
    volatile int stop;
    _Atomic uint32_t done, leave;
};

static struct shared *shared_make(void)
{
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    return shared;
}

static void nap(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    nanosleep(&pause, NULL);
}

/* The sum of the device's engines of a type, and whether no part was active for longer than the
 * clock went: since the last call for the type. */
static uint64_t active_read(const struct api *api, zes_engine_group_t type)
{
    static zes_engine_stats_t last[2][ENGINES];
    zes_engine_stats_t *before = last[type == ZES_ENGINE_GROUP_COPY_ALL];
    zes_engine_handle_t engines[ENGINES];
    uint32_t count = ENGINES, found = 0;
    uint64_t sum = 0;
    assert_success(zesInit(0));
    assert_success(zesDeviceEnumEngineGroups((zes_device_handle_t)api->device, &count, engines));
    for (uint32_t i = 0; i < count; i++) {
        zes_engine_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES};
        zes_engine_stats_t now;
        assert_success(zesEngineGetProperties(engines[i], &properties));
        if (properties.type != type) {
            continue;
        }
        assert_success(zesEngineGetActivity(engines[i], &now));
        assert_true(now.activeTime >= before[i].activeTime);
        assert_true(now.activeTime - before[i].activeTime <= now.timestamp - before[i].timestamp);
        before[i] = now;
        sum += now.activeTime;
        found++;
    }
    assert_true(found != 0);
    return sum;
}

/* Whether it grows at last. */
static bool grows(const struct api *api, zes_engine_group_t type)
{
    const uint64_t before = active_read(api, type);
    for (uint64_t waited = 0; waited < API_PATIENCE_NS; waited += 2000000) {
        nap();
        if (active_read(api, type) > before) {
            return true;
        }
    }
    return false;
}

static void until(_Atomic uint32_t *word)
{
    for (uint64_t waited = 0; waited < API_PATIENCE_NS && !atomic_load(word); waited += 2000000) {
        nap();
    }
}

static pid_t start(struct api *api, struct shared *shared,
                   void (*run)(struct api *, struct shared *))
{
    const pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(1);
        }
        run(api, shared);
        atomic_store(&shared->done, 1);
        until(&shared->leave);
        _exit(0);
    }
    return child;
}

static void end(pid_t child, struct shared *shared, int expected)
{
    int status;
    atomic_store(&shared->leave, 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, expected);
}

static void run_kernel(struct api *api, struct shared *shared)
{
    volatile int *stop = &shared->stop;
    const ze_group_count_t groups = {3, 1, 1};
    ze_command_list_handle_t list = scene_immediate(api, api->ordinal, 0);
    ze_kernel_handle_t kernel = api_kernel(api_spirv_module(api, "endless"), "endless");
    MUST_WORK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    MUST_WORK(zeKernelSetArgumentValue(kernel, 0, sizeof(stop), &stop));
    MUST_WORK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    MUST_WORK(zeCommandListHostSynchronize(list, UINT64_MAX));
}

static void run_copy(struct api *api, struct shared *shared)
{
    enum { BYTES = 32 << 20 };
    uint8_t *bytes = api_alloc_device(api, 2 * BYTES);
    ze_command_list_handle_t list = scene_immediate(api, api->ordinal, 0);
    (void)shared;
    MUST_WORK(zeCommandListAppendMemoryCopy(list, bytes, bytes + BYTES, BYTES, NULL, 0, NULL));
    MUST_WORK(zeCommandListHostSynchronize(list, UINT64_MAX));
}

/* SYC-12, SYS-5 */
static void a_kernel_of_another_process_is_seen_while_it_runs(void **state)
{
    struct api *api = *state;
    if (!apart) {
        skip();
    }
    struct shared *shared = shared_make();
    const uint64_t copies = active_read(api, ZES_ENGINE_GROUP_COPY_ALL);
    pid_t child = start(api, shared, run_kernel);
    assert_true(grows(api, ZES_ENGINE_GROUP_COMPUTE_ALL));
    assert_true(grows(api, ZES_ENGINE_GROUP_COMPUTE_ALL));
    shared->stop = 1;
    until(&shared->done);
    const uint64_t after = active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL);
    nap();
    assert_int_equal(active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL), after);
    end(child, shared, 0);
    assert_int_equal(active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL), after);
    assert_int_equal(active_read(api, ZES_ENGINE_GROUP_COPY_ALL), copies);
}

static void a_copy_of_another_process_is_no_kernel(void **state)
{
    struct api *api = *state;
    if (!apart) {
        skip();
    }
    struct shared *shared = shared_make();
    const uint64_t copies = active_read(api, ZES_ENGINE_GROUP_COPY_ALL);
    const uint64_t kernels = active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL);
    pid_t child = start(api, shared, run_copy);
    until(&shared->done);
    const uint64_t after = active_read(api, ZES_ENGINE_GROUP_COPY_ALL);
    assert_true(after > copies);
    nap();
    assert_int_equal(active_read(api, ZES_ENGINE_GROUP_COPY_ALL), after);
    assert_int_equal(active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL), kernels);
    end(child, shared, 0);
}

/* It neither takes back what was seen of it nor goes on; and another's is seen at once. */
static void a_process_that_is_killed_leaves_the_counter_where_it_was(void **state)
{
    struct api *api = *state;
    if (!apart) {
        skip();
    }
    struct shared *shared = shared_make();
    (void)active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL);
    pid_t child = start(api, shared, run_kernel);
    assert_true(grows(api, ZES_ENGINE_GROUP_COMPUTE_ALL));
    for (int i = 0; i < 50; i++) { /* much of it */
        nap();
    }
    const uint64_t before = active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL);
    assert_int_equal(kill(child, SIGKILL), 0);
    end(child, shared, SIGKILL);
    assert_true(active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL) >= before);
    const uint64_t after = active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL);
    nap();
    assert_int_equal(active_read(api, ZES_ENGINE_GROUP_COMPUTE_ALL), after);
    memset(shared, 0, sizeof(*shared));
    child = start(api, shared, run_kernel);
    assert_true(grows(api, ZES_ENGINE_GROUP_COMPUTE_ALL));
    shared->stop = 1;
    end(child, shared, 0);
}

static const struct api_case cases[] = {
    {"a_kernel_of_another_process_is_seen_while_it_runs",
     a_kernel_of_another_process_is_seen_while_it_runs, API_EXECUTES},
    {"a_copy_of_another_process_is_no_kernel", a_copy_of_another_process_is_no_kernel,
     API_EXECUTES},
    {"a_process_that_is_killed_leaves_the_counter_where_it_was",
     a_process_that_is_killed_leaves_the_counter_where_it_was, API_EXECUTES},
};

API_MAIN("busy", cases)
