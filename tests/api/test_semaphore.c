/* API test of external semaphores: what lists signal and wait for through eventfds and through
 * words of shared memory, whose other side is played here by hand, as geoid/semaphore.h says. What
 * has to be late is held back until the test lets it go. */
#include "fault_support.h"

#include <geoid/semaphore.h>

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>

#ifdef GEOID_SANITIZED
/* The children start threads after a fork with threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

#define MOMENT UINT64_C(5000000)
#define OPAQUE ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD
#define VALUES ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_VK_TIMELINE_SEMAPHORE_FD

typedef ze_external_semaphore_ext_handle_t semaphore_t;

static ze_result_t import(struct api *api, ze_external_semaphore_ext_flags_t flags, int fd,
                          semaphore_t *out)
{
    ze_external_semaphore_fd_ext_desc_t by_fd = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC, .fd = fd};
    ze_external_semaphore_ext_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC, .pNext = &by_fd, .flags = flags};
    *out = NULL;
    return zeDeviceImportExternalSemaphoreExt(api->device, &desc, out);
}

static semaphore_t imported(struct api *api, ze_external_semaphore_ext_flags_t flags, int fd)
{
    semaphore_t semaphore;
    assert_success(import(api, flags, fd, &semaphore));
    return semaphore;
}

static ze_result_t wait_append(ze_command_list_handle_t list, semaphore_t semaphore, uint64_t value,
                               ze_event_handle_t signal)
{
    ze_external_semaphore_wait_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT, .value = value};
    return zeCommandListAppendWaitExternalSemaphoreExt(list, 1, &semaphore, &params, signal, 0,
                                                       NULL);
}

static ze_result_t signal_append(ze_command_list_handle_t list, semaphore_t semaphore,
                                 uint64_t value)
{
    ze_external_semaphore_signal_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT, .value = value};
    return zeCommandListAppendSignalExternalSemaphoreExt(list, 1, &semaphore, &params, NULL, 0,
                                                         NULL);
}

/* What the counter has; it has nothing afterwards. */
static uint64_t counter_take(int fd)
{
    uint64_t value = 0;
    return read(fd, &value, sizeof(value)) == (ssize_t)sizeof(value) ? value : 0;
}

static void counter_add(int fd, uint64_t value)
{
    assert_int_equal(write(fd, &value, sizeof(value)), sizeof(value));
}

static int counter_make(void)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(fd >= 0);
    return fd;
}

struct timeline {
    int fd;
    geoid_semaphore_t *word;
};

