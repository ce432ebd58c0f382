/* Runs and stops. See run.h.
 *
 *   zetDebugReadEvent -> event_handle(): modules, threads     (every wait)
 *   a thread stops -> stop_all() -> judge(): does the user want to know?
 *                                     yes -> result
 *                                     no  -> resume_all(), with a step over the breakpoint
 *
 * A thread is stepped over a breakpoint while all others stand still: they would miss it. */
#include "run.h"

#include "chunk.h"
#include "error.h"
#include "expression.h"
#include "gate.h"
#include "memory.h"
#include "process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define POLL_MS         100 /* between looks at Ctrl-C and at the process */
#define STOP_WAIT_POLLS 100 /* for the end of an interrupt */

static volatile sig_atomic_t stop_requested;

void run_request_stop(void)
{
    stop_requested = 1;
}

void run_request_clear(void)
{
    stop_requested = 0;
}

/* ---- events ---- */

enum wake {
    WAKE_EVENT,
    WAKE_NOTHING, /* for some time */
    WAKE_END,     /* of the process */
};

static bool is_all(ze_device_thread_t id)
{
    return id.slice == UINT32_MAX && id.subslice == UINT32_MAX && id.eu == UINT32_MAX &&
           id.thread == UINT32_MAX;
}

static void thread_stopped(struct thread *thread)
{
    uint64_t reason = 0, address = 0;
    thread->stopped = thread->fresh = true;
    thread->general_known = thread->passed = thread->gone = false;
    (void)thread_register(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_STOP_REASON, &reason);
    (void)thread_register(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_STOP_ADDRESS, &address);
    thread->reason = reason;
    thread->fault_address = address;
}

static void module_loaded(struct session *session, const zet_debug_event_t *event)
{
    struct module *module = debuggee_module_load(session, &event->info.module);
    if (!module) {
        fprintf(stderr, "zedbg: a module cannot be read: %s\n", error_text());
    } else if (!breakpoints_place(module) || !gates_add(module)) {
        fprintf(stderr, "zedbg: a breakpoint cannot be placed in module %d: %s\n", module->number,
                error_text());
    }
}

static void module_unloaded(const zet_debug_event_t *event)
{
    for (const struct module *at = debuggee.modules; at; at = at->next) {
        if (at->begin == event->info.module.moduleBegin) {
            breakpoints_displace(at);
            gates_forget(at);
        }
    }
    debuggee_module_unload(&event->info.module);
}

/* Handles an event. Returns whether it ends an interrupt of all threads. */
static bool event_handle(struct session *session, const zet_debug_event_t *event)
{
    bool end_of_interrupt = false;
    struct thread *thread;
    switch (event->type) {
    case ZET_DEBUG_EVENT_TYPE_MODULE_LOAD:
        module_loaded(session, event);
        break;
    case ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD:
        module_unloaded(event);
        break;
    case ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED:
    case ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE:
        thread = session_thread(session, event->info.thread.thread);
        end_of_interrupt = is_all(event->info.thread.thread);
        if (thread && event->type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) {
            thread_stopped(thread);
        } else if (thread) {
            thread->stopped = false;
            thread->gone = true;
        }
        break;
    case ZET_DEBUG_EVENT_TYPE_DETACHED:
        session_end(session);
        break;
    default: /* entry and exit of the process; a page fault, which the thread's stop tells */
        break;
    }
    if (session->handle && !session_acknowledge(session, event)) {
        fprintf(stderr, "zedbg: %s\n", error_text());
    }
    return end_of_interrupt;
}

static size_t sessions_open(void)
{
    size_t open = 0;
    for (size_t i = 0; i < debuggee.session_count; i++) {
        open += debuggee.sessions[i].handle != NULL;
    }
    return open;
}

/* Waits for the next event of any session and handles it. */
static enum wake event_wait(bool *end_of_interrupt)
{
    const size_t open = sessions_open();
    if (open == 0) {
        return WAKE_END;
    }
    for (size_t i = 0; i < debuggee.session_count; i++) {
        struct session *session = &debuggee.sessions[i];
        zet_debug_event_t event;
        bool lost = false;
        if (!session->handle) {
            continue;
        }
        if (session_event(session, POLL_MS / open, &event, &lost)) {
            *end_of_interrupt |= event_handle(session, &event);
            return sessions_open() ? WAKE_EVENT : WAKE_END;
        }
        if (lost) {
            session_end(session);
        }
    }
    return sessions_open() ? WAKE_NOTHING : WAKE_END;
}

