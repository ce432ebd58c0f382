/* External semaphores in API tests: eventfds, words of shared memory, and lists that wait for them. */
#ifndef TESTS_API_SEMAPHORE_SUPPORT_H
#define TESTS_API_SEMAPHORE_SUPPORT_H

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

#define MOMENT UINT64_C(5000000)
#define OPAQUE ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD
#define VALUES ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_VK_TIMELINE_SEMAPHORE_FD

typedef ze_external_semaphore_ext_handle_t semaphore_t;

static inline ze_result_t import(struct api *api, ze_external_semaphore_ext_flags_t flags, int fd,
                                 semaphore_t *out)
{
    ze_external_semaphore_fd_ext_desc_t by_fd = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC, .fd = fd};
    ze_external_semaphore_ext_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC, .pNext = &by_fd, .flags = flags};
    *out = NULL;
    return zeDeviceImportExternalSemaphoreExt(api->device, &desc, out);
}

static inline semaphore_t imported(struct api *api, ze_external_semaphore_ext_flags_t flags, int fd)
{
    semaphore_t semaphore;
    assert_success(import(api, flags, fd, &semaphore));
    return semaphore;
}

static inline ze_result_t wait_append(ze_command_list_handle_t list, semaphore_t semaphore,
                                      uint64_t value, ze_event_handle_t signal)
{
    ze_external_semaphore_wait_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT, .value = value};
    return zeCommandListAppendWaitExternalSemaphoreExt(list, 1, &semaphore, &params, signal, 0,
                                                       NULL);
}

static inline ze_result_t signal_append(ze_command_list_handle_t list, semaphore_t semaphore,
                                        uint64_t value)
{
    ze_external_semaphore_signal_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT, .value = value};
    return zeCommandListAppendSignalExternalSemaphoreExt(list, 1, &semaphore, &params, NULL, 0,
                                                         NULL);
}

/* Returns the value of a counter, and sets the counter to 0. */
static inline uint64_t counter_take(int fd)
{
    uint64_t value = 0;
    return read(fd, &value, sizeof(value)) == (ssize_t)sizeof(value) ? value : 0;
}

static inline void counter_add(int fd, uint64_t value)
{
    assert_int_equal(write(fd, &value, sizeof(value)), sizeof(value));
}

static inline int counter_make(void)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(fd >= 0);
    return fd;
}

struct timeline {
    int fd;
    geoid_semaphore_t *word;
};

static inline struct timeline timeline_make(void)
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

static inline void timeline_end(struct timeline *timeline)
{
    munmap(timeline->word, sizeof(geoid_semaphore_t));
    close(timeline->fd);
}

/* The peer's side, by the letter of the header. */
static inline void word_signal(geoid_semaphore_t *word, uint64_t value)
{
    uint64_t seen = __atomic_load_n(&word->value, __ATOMIC_SEQ_CST);
    while (seen < value && !__atomic_compare_exchange_n(&word->value, &seen, value, false,
                                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    if (__atomic_load_n(&word->sleepers, __ATOMIC_SEQ_CST) != 0) {
        syscall(SYS_futex, &word->value, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    }
}

static inline void word_wait(geoid_semaphore_t *word, uint64_t value)
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

static inline struct late late_open(struct api *api)
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

static inline void late_end(struct late *late)
{
    assert_success(zeEventHostSynchronize(late->event, UINT64_MAX));
    assert_success(zeCommandListHostSynchronize(late->list.list, UINT64_MAX));
    api_list_destroy(&late->list);
    assert_success(zeEventDestroy(late->event));
    assert_success(zeEventPoolDestroy(late->pool));
}

/* Waits until the event is signalled, without a call that might run the list. */
static inline void expect_alone(const struct late *late)
{
    const time_t end = time(NULL) + patience_s();
    while (zeEventQueryStatus(late->event) != ZE_RESULT_SUCCESS) {
        assert_true(time(NULL) <= end);
    }
}

static inline void expect_late(const struct late *late)
{
    assert_result(zeEventHostSynchronize(late->event, MOMENT), ZE_RESULT_NOT_READY);
}

#endif
