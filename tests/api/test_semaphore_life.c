/* API test of external semaphores: the life time of their objects, limits, peers that die, faults,
 * children of a fork, and descriptors of other kinds, which are refused. */
#include "semaphore_support.h"

#ifdef GEOID_SANITIZED
/* The children start threads after a fork with threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

/* ---- what belongs to a semaphore ---- */

#define MARK UINT64_C(0x123457) /* what a counter has, so that its descriptors are known */

/* Descriptors of this process for the counter that has MARK; the last goes to *last. With `clean`
 * those alone that programs which are started do not inherit. */
static uint32_t counter_descriptors(bool clean, int *last)
{
    uint32_t found = 0;
    for (int fd = 0; fd < 1024; fd++) {
        char path[64], line[128];
        unsigned long long count = 0, flags = 0;
        snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
        FILE *file = fopen(path, "re");
        while (file && fgets(line, sizeof(line), file)) {
            (void)sscanf(line, "flags: %llo", &flags);
            (void)sscanf(line, "eventfd-count: %llx", &count);
        }
        if (file) {
            fclose(file);
        }
        if (count == MARK && (!clean || flags & O_CLOEXEC)) {
            *last = fd;
            found++;
        }
    }
    return found;
}

static uint32_t timeline_mappings(void)
{
    char line[512];
    uint32_t found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        found += strstr(line, "memfd:timeline") != NULL;
    }
    assert_int_equal(fclose(maps), 0);
    return found;
}

/* A descriptor and a mapping of its own, until it is released. */
static void released_semaphores_leave_nothing(void **state)
{
    struct api *api = *state;
    int fd = counter_make(), last;
    struct timeline timeline = timeline_make();
    counter_add(fd, MARK);
    const uint32_t mappings = timeline_mappings();
    assert_int_equal(counter_descriptors(false, &last), 1);
    semaphore_t counter = imported(api, OPAQUE, fd), word = imported(api, VALUES, timeline.fd);
    assert_int_equal(counter_descriptors(true, &last), 2);
    assert_int_equal(timeline_mappings(), mappings + 1);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(counter));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(word));
    assert_int_equal(counter_descriptors(false, &last), 1);
    assert_int_equal(timeline_mappings(), mappings);
    timeline_end(&timeline);
    close(fd);
}

struct closing {
    bool waits;
};

static void closed_run(struct api *api, const void *argument)
{
    const struct closing *closing = argument;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal};
    ze_external_semaphore_signal_params_ext_t signals[] = {
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT},
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT, .value = 5}};
    ze_command_list_handle_t list;
    semaphore_t both[2];
    struct timeline timeline = timeline_make();
    const uint64_t mark = MARK;
    int fd = eventfd(0, EFD_CLOEXEC), own = -1;
    MUST_WORK(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    MUST_WORK(import(api, OPAQUE, fd, &both[0]));
    MUST_WORK(import(api, VALUES, timeline.fd, &both[1]));
    MUST(write(fd, &mark, sizeof(mark)) == (ssize_t)sizeof(mark));
    MUST(counter_descriptors(false, &own) == 2);
    MUST(close(fd) == 0 && (own != fd || counter_descriptors(false, &own) == 1));
    MUST(close(own) == 0);
    if (closing->waits) {
        MUST_WORK(wait_append(list, both[0], 0, NULL));
    } else {
        MUST_WORK(
            zeCommandListAppendSignalExternalSemaphoreExt(list, 2, both, signals, NULL, 0, NULL));
    }
    MUST_LOSE(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(closing->waits || timeline.word->value == 5); /* the other's end does not concern it */
}

/* By a program that closes all descriptors it does not know. */
static void a_descriptor_that_was_closed_is_a_loss(void **state)
{
    assert_true(run_apart(*state, closed_run, &(struct closing){.waits = false}));
    assert_true(run_apart(*state, closed_run, &(struct closing){.waits = true}));
}

/* ---- limits ---- */

/* A counter that has no room for another signal is not waited for. */
static void a_full_counter_stops_nobody(void **state)
{
    struct api *api = *state;
    int fd = eventfd(0, EFD_CLOEXEC); /* a plain write would block */
    assert_true(fd >= 0);
    semaphore_t semaphore = imported(api, OPAQUE, fd);
    struct api_list list = api_list_create(api);
    counter_add(fd, UINT64_MAX - 1);
    assert_success(signal_append(list.list, semaphore, 0));
    assert_success(wait_append(list.list, semaphore, 0, NULL));
    assert_success(signal_append(list.list, semaphore, 0));
    api_list_run(api, &list);
    assert_int_equal(counter_take(fd), 1);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&list);
    close(fd);
}