static struct run_result ended(void)
{
    struct run_result result = {.reason = RUN_EXITED, .end = "has ended"};
    int status;
    if (debuggee.owned && process_ended(debuggee.pid, true, &status)) {
        result.end = process_end_text(status);
    }
    breakpoints_forget();
    gates_forget(NULL);
    debuggee_forget();
    return result;
}

/* ---- stopping ---- */

/* Stops all threads: those in kernels now, others at the beginning of a kernel. Returns false if
 * the process has ended. */
static bool stop_all(void)
{
    if (!gates_close()) {
        fprintf(stderr, "zedbg: threads may start kernels: %s\n", error_text());
    }
    for (size_t i = 0; i < debuggee.session_count; i++) {
        struct session *session = &debuggee.sessions[i];
        bool end = false;
        if (!session->handle || !session_interrupt(session)) {
            continue; /* nothing runs there */
        }
        for (int polls = 0; !end && polls < STOP_WAIT_POLLS;) {
            const enum wake wake = event_wait(&end);
            if (wake == WAKE_END) {
                return false;
            }
            polls += wake == WAKE_NOTHING;
        }
    }
    return true;
}

static struct thread *thread_with(bool (*is)(const struct thread *thread))
{
    struct thread *thread = debuggee_next(NULL);
    while (thread && !(thread->stopped && is(thread))) {
        thread = debuggee_next(thread);
    }
    return thread;
}

static bool is_news(const struct thread *thread)
{
    return thread->fresh && thread->reason != GEOID_STOP_INTERRUPT;
}

static bool is_any(const struct thread *thread)
{
    (void)thread;
    return true;
}

/* ---- breakpoints ---- */

/* Finds the first active lane for which a condition holds. Returns false if it holds for no lane. A
 * condition that cannot be evaluated stops, too. */
static bool condition_holds(struct thread *thread, const char *condition, struct run_result *result)
{
    struct frame *frames;
    struct chunk chunk;
    const size_t count = frames_make(&thread->reader, &frames);
    if (count == 0) {
        result->trouble = scratch_format("%s", error_text());
        return true;
    }
    const bool known = chunk_read(frames, count, 0, &chunk);
    for (uint64_t lane = 0; lane < (known ? chunk.lanes : 1); lane++) {
        const struct place place = {frames, known ? &chunk : NULL, lane};
        bool holds = false;
        if (known && chunk_state(&chunk, lane) == LANE_OFF) {
            continue;
        }
        if (!expression_condition(&place, condition, &holds)) {
            result->trouble = scratch_format("%s", error_text());
            return true;
        }
        if (holds) {
            result->lane_chosen = known;
            result->lane = lane;
            return true;
        }
    }
    return false;
}

/* Returns whether one of the breakpoints at a thread's address stops it. */
static bool breakpoint_stops(struct thread *thread, struct run_result *result)
{
    struct breakpoint *breakpoint = NULL;
    if (!thread_general(thread)) {
        return false;
    }
    const uint64_t pc = thread->general[MACHINE_PC];
    while ((breakpoint = breakpoint_at(pc, breakpoint))) {
        if (!breakpoint->condition || condition_holds(thread, breakpoint->condition, result)) {
            breakpoint->hits++;
            result->reason = RUN_BREAKPOINT;
            result->breakpoint = breakpoint;
            return true;
        }
    }
    return false;
}

/* Returns whether the instruction at which a thread stopped stops by itself: it is not a breakpoint
 * of ours, nor one that was deleted meanwhile. */
static bool is_trap(struct thread *thread)
{
    uint8_t code[sizeof(machine_break)];
    const uint64_t pc = thread_general(thread) ? thread->general[MACHINE_PC] : 0;
    return !debuggee_change(pc) && debuggee_read(thread, pc, code, sizeof(code)) &&
           memcmp(code, machine_break, sizeof(code)) == 0;
}

