/* Builds on threads of this process, one thread per build. So stack size, signal mask and float
 * environment of the caller have no influence. See service.h.
 *
 * The caller waits. If the build exceeds its time inside LLVM, which cannot be interrupted, the
 * caller returns and the thread continues in the background with its own data. If a build fails
 * fatally inside LLVM (job.h), its thread blocks there forever. */
#include "compiler/facade/service.h"

#include "base/log.h"
#include "compiler/facade/job.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define GUARD_BYTES ((size_t)1 << 16)

/* A build on a thread. Shared by the caller and the thread; the last of them frees it. */
struct builder {
    struct geo_job job;          /* first member: geo_job_leave passes it to builder_leave */
    _Atomic unsigned references; /* the caller's and the thread's */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done, stopped; /* guarded by the mutex; stopped: the thread never returns from LLVM */
    pthread_t thread;
    _Atomic pid_t tid;
    ucontext_t *back; /* when the job runs on the caller's thread: the context to return to */
};

static _Atomic unsigned builds;

unsigned geo_thread_builds(void)
{
    return atomic_load(&builds);
}

void geo_thread_after_fork(void)
{
    atomic_store(&builds, 0);
}

static void builder_unref(struct builder *builder)
{
    if (atomic_fetch_sub(&builder->references, 1) == 1) {
        geo_answer_finish(&builder->job.answer);
        geo_job_finish(&builder->job);
        pthread_cond_destroy(&builder->changed);
        pthread_mutex_destroy(&builder->mutex);
        free(builder);
    }
}