static struct timeline timeline_make(void)
{
    struct timeline timeline = {memfd_create("timeline", MFD_CLOEXEC | MFD_ALLOW_SEALING), NULL};
    assert_true(timeline.fd >= 0);
    assert_int_equal(ftruncate(timeline.fd, sizeof(geoid_semaphore_t)), 0);
    assert_int_equal(fcntl(timeline.fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    timeline.word =
        mmap(NULL, sizeof(geoid_semaphore_t), PROT_READ | PROT_WRITE, MAP_SHARED, timeline.fd, 0);
    assert_true(timeline.word != MAP_FAILED);
    return timeline;
}

static void timeline_end(struct timeline *timeline)
{
    munmap(timeline->word, sizeof(geoid_semaphore_t));
    close(timeline->fd);
}

/* The peer's side, by the letter of the header. */
static void word_signal(geoid_semaphore_t *word, uint64_t value)
{
    uint64_t seen = __atomic_load_n(&word->value, __ATOMIC_SEQ_CST);
    while (seen < value && !__atomic_compare_exchange_n(&word->value, &seen, value, false,
                                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    if (__atomic_load_n(&word->sleepers, __ATOMIC_SEQ_CST) != 0) {
        syscall(SYS_futex, &word->value, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    }
}

static void word_wait(geoid_semaphore_t *word, uint64_t value)
{
    __atomic_fetch_add(&word->sleepers, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        uint64_t seen = __atomic_load_n(&word->value, __ATOMIC_SEQ_CST);
        if (seen >= value) {
            break;
        }
        syscall(SYS_futex, &word->value, FUTEX_WAIT, (uint32_t)seen, NULL, NULL, 0);
    }
    __atomic_fetch_sub(&word->sleepers, 1, __ATOMIC_SEQ_CST);
}

/* ---- lists that go on later ---- */

/* A list and an event behind what it waits for. */
struct late {
    struct api_list list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
};

static struct late late_open(struct api *api)
{
    ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = 1};
    ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    struct late late = {.list = api_list_create(api)};
    assert_success(zeEventPoolCreate(api->context, &pool, 0, NULL, &late.pool));
    assert_success(zeEventCreate(late.pool, &event, &late.event));
    return late;
}

static void late_end(struct late *late)
{
    assert_success(zeEventHostSynchronize(late->event, UINT64_MAX));
    assert_success(zeCommandListHostSynchronize(late->list.list, UINT64_MAX));
    api_list_destroy(&late->list);
    assert_success(zeEventDestroy(late->event));
    assert_success(zeEventPoolDestroy(late->pool));
}

/* Waits until the event is signalled, without a call that might run the list. */
static void expect_alone(const struct late *late)
{
    const time_t end = time(NULL) + patience_s();
    while (zeEventQueryStatus(late->event) != ZE_RESULT_SUCCESS) {
        assert_true(time(NULL) <= end);
    }
}

static void expect_late(const struct late *late)
{
    assert_result(zeEventHostSynchronize(late->event, MOMENT), ZE_RESULT_NOT_READY);
}

/* ---- cases ---- */

/* A signal adds one, a wait takes what is there; the descriptor stays the test's. */
static void counters_are_signalled_and_taken(void **state)
{
    struct api *api = *state;
    int fd = counter_make();
    semaphore_t semaphore = imported(api, OPAQUE, fd);
    struct api_list list = api_list_create(api);
    assert_success(signal_append(list.list, semaphore, 77));
    api_list_run(api, &list);
    assert_int_equal(counter_take(fd), 1);
    counter_add(fd, 1);
    assert_success(wait_append(list.list, semaphore, 77, NULL));
    api_list_run(api, &list);
    assert_int_equal(counter_take(fd), 0);
    assert_success(signal_append(list.list, semaphore, 0)); /* its own signal, too */
    assert_success(wait_append(list.list, semaphore, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(counter_take(fd), 0);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&list);
    close(fd);
}

/* More lists than there are ever workers wait for one counter; each signal lets one of them go. */
static void lists_that_wait_hold_nobody_up(void **state)
{
    enum { LISTS = 160 };
    struct api *api = *state;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    assert_true(fd >= 0);
    semaphore_t semaphore = imported(api, OPAQUE, fd);
    struct late late[LISTS];
    for (int i = 0; i < LISTS; i++) {
        late[i] = late_open(api);
        assert_success(wait_append(late[i].list.list, semaphore, 0, late[i].event));
    }
    struct api_list other = api_list_create(api);
    uint8_t *memory = api_alloc_shared(api, 4096);
    memset(memory, 0, 4096);
    assert_success(
        zeCommandListAppendMemoryFill(other.list, memory, "\x5a", 1, 4096, NULL, 0, NULL));
    api_list_run(api, &other);
    expect_late(&late[0]);
    struct late free_one = late_open(api);
    assert_success(zeCommandListAppendMemoryFill(free_one.list.list, memory, "\x5b", 1, 4096,
                                                 free_one.event, 0, NULL));
    expect_alone(&free_one);
    late_end(&free_one);
    for (int gone = 0; gone < LISTS;) {
        counter_add(fd, 1);
        int seen;
        do {
            seen = 0;
            for (int i = 0; i < LISTS; i++) {
                seen += zeEventQueryStatus(late[i].event) == ZE_RESULT_SUCCESS;
            }
        } while (seen == gone);
        assert_int_equal(seen, gone + 1);
        gone = seen;
    }
    for (int i = 0; i < LISTS; i++) {
        late_end(&late[i]);
    }
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_free(api, memory);
    api_list_destroy(&other);
    close(fd);
}

/* More descriptors than the runtime sleeps on at once, and timelines among them. */
static void many_semaphores_are_waited_for_at_once(void **state)
{
    enum { LISTS = 90 };
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    semaphore_t semaphores[LISTS];
    struct late late[LISTS];
    int fds[LISTS];
    for (int i = 0; i < LISTS; i++) {
        bool word = i % 10 == 9;
        fds[i] = word ? -1 : counter_make();
        semaphores[i] = imported(api, word ? VALUES : OPAQUE, word ? timeline.fd : fds[i]);
        late[i] = late_open(api);
        assert_success(wait_append(late[i].list.list, semaphores[i], (uint64_t)i, late[i].event));
    }
    expect_late(&late[0]);
    expect_late(&late[9]);
    word_signal(timeline.word, LISTS);
    for (int i = 9; i < LISTS; i += 10) {
        expect_alone(&late[i]);
    }
    for (int k = 0; k < LISTS; k++) {
        int i = k % 2 ? LISTS - 1 - k / 2 : k / 2; /* from both ends: which are slept on is open */
        if (fds[i] >= 0) {
            counter_add(fds[i], 1);
            expect_alone(&late[i]);
            close(fds[i]);
        }
        late_end(&late[i]);
        assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphores[i]));
    }
    timeline_end(&timeline);
}

/* A word changes while the runtime sleeps on a descriptor, and on no more than it can. */
static void words_are_seen_beside_descriptors(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    int fd = counter_make();
    semaphore_t semaphores[] = {imported(api, VALUES, timeline.fd), imported(api, OPAQUE, fd)};
    struct late late[2];
    for (int i = 0; i < 2; i++) {
        late[i] = late_open(api);
        assert_success(wait_append(late[i].list.list, semaphores[i], 1, late[i].event));
        expect_late(&late[i]);
    }
    word_signal(timeline.word, 1);
    expect_alone(&late[0]);
    counter_add(fd, 1);
    expect_alone(&late[1]);
    for (int i = 0; i < 2; i++) {
        late_end(&late[i]);
        assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphores[i]));
    }
    timeline_end(&timeline);
    close(fd);
}

static void timelines_have_values(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    semaphore_t semaphore = imported(api, VALUES, timeline.fd);
    struct late late = late_open(api);
    assert_success(wait_append(late.list.list, semaphore, 5, late.event));
    expect_late(&late);
    word_signal(timeline.word, 4);
    expect_late(&late);
    word_signal(timeline.word, 5);
    late_end(&late);
    assert_int_equal(timeline.word->value, 5); /* a wait takes nothing */
    assert_int_equal(timeline.word->sleepers, 0);
    struct api_list list = api_list_create(api);
    assert_success(wait_append(list.list, semaphore, 5, NULL));
    assert_success(wait_append(list.list, semaphore, 3, NULL));
    assert_success(signal_append(list.list, semaphore, UINT64_C(1) << 61));
    assert_success(wait_append(list.list, semaphore, UINT64_C(1) << 61, NULL));
    assert_success(signal_append(list.list, semaphore, 7)); /* it never goes back */
    api_list_run(api, &list);
    assert_true(timeline.word->value == UINT64_C(1) << 61);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&list);
    timeline_end(&timeline);
}

