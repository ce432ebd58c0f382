/* The child's side of builds in child processes: receives orders over a socket and sends the
 * answers. See service.h.
 *
 * Orders are built one after the other on one thread with a large stack. A build that cannot return
 * (LLVM failed, a crash, a limit) sends its answer from that point, and the process ends. */
#include "compiler/facade/service.h"

#include "base/assert.h"
#include "base/option.h"
#include "compiler/codegen/codegen.h"
#include "compiler/facade/job.h"
#include "compiler/facade/sandbox.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define ALT_STACK_BYTES 65536u

static int answer_socket;
static bool memory_bounded;
static _Atomic bool answering; /* an answer is being sent and must not be interrupted */

static void answer_send(const struct geo_answer *answer)
{
    struct geo_message message = {0};
    atomic_store(&answering, true);
    if (!geo_answer_write(answer, &message) || !geo_message_send(answer_socket, &message, NULL)) {
        _exit(1);
    }
    free(message.bytes);
    atomic_store(&answering, false);
}

static void job_leave(struct geo_job *job)
{
    job->answer.last = true;
    answer_send(&job->answer);
    _exit(0);
}

/* ---- builds that end by a signal ---- */

/* Sends an answer that consists of a result and a log. It allocates no memory: signal handlers call
 * it. */
static void text_send(const char *text, ze_result_t result, bool gave_up)
{
    static struct {
        uint64_t bytes, result, gave_up, last, length;
        char text[512 + 8];
    } message;
    size_t length = strlen(text) + 1, padded = (length + 7) & ~(size_t)7;
    message.result = (uint64_t)result;
    message.gave_up = gave_up;
    message.last = true;
    message.length = length;
    memcpy(message.text, text, length);
    /* the last word is the object's length, 0 */
    message.bytes = 4 * sizeof(uint64_t) + padded + sizeof(uint64_t);
    ssize_t sent = write(answer_socket, &message, sizeof(uint64_t) + message.bytes);
    (void)sent;
}

static void signal_handle(int number)
{
    const struct geo_job *job = geo_job_current;
    char text[512];
    if (atomic_load(&answering) && number == SIGPROF) {
        return; /* the build is complete */
    }
    const char *stage = job ? job->budget.stage : "no build";
    const char *function = job ? job->budget.function : "";
    if (number == SIGPROF) {
        snprintf(text, sizeof(text),
                 "error: the build was stopped in %s (%s): " GEO_JOB_TOO_LONG "\n", stage, function,
                 job ? (unsigned long long)job->order->seconds : 0);
    } else {
        snprintf(text, sizeof(text), "note: the compiler crashed in %s (%s): signal %d\n", stage,
                 function, number);
    }
    text_send(text, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, number != SIGPROF);
    _exit(0);
}

/* Sends the message of a failed assertion, because standard error of this process leads nowhere.
 * Another effort would hide a fault of Geoid, so none is asked for. */
static void assertion_report(const char *message)
{
    char text[512];
    if (!atomic_load(&answering)) {
        snprintf(text, sizeof(text), "error: internal: %s\n", message);
        text_send(text, ZE_RESULT_ERROR_UNKNOWN, false);
    }
}

static void signals_handle(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF};
    const stack_t stack = {.ss_sp = malloc(ALT_STACK_BYTES), .ss_size = ALT_STACK_BYTES};
    struct sigaction action = {.sa_handler = signal_handle, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        sigaction(numbers[i], &action, NULL);
    }
    sigset_t time;
    sigemptyset(&time);
    sigaddset(&time, SIGPROF);
    pthread_sigmask(SIG_UNBLOCK, &time, NULL);
}

static void timer_set(uint64_t seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = (time_t)(seconds ? seconds + 1 : 0)}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* ---- orders ---- */

static void order_serve(struct geo_order *order)
{
    struct geo_job job;
    geo_job_init(&job, order, job_leave);
    job.bounded = memory_bounded && order->memory_bytes;
    timer_set(order->seconds);
    geo_job_run(&job);
    timer_set(0);
    answer_send(&job.answer);
    geo_answer_finish(&job.answer);
    geo_job_finish(&job);
}

/* Prepares the process. LLVM reads what it needs from the system first; then the limits are set. */
static void prepare(void)
{
    struct geo_codegen_target *target;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    if (geo_codegen_target_create(NULL, &target, &log) == ZE_RESULT_SUCCESS) {
        geo_codegen_target_destroy(target);
    }
    geo_strbuf_finish(&log);
    signals_handle();
    geo_assert_on_failure(assertion_report);
    memory_bounded = geo_sandbox_limit(geo_order_memory_limit());
    if (!geo_option_string("GEOID_DUMP")) {
        geo_sandbox_close();
    }
}

static void *serve_main(void *unused)
{
    struct geo_message message = {0};
    prepare();
    /* an empty message means "ready" */
    bool more = geo_message_send(answer_socket, &message, NULL);
    while (more && geo_message_receive(answer_socket, &message, NULL)) {
        struct geo_order *order = geo_order_read(&message);
        more = order != NULL;
        if (order) {
            order_serve(order);
        }
        geo_order_unref(order);
    }
    _exit(0);
    return unused;
}

__attribute__((visibility("default"))) int geo_compiler_serve(int socket)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t time;
    answer_socket = socket;
    sigemptyset(&time);
    sigaddset(&time, SIGPROF); /* only the thread that builds handles it */
    pthread_sigmask(SIG_BLOCK, &time, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, GEO_JOB_STACK_BYTES);
    if (pthread_create(&thread, &attributes, serve_main, NULL) != 0) {
        return 1;
    }
    pthread_join(thread, NULL);
    return 0;
}
