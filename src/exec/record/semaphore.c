/* Imports, signals and waits for semaphores of other APIs. See semaphore.h.
 *
 * A stream that waits for a word is parked on it like on an event that other processes share. An
 * eventfd has no word. So the reactor sleeps on the eventfd and counts in `ready` how often it
 * became readable. Every stream parked on `ready` then tries to read; those that come too late park
 * again. */
#include "exec/record/semaphore.h"

#include "base/assert.h"
#include "base/cancel.h"
#include "base/memfd.h"
#include "exec/thread/sync.h"
#include "exec/wait/eventfd.h"
#include "exec/wait/reactor.h"
#include "exec/wait/slot.h"

#include <fcntl.h>
#include <geoid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* An imported semaphore; owned by its driver object. */
struct geo_backend_semaphore {
    struct geo_event_slot ready; /* eventfd: counts how often it became readable */
    struct geo_reactor_fd watch; /* eventfd: its descriptor; -1 for a word */
    struct geo_event_slot *word; /* word: in a mapped page of the file */
};

#define SAME_PLACE(field, slot_field)                                                              \
    _Static_assert(offsetof(geoid_semaphore_t, field) ==                                           \
                       offsetof(struct geo_event_slot, slot_field),                                \
                   "a word is an event slot")
SAME_PLACE(value, value);
SAME_PLACE(sleepers, sleepers);
SAME_PLACE(shared, flags);
_Static_assert(sizeof(geoid_semaphore_t) == sizeof(struct geo_event_slot), "all of one");
_Static_assert(GEO_EVENT_SHARED == 1, "what zeros and ones of `shared` mean");

/* Returns whether a semaphore has one of the two forms. */
static bool semaphore_is_valid(const struct geo_backend_semaphore *semaphore)
{
    return (semaphore->word != NULL) != (semaphore->watch.file.number >= 0);
}

/* ---- importing ---- */

/* Returns whether the system's name for the descriptor's file is `kind`. */
static bool fd_is(int fd, const char *kind)
{
    char path[64], name[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, name, sizeof(name) - 1);
    name[length > 0 ? length : 0] = '\0';
    return strcmp(name, kind) == 0;
}

static void eventfd_readable(struct geo_reactor_fd *watch)
{
    struct geo_backend_semaphore *semaphore =
        (struct geo_backend_semaphore *)((uint8_t *)watch -
                                         offsetof(struct geo_backend_semaphore, watch));
    uint64_t times = atomic_load_explicit(&semaphore->ready.value, memory_order_relaxed);
    geo_slot_raise((struct geo_event_ref){&semaphore->ready, times + 1});
}