static void builder_answer(struct builder *builder, bool stopped)
{
    pthread_mutex_lock(&builder->mutex);
    builder->done = true;
    builder->stopped = stopped;
    pthread_cond_signal(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
}

/* Answers for a job that cannot return. LLVM's locks and objects stay in the thread's
 * possession. */
static void builder_leave(struct geo_job *job)
{
    struct builder *builder = (struct builder *)job;
    if (builder->back) {
        builder->stopped = true;
        setcontext(builder->back);
    }
    builder_answer(builder, true);
    for (;;) {
        pause();
    }
}

static void *builder_main(void *argument)
{
    struct builder *builder = argument;
    atomic_store(&builder->tid, gettid());
    fesetenv(FE_DFL_ENV); /* a new thread inherits its creator's */
    geo_job_run(&builder->job);
    builder_answer(builder, false);
    builder_unref(builder);
    return NULL;
}

/* Starts the thread of a build. It blocks all signals but those of faults, so that application
 * signals go to application threads. */
static int thread_start(struct builder *builder)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    pthread_attr_t attributes;
    sigset_t mask, before;
    int failed = pthread_attr_init(&attributes);
    if (failed) {
        return failed;
    }
    sigfillset(&mask);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        sigdelset(&mask, faults[i]);
    }
    pthread_attr_setstacksize(&attributes, GEO_JOB_STACK_BYTES);
    pthread_attr_setguardsize(&attributes, GUARD_BYTES);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    failed = pthread_create(&builder->thread, &attributes, builder_main, builder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

static uint64_t clock_seconds(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec;
}

/* Returns whether the build has exceeded its time by at least a second: it should have noticed by
 * itself. The mutex is held, and `done` is false. */
static bool builder_is_late(const struct builder *builder, uint64_t start)
{
    uint64_t seconds = builder->job.order->seconds;
    clockid_t clock;
    if (seconds == 0 || pthread_getcpuclockid(builder->thread, &clock) != 0) {
        return false;
    }
    return clock_seconds(clock) > seconds ||
           clock_seconds(CLOCK_MONOTONIC) - start > seconds * GEO_JOB_WALL_FACTOR;
}

/* Waits for the answer. Returns false if the build is late. */
static bool builder_wait(struct builder *builder)
{
    struct timespec next;
    uint64_t start = clock_seconds(CLOCK_MONOTONIC);
    bool late = false;
    pthread_mutex_lock(&builder->mutex);
    while (!builder->done && !late) {
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec++;
        int result =
            pthread_cond_clockwait(&builder->changed, &builder->mutex, CLOCK_MONOTONIC, &next);
        late = result == ETIMEDOUT && !builder->done && builder_is_late(builder, start);
    }
    pthread_mutex_unlock(&builder->mutex);
    return !late;
}

/* Returns whether elapsed time, rather than processor time, made the build late. */
static bool builder_is_late_by_clock(const struct builder *builder)
{
    clockid_t clock;
    return pthread_getcpuclockid(builder->thread, &clock) != 0 ||
           clock_seconds(clock) <= builder->job.order->seconds;
}

/* Answers for a build that is late. Its thread continues at idle priority and frees its data at its
 * end. */
static void builder_abandon(struct builder *builder, struct geo_answer *answer)
{
    struct geo_strbuf log;
    size_t length;
    sched_setscheduler(atomic_load(&builder->tid), SCHED_IDLE, &(struct sched_param){0});
    geo_strbuf_init(&log, 0);
    log.shown = true;
    geo_job_explain_end(&builder->job, builder_is_late_by_clock(builder), &log);
    *answer = (struct geo_answer){.result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
                                  .log = geo_strbuf_take(&log, &length)};
}

static void builder_main_here(unsigned low, unsigned high)
{
    struct builder *builder = (struct builder *)((uintptr_t)high << 32 | low);
    geo_job_run(&builder->job);
}

/* Runs the job without a thread: on the caller's, on a new stack of the same size. */
static void builder_run_here(struct builder *builder, int reason)
{
    ucontext_t back, there;
    void *stack = mmap(NULL, GEO_JOB_STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&there) != 0) {
        builder->job.answer = (struct geo_answer){
            .result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
            .log = strdup("error: no memory for the stack of the build\n"),
        };
    } else {
        uintptr_t place = (uintptr_t)builder;
        geo_strbuf_printf(&builder->job.log, "note: no thread for the build: %s\n",
                          strerror(reason));
        mprotect(stack, GUARD_BYTES, PROT_NONE);
        builder->back = &back;
        there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = GEO_JOB_STACK_BYTES};
        there.uc_link = &back;
        makecontext(&there, (void (*)(void))builder_main_here, 2, (unsigned)place,
                    (unsigned)(place >> 32));
        swapcontext(&back, &there);
    }
    if (stack != MAP_FAILED && !builder->stopped) {
        munmap(stack, GEO_JOB_STACK_BYTES);
    }
    builder->done = true;
    builder_unref(builder);
}

static struct builder *builder_create(struct geo_order *order)
{
    struct builder *builder = calloc(1, sizeof(*builder));
    if (builder) {
        geo_job_init(&builder->job, order, builder_leave);
        atomic_store(&builder->references, 2);
        pthread_mutex_init(&builder->mutex, NULL);
        pthread_cond_init(&builder->changed, NULL);
    }
    return builder;
}

bool geo_thread_build(struct geo_order *order, struct geo_answer *answer)
{
    struct builder *builder = builder_create(order);
    *answer = (struct geo_answer){.result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY};
    if (!builder) {
        return true;
    }
    atomic_fetch_add(&builds, 1);
    int failed = thread_start(builder);
    if (failed) {
        builder_run_here(builder, failed);
    }
    bool whole = builder_wait(builder);
    if (whole) {
        *answer = builder->job.answer;
        builder->job.answer = (struct geo_answer){0};
        whole = !builder->stopped;
        atomic_fetch_sub(&builds, 1);
    } else {
        builder_abandon(builder, answer);
    }
    if (!failed) { /* a completed thread is joined, so that nothing remains of it */
        whole ? pthread_join(builder->thread, NULL) : pthread_detach(builder->thread);
    }
    builder_unref(builder);
    return whole;
}