/* One command, several semaphores of both kinds; events order it as every other command. */
static void a_command_takes_several_semaphores(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    int fd = counter_make();
    semaphore_t both[] = {imported(api, OPAQUE, fd), imported(api, OPAQUE, timeline.fd)};
    ze_external_semaphore_wait_params_ext_t waits[] = {
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT},
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT, .value = 3}};
    ze_external_semaphore_signal_params_ext_t signals[] = {
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT},
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT, .value = 9}};
    struct late gate = late_open(api), late = late_open(api);
    ze_command_list_handle_t list = late.list.list;
    assert_success(zeCommandListAppendWaitExternalSemaphoreExt(list, 2, both, waits, late.event, 1,
                                                               &gate.event));
    assert_success(zeCommandListAppendSignalExternalSemaphoreExt(list, 2, both, signals, NULL, 1,
                                                                 &late.event));
    assert_success(
        zeCommandListAppendWaitExternalSemaphoreExt(list, 0, both, waits, NULL, 0, NULL));
    counter_add(fd, 1);
    expect_late(&late);
    assert_int_equal(counter_take(fd), 1); /* nothing is taken before the events are there */
    assert_success(zeEventHostSignal(gate.event));
    word_signal(timeline.word, 3);
    expect_late(&late);
    counter_add(fd, 1);
    late_end(&late);
    assert_int_equal(counter_take(fd), 1);
    assert_int_equal(timeline.word->value, 9);
    late = late_open(api); /* the first is there, and taken, long before the second */
    waits[1].value = 20;
    counter_add(fd, 1);
    assert_success(zeCommandListAppendWaitExternalSemaphoreExt(late.list.list, 2, both, waits,
                                                               late.event, 0, NULL));
    struct pollfd taken = {.fd = fd, .events = POLLIN};
    while (poll(&taken, 1, 0) != 0) {
    }
    expect_late(&late);
    word_signal(timeline.word, 20);
    late_end(&late);
    late_end(&gate);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(both[0]));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(both[1]));
    timeline_end(&timeline);
    close(fd);
}

