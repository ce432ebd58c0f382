/* Starts programs of which the application is not the parent. See spawn.h. */
#include "compiler/facade/spawn.h"

#include "machine/machine.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The thread sanitizer intercepts clone() and treats it as fork. It does not intercept __clone. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
int __clone(int (*main)(void *), void *stack, int flags, void *data, ...);
#define clone  __clone
#define SILENT __attribute__((disable_sanitizer_instrumentation))
#endif
#endif
#ifndef SILENT
#define SILENT
#endif

#define STARTER_BYTES ((size_t)256 << 10) /* enough: posix_spawn allocates its own stack */
#define FDS_MAX       65536u              /* bound of the loop if the kernel lacks close_range */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* State shared with the starter, at the start of its memory. It stays mapped until the starter
 * ends: the kernel then clears `running`. */
struct start {
    uint32_t running; /* a futex; 0: the caller continues */
    bool stays;
    int failed;
    int (*spawn)(void *data, pid_t *pid);
    void *data;
};

/* ---- the starter ----
 *
 * It runs on the calling thread's thread-local storage. While that thread waits, it may use the C
 * library. After that it makes raw system calls only, which leave errno alone. */

#define ALONE __attribute__((no_sanitize("thread", "address", "undefined")))

/* Closes all descriptors of the starter. They were copied at its start, and would keep files open
 * that the application closes, above all the lifeline of the program. */
ALONE static void files_close(void)
{
    if (geo_machine_call(SYS_close_range, 0, UINT_MAX, 0, 0) != 0) {
        for (long fd = 0; fd < (long)FDS_MAX; fd++) {
            geo_machine_call(SYS_close, fd, 0, 0, 0);
        }
    }
}

/* Lets the caller continue, waits for the program and exits with its status, as a shell does: 128
 * plus the number of a signal. */
ALONE static _Noreturn void program_await(uint32_t *running, pid_t pid)
{
    int status = 0;
    files_close();
    __atomic_store_n(running, 0, __ATOMIC_SEQ_CST);
    geo_machine_call(SYS_futex, (long)(uintptr_t)running, FUTEX_WAKE, 1, 0);
    while (geo_machine_call(SYS_wait4, pid, (long)(uintptr_t)&status, 0, 0) == -EINTR) {
    }
    for (;;) {
        geo_machine_call(SYS_exit_group,
                         WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), 0, 0,
                         0);
    }
}

/* Is not instrumented: it runs on the sanitizer's state of the waiting thread. */
SILENT static int starter_main(void *data)
{
    struct start *start = data;
    pid_t pid = 0;
    start->failed = start->spawn(start->data, &pid);
    if (start->failed == 0 && start->stays) {
        setsid(); /* leaves the process group of the application and its signals */
        program_await(&start->running, pid);
    }
    return 0;
}

/* ---- the application ---- */

/* Returns whether this process becomes the parent of orphaned grandchildren. */
static bool gets_orphans(void)
{
    int asked = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &asked, 0, 0, 0) == 0 && asked != 0);
}

SILENT static void start_await(struct start *start)
{
    uint32_t running;
    while ((running = __atomic_load_n(&start->running, __ATOMIC_SEQ_CST)) != 0) {
        syscall(SYS_futex, &start->running, FUTEX_WAIT, running, NULL, NULL, 0);
    }
}

static pid_t starter_wait(pid_t pid, int flags)
{
    pid_t ended;
    do {
        ended = waitpid(pid, NULL, flags | __WALL);
    } while (ended < 0 && errno == EINTR);
    return ended;
}

static void starter_release(struct geo_starter *starter)
{
    munmap(starter->memory, STARTER_BYTES);
    *starter = (struct geo_starter){0};
}

static int starter_run(struct geo_starter *starter, struct start *start)
{
    sigset_t all, were;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &were); /* so that the starter runs no signal handler */
    starter->pid = clone(starter_main, (uint8_t *)starter->memory + STARTER_BYTES,
                         CLONE_VM | CLONE_CHILD_CLEARTID, start, NULL, NULL, &start->running);
    int failed = starter->pid < 0 ? errno : 0;
    if (failed == 0) {
        start_await(start);
        failed = start->failed;
    }
    pthread_sigmask(SIG_SETMASK, &were, NULL);
    return failed;
}

int geo_spawn(struct geo_starter *starter, int (*spawn)(void *data, pid_t *pid), void *data)
{
    *starter = (struct geo_starter){0};
    void *memory = mmap(NULL, STARTER_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) {
        return ENOMEM;
    }
    struct start *start = memory;
    *start = (struct start){
        .running = 1, .stays = gets_orphans(), .failed = ECHILD, .spawn = spawn, .data = data};
    starter->memory = memory;
    int failed = starter_run(starter, start);
    if (failed != 0 || !start->stays) {
        if (starter->pid > 0) {
            (void)starter_wait(starter->pid, 0);
        }
        starter_release(starter);
    }
    return failed;
}

bool geo_starter_reap(struct geo_starter *starter)
{
    if (starter->pid == 0) {
        return true;
    }
    if (starter_wait(starter->pid, WNOHANG) == 0) {
        return false;
    }
    starter_release(starter);
    return true;
}