/* Decides whether the stop of a thread is one for the user. */
static bool judge(struct thread *thread, struct run_result *result)
{
    *result = (struct run_result){.thread = thread};
    thread->fresh = false;
    switch (thread->reason) {
    case GEOID_STOP_BREAKPOINT:
        thread->passed = true;
        if (breakpoint_stops(thread, result)) {
            return true;
        }
        result->reason = RUN_TRAP;
        return is_trap(thread);
    case GEOID_STOP_FAULT:
        result->reason = RUN_FAULT;
        return true;
    case GEOID_STOP_STEP:
        result->reason = RUN_STEP;
        return true;
    default:
        result->reason = RUN_INTERRUPT;
        return true;
    }
}

/* ---- one thread ---- */

/* Waits until a thread stops or leaves its kernel. Returns false if the process has ended. A
 * request to stop is passed on. */
static bool thread_wait(struct thread *thread)
{
    bool end = false;
    while (!thread->stopped && !thread->gone) {
        if (event_wait(&end) == WAKE_END) {
            return false;
        }
        if (stop_requested) {
            stop_requested = 0;
            (void)session_interrupt(thread->session);
        }
    }
    return true;
}

/* Returns the result of a call that failed: the process may have ended. */
static struct run_result failure(void)
{
    const char *why = scratch_format("%s", error_text());
    enum wake wake;
    bool end = false;
    do {
        wake = event_wait(&end);
    } while (wake == WAKE_EVENT);
    if (wake == WAKE_END) {
        return ended();
    }
    error_set("%s", why);
    return (struct run_result){.reason = RUN_FAILED};
}

/* Sets the flag that stops after one instruction, and resumes. */
static bool step_begin(struct thread *thread)
{
    uint64_t flags = 0;
    if (!thread_register(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS, &flags)) {
        return false;
    }
    flags |= GEOID_STATUS_FLAGS_STEP;
    return thread_register_set(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS, &flags) &&
           thread_resume(thread);
}

/* Runs one instruction, also where code stops. Returns how it went on: RUN_STEP, or what happened
 * instead. `thread` of the result is NULL if the thread has left its kernel. */
static struct run_result instruction(struct thread *thread)
{
    struct run_result result;
    if (!thread_general(thread)) {
        return failure();
    }
    const uint64_t pc = thread->general[MACHINE_PC];
    const struct code_change *change = debuggee_change(pc);
    if ((change && !debuggee_change_off(change)) || !step_begin(thread)) {
        return failure();
    }
    if (!thread_wait(thread)) {
        return ended();
    }
    change = debuggee_change(pc); /* its module may have been unloaded */
    if (change && !debuggee_change_on(change)) {
        return failure();
    }
    if (!thread->stopped) {
        return (struct run_result){.reason = RUN_STEP};
    }
    (void)judge(thread, &result);
    return result;
}

struct run_result run_instruction(struct thread *thread)
{
    struct run_result result = instruction(thread);
    if (result.reason == RUN_STEP && result.thread) {
        struct run_result hit = {.thread = thread};
        thread->passed = true;
        if (thread_general(thread) && debuggee_change(thread->general[MACHINE_PC]) &&
            breakpoint_stops(thread, &hit)) {
            return hit;
        }
    }
    return result;
}

static struct run_result thread_run_until(struct thread *thread, const uint64_t *addresses,
                                          size_t count, uint64_t sp)
{
    for (;;) {
        struct run_result result;
        if (!thread_general(thread)) {
            return failure();
        }
        if (debuggee_change(thread->general[MACHINE_PC])) {
            result = instruction(thread);
            if (result.reason != RUN_STEP || !result.thread) {
                return result;
            }
        }
        if (!thread_resume(thread)) {
            return failure();
        }
        if (!thread_wait(thread)) {
            return ended();
        }
        if (!thread->stopped) {
            return (struct run_result){.reason = RUN_STEP};
        }
        if (judge(thread, &result) || !thread_general(thread)) {
            return result;
        }
        for (size_t i = 0; i < count; i++) {
            if (thread->general[MACHINE_PC] == addresses[i] && thread->general[MACHINE_SP] >= sp) {
                return (struct run_result){.reason = RUN_STEP, .thread = thread};
            }
        }
    }
}