/* A graph waits and signals each time that it runs. No regular list takes it. */
static void graphs_that_run_again_signal_again(void **state)
{
    struct api *api = *state;
    int fd = counter_make(), back = counter_make();
    semaphore_t there = imported(api, OPAQUE, fd), here = imported(api, OPAQUE, back);
    struct api_list list = api_list_create(api);
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    ze_command_list_handle_t regular;
    ze_graph_handle_t graph;
    ze_executable_graph_handle_t executable;
    assert_success(zeCommandListBeginGraphCaptureExt(list.list, NULL));
    assert_success(wait_append(list.list, there, 0, NULL));
    assert_success(signal_append(list.list, here, 0));
    assert_success(zeCommandListEndGraphCaptureExt(list.list, NULL, &graph));
    assert_success(zeGraphInstantiateExt(graph, NULL, &executable));
    for (int i = 0; i < 3; i++) {
        assert_success(zeCommandListAppendGraphExt(list.list, executable, NULL, NULL, 0, NULL));
        assert_result(zeCommandListHostSynchronize(list.list, MOMENT), ZE_RESULT_NOT_READY);
        counter_add(fd, 1);
        assert_success(zeCommandListHostSynchronize(list.list, UINT64_MAX));
    }
    assert_int_equal(counter_take(back), 3);
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &regular));
    assert_result(zeCommandListAppendGraphExt(regular, executable, NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeExecutableGraphDestroyExt(executable));
    assert_success(zeGraphDestroyExt(graph));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(there));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(here));
    api_list_destroy(&list);
    close(fd);
    close(back);
}

#define SIGNALS_OF_A_THREAD 3000

struct signaller {
    ze_command_list_handle_t list;
    semaphore_t semaphore;
    ze_result_t result;
};

static void *signaller_run(void *data)
{
    struct signaller *signaller = data;
    ze_external_semaphore_signal_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT};
    for (int i = 0; i < SIGNALS_OF_A_THREAD && signaller->result == ZE_RESULT_SUCCESS; i++) {
        signaller->result = zeCommandListAppendSignalExternalSemaphoreExt(
            signaller->list, 1, &signaller->semaphore, &params, NULL, 0, NULL);
    }
    return NULL;
}