/* Turns between a list here and a peer that only knows the word. */
static void another_process_takes_turns(void **state)
{
    enum { TURNS = 200 };
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    semaphore_t semaphore = imported(api, VALUES, timeline.fd);
    struct api_list list = api_list_create(api);
    fflush(NULL);
    pid_t peer = fork();
    if (peer == 0) {
        alarm(600);
        for (uint64_t turn = 0; turn < TURNS; turn++) {
            word_wait(timeline.word, 2 * turn + 1);
            word_signal(timeline.word, 2 * turn + 2);
        }
        _exit(0);
    }
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        assert_success(signal_append(list.list, semaphore, 2 * turn + 1));
        assert_success(wait_append(list.list, semaphore, 2 * turn + 2, NULL));
    }
    api_list_run(api, &list);
    int status = -1;
    assert_int_equal(waitpid(peer, &status, 0), peer);
    assert_int_equal(status, 0);
    assert_int_equal(timeline.word->value, 2 * TURNS);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&list);
    timeline_end(&timeline);
}

/* It dies in its wait, and leaves the count of sleepers as it was. */
static void a_peer_that_dies_takes_nobody_with_it(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    semaphore_t semaphore = imported(api, VALUES, timeline.fd);
    struct late late = late_open(api);
    assert_success(wait_append(late.list.list, semaphore, 2, late.event));
    fflush(NULL);
    pid_t peer = fork();
    if (peer == 0) {
        word_signal(timeline.word, 1);
        word_wait(timeline.word, 100);
        _exit(0);
    }
    while (__atomic_load_n(&timeline.word->value, __ATOMIC_SEQ_CST) != 1) {
        sched_yield();
    }
    kill(peer, SIGKILL);
    waitpid(peer, NULL, 0);
    expect_late(&late);
    __atomic_store_n(&timeline.word->sleepers, 0, __ATOMIC_SEQ_CST); /* or worse */
    struct api_list other = api_list_create(api);
    assert_success(signal_append(other.list, semaphore, 2));
    api_list_run(api, &other);
    late_end(&late);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&other);
    timeline_end(&timeline);
}

/* ---- after a fault ---- */

struct peer {
    int wait, signal;
};

/* When a context is lost, its lists stop waiting for semaphores. They still signal all semaphores
 * that they were to signal, so that no peer waits for ever. */
static void loss_run(struct api *api, const void *argument)
{
    const struct peer *peer = argument;
    struct scene scene;
    semaphore_t never, back;
    uint64_t value = 0;
    scene_open(&scene, api, KIND_COPY);
    MUST_WORK(import(api, OPAQUE, peer->wait, &never));
    MUST_WORK(import(api, OPAQUE, peer->signal, &back));
    MUST_WORK(wait_append(scene.other, never, 0, scene.behind));
    MUST_WORK(signal_append(scene.other, back, 0));
    MUST_RESULT(zeEventHostSynchronize(scene.behind, MOMENT), ZE_RESULT_NOT_READY);
    MUST_WORK(
        zeCommandListAppendMemoryCopy(scene.list, scene.wall, scene.memory, 64, NULL, 0, NULL));
    MUST_LOSE(zeCommandListHostSynchronize(scene.other, UINT64_MAX));
    MUST(read(peer->signal, &value, sizeof(value)) == (ssize_t)sizeof(value) && value == 1);
}

static void a_lost_context_leaves_no_peer_waiting(void **state)
{
    struct peer peer = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)};
    assert_true(run_apart(*state, loss_run, &peer));
    close(peer.wait);
    close(peer.signal);
}

struct inherited {
    int fd;
    semaphore_t semaphore;
};

static void child_run(struct api *api, const void *argument)
{
    struct peer peer = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)};
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal};
    ze_command_list_handle_t list;
    semaphore_t there, here;
    uint64_t value = 1;
    const int patience_ms = (int)(API_PATIENCE_NS / 1000000);
    const struct inherited *inherited = argument;
    MUST_WORK(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    MUST_WORK(import(api, OPAQUE, peer.wait, &there));
    MUST_WORK(import(api, OPAQUE, peer.signal, &here));
    MUST_WORK(wait_append(list, there, 0, NULL));
    MUST_WORK(signal_append(list, here, 0));
    MUST_RESULT(zeCommandListHostSynchronize(list, MOMENT), ZE_RESULT_NOT_READY);
    MUST(write(peer.wait, &value, sizeof(value)) == (ssize_t)sizeof(value));
    struct pollfd signalled = {.fd = peer.signal, .events = POLLIN};
    MUST(poll(&signalled, 1, patience_ms) == 1); /* no call of this thread runs the list */
    MUST_WORK(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(read(peer.signal, &value, sizeof(value)) == (ssize_t)sizeof(value) && value == 1);
    MUST_WORK(wait_append(list, inherited->semaphore, 0, NULL)); /* which the parent awaits, too */
    MUST_WORK(signal_append(list, here, 0));
    MUST_RESULT(zeCommandListHostSynchronize(list, MOMENT), ZE_RESULT_NOT_READY);
    value = 2;
    MUST(write(inherited->fd, &value, sizeof(value)) == (ssize_t)sizeof(value));
    MUST(poll(&signalled, 1, patience_ms) == 1);
    MUST_WORK(zeCommandListHostSynchronize(list, UINT64_MAX));
}

/* Forked while a list of its parent waits. */
static void child_fork(struct api *api)
{
    struct inherited own = {.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)};
    assert_true(own.fd >= 0);
    own.semaphore = imported(api, OPAQUE, own.fd);
    struct late late = late_open(api);
    assert_success(wait_append(late.list.list, own.semaphore, 0, late.event));
    expect_late(&late);
    assert_true(run_apart(api, child_run, &own)); /* which signals for both */
    expect_alone(&late);
    late_end(&late);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(own.semaphore));
    close(own.fd);
}

