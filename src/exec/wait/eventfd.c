/* Takes and signals eventfds of other processes. See eventfd.h. */
#include "exec/wait/eventfd.h"

#include "exec/thread/sync.h"

#include <linux/aio_abi.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/uio.h>

#define COLLECTED 64

/* The context of asynchronous operations of the process, made when the first eventfd is imported.
 * The kernel gives it more places than there are CPUs, whatever number is requested. */
static _Atomic aio_context_t context;
static struct geo_lock context_lock;

/* Returns the context, made if needed; 0 with errno set if the system gives none. */
static aio_context_t context_get(void)
{
    aio_context_t made = atomic_load_explicit(&context, memory_order_acquire);
    if (made == 0) {
        geo_lock_acquire(&context_lock);
        made = atomic_load_explicit(&context, memory_order_relaxed);
        if (made == 0 && syscall(SYS_io_setup, 1, &made) == 0) {
            atomic_store_explicit(&context, made, memory_order_release);
        }
        geo_lock_release(&context_lock);
    }
    return made;
}

void geo_eventfd_after_fork(void)
{
    atomic_store(&context, 0);
    geo_lock_reset(&context_lock);
}

static int read_at_once(int fd, void *buffer, size_t bytes)
{
    const struct iovec piece = {.iov_base = buffer, .iov_len = bytes};
    return preadv2(fd, &piece, 1, -1, RWF_NOWAIT) >= 0 ? 0 : errno;
}

ze_result_t geo_eventfd_check(int fd)
{
    uint32_t half; /* too short for a read to succeed: EINVAL says that RWF_NOWAIT is supported */
    if (read_at_once(fd, &half, sizeof(half)) != EINVAL) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (context_get() != 0) {
        return ZE_RESULT_SUCCESS;
    }
    return errno == EAGAIN || errno == ENOMEM ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                              : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

int geo_eventfd_take(int fd)
{
    uint64_t taken;
    return read_at_once(fd, &taken, sizeof(taken));
}

/* Submits an operation on the eventfd that completes at once: a poll for a condition that always
 * holds, because a counter can always be read or written. Its completion raises the counter.
 * Returns 0 or errno. */
static int completion_submit(aio_context_t from, int fd)
{
    struct iocb poll_any = {
        .aio_lio_opcode = IOCB_CMD_POLL,
        .aio_fildes = (uint32_t)fd,
        .aio_buf = POLLIN | POLLOUT | POLLERR,
        .aio_flags = IOCB_FLAG_RESFD,
        .aio_resfd = (uint32_t)fd,
    };
    struct iocb *list[] = {&poll_any};
    return syscall(SYS_io_submit, from, 1, list) == 1 ? 0 : errno;
}

/* Frees the places of completed operations, also those of other threads. */
static void completions_collect(aio_context_t from)
{
    struct io_event events[COLLECTED];
    (void)syscall(SYS_io_getevents, from, 0, COLLECTED, events, NULL);
}

bool geo_eventfd_signal(int fd)
{
    const aio_context_t through = context_get();
    struct pollfd look = {.fd = fd, .events = POLLOUT};
    int problem = EINVAL;
    if (poll(&look, 1, 0) == 0) {
        return true;
    }
    while (through != 0 && (problem = completion_submit(through, fd)) == EAGAIN) {
        completions_collect(through); /* all places are in use */
        sched_yield();
    }
    return problem == 0;
}