/* Both modes of list: a synchronous one has signalled when the call returns. */
static void threads_that_share_a_list_lose_no_signal(void **state)
{
    enum { THREADS = 4 };
    struct api *api = *state;
    for (int mode = 0; mode < 2; mode++) {
        ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                        .ordinal = api->ordinal,
                                        .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                        .mode = mode ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                     : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
        int fd = counter_make();
        struct signaller signallers[THREADS];
        pthread_t threads[THREADS];
        ze_command_list_handle_t list;
        semaphore_t semaphore = imported(api, OPAQUE, fd);
        assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
        for (int i = 0; i < THREADS; i++) {
            signallers[i] = (struct signaller){.list = list, .semaphore = semaphore};
            assert_int_equal(pthread_create(&threads[i], NULL, signaller_run, &signallers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_success(signallers[i].result);
        }
        assert_success(mode ? ZE_RESULT_SUCCESS : zeCommandListHostSynchronize(list, UINT64_MAX));
        assert_int_equal(counter_take(fd), THREADS * SIGNALS_OF_A_THREAD);
        assert_success(zeCommandListDestroy(list));
        assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
        close(fd);
    }
}

struct waiter {
    ze_command_list_handle_t list;
    semaphore_t semaphore;
    ze_event_handle_t event;
    _Atomic bool asks;
    ze_result_t result, status; /* of the append; of the event when it has returned */
};

static void *waiter_run(void *data)
{
    struct waiter *waiter = data;
    atomic_store(&waiter->asks, true);
    waiter->result = wait_append(waiter->list, waiter->semaphore, 0, waiter->event);
    waiter->status = zeEventQueryStatus(waiter->event);
    return NULL;
}

static void a_synchronous_list_returns_after_its_semaphores(void **state)
{
    struct api *api = *state;
    int fd = counter_make();
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    struct late late = late_open(api);
    struct waiter waiter = {.semaphore = imported(api, OPAQUE, fd), .event = late.event};
    pthread_t thread;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &waiter.list));
    assert_int_equal(pthread_create(&thread, NULL, waiter_run, &waiter), 0);
    while (!atomic_load(&waiter.asks)) {
    }
    expect_late(&late);
    counter_add(fd, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_success(waiter.result);
    assert_success(waiter.status);
    assert_success(zeCommandListDestroy(waiter.list));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(waiter.semaphore));
    late_end(&late);
    close(fd);
}

/* Handles and descriptors go while a list still waits. */
static void a_released_semaphore_is_waited_for_to_the_end(void **state)
{
    struct api *api = *state;
    int fd = counter_make(), peer = dup(fd);
    semaphore_t semaphore = imported(api, OPAQUE, fd);
    struct late late = late_open(api);
    assert_success(wait_append(late.list.list, semaphore, 0, late.event));
    expect_late(&late);
    close(fd);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    assert_result(zeDeviceReleaseExternalSemaphoreExt(semaphore), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    counter_add(peer, 1);
    late_end(&late);
    close(peer);
}

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
    MUST(closing->waits || timeline.word->value == 5); /* its peer is no victim of the other */
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

/* Who waits for a semaphore when the context is lost waits no longer; what its lists were to
 * signal they signal, so that no peer waits for ever. */
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
    API_IMMEDIATE_CASE(counters_are_signalled_and_taken),
    API_IMMEDIATE_CASE(lists_that_wait_hold_nobody_up),
    API_IMMEDIATE_CASE(many_semaphores_are_waited_for_at_once),
    API_IMMEDIATE_CASE(words_are_seen_beside_descriptors),
    API_IMMEDIATE_CASE(timelines_have_values),
    API_IMMEDIATE_CASE(a_command_takes_several_semaphores),
    API_IMMEDIATE_CASE(graphs_that_run_again_signal_again),
    API_CASE(threads_that_share_a_list_lose_no_signal),
    API_IMMEDIATE_CASE(a_synchronous_list_returns_after_its_semaphores),
    API_IMMEDIATE_CASE(a_released_semaphore_is_waited_for_to_the_end),
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
API_MAIN("semaphore", cases)