static ze_result_t eventfd_import(struct geo_backend_semaphore *semaphore, int fd)
{
    ze_result_t result = geo_eventfd_check(fd);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    semaphore->watch.readable = eventfd_readable;
    semaphore->watch.file = geo_fd_keep(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    return semaphore->watch.file.number >= 0 ? ZE_RESULT_SUCCESS
                                             : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static ze_result_t word_import(struct geo_backend_semaphore *semaphore, int fd)
{
    if (!geo_memfd_holds(fd, 0, sizeof(*semaphore->word))) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    void *page = mmap(NULL, GEO_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        return errno == ENOMEM ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                               : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    geo_slot_expect_peers();
    semaphore->word = page;
    semaphore->word->flags = GEO_EVENT_SHARED;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t any_import(struct geo_backend_semaphore *semaphore,
                              ze_external_semaphore_ext_flag_t kind, int fd)
{
    if (fcntl(fd, F_GETFD) < 0) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (fd_is(fd, "anon_inode:[eventfd]")) {
        return kind == ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD ? eventfd_import(semaphore, fd)
                                                                : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (fd_is(fd, "anon_inode:syncobj_file") || fd_is(fd, "anon_inode:sync_file")) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    return word_import(semaphore, fd);
}

ze_result_t geo_semaphore_import(ze_external_semaphore_ext_flag_t kind, int fd,
                                 struct geo_backend_semaphore **out)
{
    struct geo_backend_semaphore *semaphore =
        aligned_alloc(_Alignof(struct geo_backend_semaphore), sizeof(*semaphore));
    if (!semaphore) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *semaphore = (struct geo_backend_semaphore){.watch = {.file = GEO_FD_NONE}};
    ze_result_t result = any_import(semaphore, kind, fd);
    if (result != ZE_RESULT_SUCCESS) {
        geo_semaphore_release(semaphore);
        return result;
    }
    GEO_ASSERT(semaphore_is_valid(semaphore));
    *out = semaphore;
    return ZE_RESULT_SUCCESS;
}

void geo_semaphore_release(struct geo_backend_semaphore *semaphore)
{
    if (!semaphore) {
        return;
    }
    if (semaphore->watch.file.number >= 0) {
        geo_reactor_forget(&semaphore->watch);
        geo_fd_close(&semaphore->watch.file);
    }
    if (semaphore->word) {
        munmap(semaphore->word, GEO_PAGE_BYTES);
    }
    free(semaphore);
}

/* ---- signals ---- */

/* Raises the word to the value, if it is lower: others may signal it, too. */
static void word_signal(struct geo_event_slot *word, uint64_t value)
{
    uint64_t seen = atomic_load(&word->value);
    while (seen < value && !atomic_compare_exchange_weak(&word->value, &seen, value)) {
    }
    geo_slot_wake(word);
}

static bool point_signal(const struct geo_semaphore_point *point)
{
    GEO_ASSERT(semaphore_is_valid(point->semaphore));
    if (point->semaphore->word) {
        word_signal(point->semaphore->word, point->value);
        return true;
    }
    int fd = geo_fd_get(&point->semaphore->watch.file);
    return fd >= 0 && geo_eventfd_signal(fd);
}

ze_result_t geo_semaphores_signal(const struct geo_command_semaphores *command,
                                  const struct geo_runner *runner)
{
    GEO_CANCEL_HOLD; /* a thread of the program may run the list */
    const struct geo_semaphore_point *points = geo_command_points(command);
    bool done = true;
    for (uint32_t i = 0; i < command->point_count; i++) {
        done = point_signal(&points[i]) && done;
    }
    if (done) {
        return ZE_RESULT_SUCCESS;
    }
    const struct geo_fault fault = {
        .operation = GEO_COMMAND_SIGNAL_SEMAPHORES,
        .reason = "the descriptor of an external semaphore was closed",
    };
    geo_runner_fault(runner, &fault);
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

/* ---- waits ---- */

static enum geo_semaphore_state eventfd_take(struct geo_backend_semaphore *semaphore,
                                             struct geo_event_ref *missing)
{
    GEO_CANCEL_HOLD;
    uint64_t times = atomic_load(&semaphore->ready.value);
    int fd = geo_fd_get(&semaphore->watch.file);
    int reason = fd >= 0 ? geo_eventfd_take(fd) : EBADF;
    if (reason == 0) {
        return GEO_SEMAPHORE_PASSED;
    }
    if (reason != EAGAIN && reason != EINTR) {
        return GEO_SEMAPHORE_GONE;
    }
    geo_reactor_await(&semaphore->watch);
    *missing = (struct geo_event_ref){&semaphore->ready, times + 1};
    return GEO_SEMAPHORE_MISSING;
}

enum geo_semaphore_state geo_semaphore_take(const struct geo_semaphore_point *point,
                                            struct geo_event_ref *missing)
{
    GEO_ASSERT(semaphore_is_valid(point->semaphore));
    if (!point->semaphore->word) {
        return eventfd_take(point->semaphore, missing);
    }
    *missing = (struct geo_event_ref){point->semaphore->word, point->value};
    return geo_command_event_complete(missing) ? GEO_SEMAPHORE_PASSED : GEO_SEMAPHORE_MISSING;
}