struct run_result run_until(struct thread *thread, const uint64_t *addresses, size_t count,
                            uint64_t sp)
{
    size_t set = 0;
    bool good = true;
    while (set < count && good) {
        good = debuggee_code_stop(addresses[set]);
        set += good;
    }
    const struct run_result result =
        good ? thread_run_until(thread, addresses, count, sp) : failure();
    for (size_t i = 0; i < set && result.reason != RUN_EXITED; i++) {
        (void)debuggee_code_restore(addresses[i]);
    }
    return result;
}

/* ---- all threads ---- */

/* Looks at stops of threads that are news. Returns whether one is for the user. */
static bool news_find(struct run_result *result)
{
    struct thread *thread;
    while ((thread = thread_with(is_news))) {
        if (judge(thread, result)) {
            return true;
        }
    }
    return false;
}

/* Resumes all threads, those at a breakpoint behind it. Before, all are stopped. Returns false if
 * something happened that `result` tells. */
static bool resume_all(struct run_result *result)
{
    for (struct thread *thread = debuggee_next(NULL); thread; thread = debuggee_next(thread)) {
        if (!thread->stopped || !thread->passed) {
            continue;
        }
        if (!thread_general(thread)) {
            *result = failure();
            return false;
        }
        if (breakpoint_at(thread->general[MACHINE_PC], NULL)) {
            *result = instruction(thread);
            if (result->reason != RUN_STEP) {
                return false;
            }
        }
    }
    if (!gates_open()) {
        *result = failure();
        return false;
    }
    for (struct thread *thread = debuggee_next(NULL); thread; thread = debuggee_next(thread)) {
        if (thread->stopped && !thread_resume(thread)) {
            *result = failure();
            return false;
        }
    }
    return true;
}

/* Stops all threads because the user asked for it. */
static struct run_result interrupt(void)
{
    struct run_result result;
    stop_requested = 0;
    if (!stop_all()) {
        return ended();
    }
    if (news_find(&result)) {
        return result;
    }
    struct thread *thread = thread_with(is_any);
    return (struct run_result){.reason = thread ? RUN_INTERRUPT : RUN_IDLE, .thread = thread};
}

struct run_result run_continue(void)
{
    struct run_result result;
    for (;;) {
        if (news_find(&result) || !resume_all(&result)) {
            return result;
        }
        while (!thread_with(is_news)) {
            bool end = false;
            if (event_wait(&end) == WAKE_END) {
                return ended();
            }
            if (stop_requested) {
                return interrupt();
            }
        }
        if (!stop_all()) {
            return ended();
        }
    }
}

struct run_result run_stop(void)
{
    return interrupt();
}

/* ---- processes ---- */

bool run_start(char *const *program)
{
    pid_t pid;
    ze_result_t result;
    int status;
    stop_requested = 0;
    if (!process_start(program, &pid)) {
        return false;
    }
    if (!debuggee_devices()) {
        process_kill(pid);
        return false;
    }
    while (!debuggee_attach(pid, true, &result)) {
        if (process_ended(pid, false, &status)) {
            return error_set("the program %s and ran nothing on a device that can be debugged",
                             process_end_text(status));
        }
        if (result != ZE_RESULT_ERROR_NOT_AVAILABLE || stop_requested) {
            process_kill(pid);
            return stop_requested ? error_set("the program was ended before it used a device")
                                  : false;
        }
    }
    return true;
}

bool run_attach(pid_t pid)
{
    ze_result_t result;
    if (!process_exists(pid)) {
        return error_set("process %d does not exist", (int)pid);
    }
    if (!debuggee_devices()) {
        return false;
    }
    if (debuggee_attach(pid, false, &result)) {
        return true;
    }
    if (result == ZE_RESULT_ERROR_NOT_AVAILABLE) {
        return error_set("process %d cannot be debugged: it must be started with "
                         "ZET_ENABLE_PROGRAM_DEBUGGING=1 and use a device of Geoid, and no other "
                         "debugger may be attached",
                         (int)pid);
    }
    if (result == ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS) {
        return error_set("process %d belongs to another user", (int)pid);
    }
    return false;
}

bool run_detach(void)
{
    bool good = breakpoints_remove();
    good &= gates_open();
    process_release();
    debuggee_forget();
    return good;
}

void run_kill(void)
{
    if (debuggee.owned) {
        process_kill(debuggee.pid);
        (void)ended();
    } else if (debuggee.pid) {
        (void)run_detach();
    }
}