/* Several times: nothing says that the list waits by now. */
static void a_child_waits_for_its_own_semaphores(void **state)
{
    for (int i = 0; i < 5; i++) {
        child_fork(*state);
    }
}

/* ---- refusals ---- */

static int file_of(size_t bytes, unsigned flags)
{
    int fd = memfd_create("no semaphore", MFD_CLOEXEC | flags);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    return fd;
}

static void what_is_no_semaphore_is_refused(void **state)
{
    struct api *api = *state;
    int counter = counter_make(), pipes[2];
    struct timeline timeline = timeline_make();
    assert_int_equal(pipe(pipes), 0);
    const struct {
        int fd;
        ze_external_semaphore_ext_flags_t flags;
        ze_result_t result;
    } bad[] = {
        {-1, OPAQUE, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {1 << 20, OPAQUE, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {pipes[0], OPAQUE, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {open("/dev/null", O_RDWR), OPAQUE, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {open("/dev/zero", O_RDWR), VALUES, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {file_of(4096, 0), VALUES, ZE_RESULT_ERROR_INVALID_ARGUMENT}, /* can be cut short */
        {file_of(63, MFD_ALLOW_SEALING), VALUES, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {counter, VALUES, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {counter, 0, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {counter, OPAQUE | VALUES, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {counter, ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_WIN32,
         ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION},
        {counter, ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_D3D12_FENCE | OPAQUE,
         ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION},
        {counter, 1u << 30, ZE_RESULT_ERROR_INVALID_ENUMERATION},
    };
    semaphore_t semaphore;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_result(import(api, bad[i].flags, bad[i].fd, &semaphore), bad[i].result);
        assert_null(semaphore);
    }
    ze_external_semaphore_ext_desc_t bare = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC,
                                             .flags = OPAQUE};
    assert_result(zeDeviceImportExternalSemaphoreExt(api->device, &bare, &semaphore),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    for (size_t i = 3; i < 7; i++) {
        close(bad[i].fd);
    }
    close(pipes[0]);
    close(pipes[1]);
    close(counter);
    timeline_end(&timeline);
}

static void bad_points_are_refused(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    semaphore_t semaphore = imported(api, VALUES, timeline.fd);
    struct api_list list = api_list_create(api);
    ze_external_semaphore_wait_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT};
    assert_result(signal_append(list.list, semaphore, UINT64_C(1) << 62),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(wait_append(list.list, semaphore, UINT64_MAX, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(wait_append(list.list, (semaphore_t)api_foreign_handle(), 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(
        zeCommandListAppendWaitExternalSemaphoreExt(list.list, 1, NULL, &params, NULL, 0, NULL),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(
        zeCommandListAppendWaitExternalSemaphoreExt(list.list, 1, &semaphore, NULL, NULL, 0, NULL),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    api_list_run(api, &list); /* nothing of it is in the list */
    assert_int_equal(timeline.word->value, 0);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&list);
    timeline_end(&timeline);
}

static const struct api_case cases[] = {
    API_CASE(released_semaphores_leave_nothing),
    {"a_descriptor_that_was_closed_is_a_loss", a_descriptor_that_was_closed_is_a_loss,
     API_EXECUTES},
    API_IMMEDIATE_CASE(a_full_counter_stops_nobody),
    API_IMMEDIATE_CASE(another_process_takes_turns),
    API_IMMEDIATE_CASE(a_peer_that_dies_takes_nobody_with_it),
    {"a_lost_context_leaves_no_peer_waiting", a_lost_context_leaves_no_peer_waiting, API_EXECUTES},
    API_IMMEDIATE_CASE(a_child_waits_for_its_own_semaphores),
    API_CASE(what_is_no_semaphore_is_refused),
    API_IMMEDIATE_CASE(bad_points_are_refused),
};
API_MAIN("semaphore_life", cases)
