/* Cells of threads, and the signal handler in which they park. See cell.h. */
#include "backend/cpu/debug/cell.h"

#include "backend/cpu/debug/place.h"
#include "base/assert.h"
#include "base/fork.h"
#include "exec/job/limit.h"
#include "exec/record/runner.h"
#include "exec/thread/fault.h"
#include "machine/registers.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct geo_cpu_debug_cell cells[GEO_CPU_DEBUG_CELLS];
static _Atomic uint32_t cells_used;
static _Thread_local __attribute__((tls_model("initial-exec"))) struct geo_cpu_debug_cell *here;
static const char mark; /* its address marks the agent's signals */

static bool (*code_has)(uintptr_t address);
static void (*agent_want)(void);
_Atomic uint32_t geo_cpu_debug_cell_watched;

/* ---- cells ---- */

static bool thread_is_gone(const struct geo_cpu_debug_cell *cell)
{
    return syscall(SYS_tgkill, getpid(), atomic_load(&cell->thread), 0) != 0 && errno == ESRCH;
}

static bool cell_take(struct geo_cpu_debug_cell *cell, uint32_t state)
{
    return atomic_compare_exchange_strong(&cell->state, &state, GEO_CPU_DEBUG_IDLE);
}

/* Takes a free cell, or that of a thread that has ended. Returns NULL if all are taken. */
static struct geo_cpu_debug_cell *cell_find(void)
{
    for (uint32_t i = 0; i < GEO_CPU_DEBUG_CELLS; i++) {
        if (geo_cpu_debug_cell_state(&cells[i]) == GEO_CPU_DEBUG_FREE &&
            cell_take(&cells[i], GEO_CPU_DEBUG_FREE)) {
            uint32_t used = atomic_load(&cells_used);
            while (used < i + 1 && !atomic_compare_exchange_weak(&cells_used, &used, i + 1)) {
            }
            return &cells[i];
        }
    }
    for (uint32_t i = 0; i < GEO_CPU_DEBUG_CELLS; i++) {
        pid_t gone = atomic_load(&cells[i].thread);
        if (geo_cpu_debug_cell_state(&cells[i]) == GEO_CPU_DEBUG_IDLE &&
            thread_is_gone(&cells[i]) &&
            atomic_compare_exchange_strong(&cells[i].thread, &gone, gettid())) {
            return &cells[i];
        }
    }
    return NULL;
}

/* Returns the calling thread's cell, and takes one at the first call. */
static struct geo_cpu_debug_cell *cell_get(void)
{
    struct geo_cpu_debug_cell *cell = here;
    if (cell &&
        atomic_load_explicit(&cell->process, memory_order_relaxed) == geo_fork_generation()) {
        return cell;
    }
    agent_want();
    cell = cell_find();
    if (cell) {
        atomic_store(&cell->thread, gettid());
        atomic_store(&cell->process, geo_fork_generation());
        cell->number = GEO_CPU_DEBUG_NOWHERE;
    }
    here = cell;
    return cell;
}

struct geo_cpu_debug_cell *geo_cpu_debug_cell_list(uint32_t *count)
{
    *count = atomic_load(&cells_used);
    return cells;
}

void geo_cpu_debug_cell_after_fork(void)
{
    here = NULL;
    memset(cells, 0, sizeof(cells));
    atomic_store(&cells_used, 0);
    atomic_store(&geo_cpu_debug_cell_watched, 0);
}

/* ---- ranges of units ---- */

/* Ends the range of a thread, and tells the agent if it waits for that. */
static void cell_leave(struct geo_cpu_debug_cell *cell)
{
    atomic_store(&cell->state, GEO_CPU_DEBUG_IDLE);
    if (atomic_load(&cell->asked)) {
        geo_cpu_debug_state_kick();
    }
}

static void cell_runs(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                      uint64_t first, uint64_t count)
{
    const struct geo_exec_job_desc *desc = job->desc;
    const struct geo_runner *runner = desc->owner;
    if (desc->busy != GEO_BUSY_KERNEL || !desc->whole) {
        return;
    }
    struct geo_cpu_debug_cell *cell = cell_get();
    if (!cell) {
        return;
    }
    cell->scope = geo_fault_current;
    atomic_store_explicit(&cell->executor, runner->executor, memory_order_relaxed);
    cell->whole = desc->whole;
    cell->worker = worker;
    cell->first = first;
    cell->count = count;
    cell->place = worker->seat ? worker->seat->place : -1;
    atomic_store(&cell->state, GEO_CPU_DEBUG_RUNNING);
}

static void cell_ran(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                     uint64_t first, uint64_t count, uint64_t begin)
{
    (void)worker, (void)first, (void)count, (void)begin;
    if (here && job->desc->busy == GEO_BUSY_KERNEL) {
        cell_leave(here);
    }
}

static const struct geo_exec_job_observer observer = {.runs = cell_runs, .ran = cell_ran};

/* ---- the signal handler ---- */

/* Returns whether the thread is in its range. After a fault it may have left without a word. */
static bool cell_is_inside(const struct geo_cpu_debug_cell *cell)
{
    return cell && geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_RUNNING &&
           geo_fault_current == cell->scope;
}

/* Parks the thread until the agent releases it. Returns whether the interrupted code continues. */
static bool cell_park(struct geo_cpu_debug_cell *cell, int number, const siginfo_t *info,
                      ucontext_t *context, bool sent)
{
    const uint32_t turn = atomic_load(&cell->turn);
    cell->context = context;
    cell->signal = number;
    cell->code = info->si_code;
    cell->sent = sent;
    cell->address = number == SIGSEGV || number == SIGBUS ? (uintptr_t)info->si_addr : 0;
    cell->told = false;
    cell->changed = false;
    atomic_store(&cell->state, GEO_CPU_DEBUG_PARKED);
    geo_cpu_debug_state_kick();
    while (atomic_load(&cell->turn) == turn) {
        (void)geo_futex_wait(&cell->turn, turn, GEO_WAIT_FOREVER, false);
    }
    return cell->retry;
}

/* Answers the agent's signal. */
static void asked_handle(struct geo_cpu_debug_cell *cell, const siginfo_t *info,
                         ucontext_t *context)
{
    if (!cell || !atomic_load(&cell->asked)) {
        return;
    }
    if (geo_limit_here.services != 0) {
        atomic_store(&cell->later, true);
    } else if (!cell_is_inside(cell)) {
        cell_leave(cell);
    } else if (code_has(geo_machine_instruction(context))) {
        (void)cell_park(cell, SIGTRAP, info, context, true);
    } else {
        atomic_store(&cell->later, true);
    }
}

/* Handles the trap after one instruction. Code outside of modules is stepped through without a
 * stop. */
static void step_handle(struct geo_cpu_debug_cell *cell, const siginfo_t *info, ucontext_t *context)
{
    if (geo_limit_here.services != 0) {
        return;
    }
    if (!cell_is_inside(cell)) {
        geo_machine_registers_step(context, false);
        atomic_store(&cell->steps, false);
        atomic_store(&cell->lapsed, true);
        cell_leave(cell);
        geo_cpu_debug_state_kick();
    } else if (code_has(geo_machine_instruction(context))) {
        (void)cell_park(cell, SIGTRAP, info, context, false);
    }
}

static bool signal_handle(int number, siginfo_t *info, void *context)
{
    struct geo_cpu_debug_cell *cell = here;
    if (number == SIGTRAP && info->si_code == SI_QUEUE && info->si_value.sival_ptr == &mark &&
        info->si_pid == getpid()) {
        asked_handle(cell, info, context);
        return true;
    }
    if (number == SIGTRAP && info->si_code == TRAP_TRACE && cell && atomic_load(&cell->steps)) {
        step_handle(cell, info, context);
        return true;
    }
    /* si_code <= 0: sent by a process, not a fault */
    if (info->si_code <= 0 || !cell_is_inside(cell) || geo_limit_here.services != 0 ||
        (number != SIGTRAP && atomic_load(&geo_cpu_debug_cell_watched) == 0)) {
        return false;
    }
    return cell_park(cell, number, info, context, false);
}

/* A parked thread's futex calls change errno, which belongs to the interrupted code. */
static bool hook(int number, siginfo_t *info, void *context)
{
    const int saved = errno;
    const bool done = signal_handle(number, info, context);
    errno = saved;
    return done;
}

void geo_cpu_debug_cell_open(bool (*has_code)(uintptr_t address), void (*want_agent)(void))
{
    code_has = has_code;
    agent_want = want_agent;
    geo_fault_hook_by(hook);
    geo_exec_job_observer_add(&observer);
}

/* ---- the agent's side ---- */

void geo_cpu_debug_cell_ask(struct geo_cpu_debug_cell *cell)
{
    siginfo_t info;
    memset(&info, 0, sizeof(info));
    info.si_signo = SIGTRAP;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)&mark;
    atomic_store(&cell->later, false);
    atomic_store(&cell->asked, true);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), atomic_load(&cell->thread), SIGTRAP, &info) != 0) {
        /* too many signals are pending; or the thread has ended, and so has its range */
        if (errno == ESRCH) {
            atomic_store(&cell->state, GEO_CPU_DEBUG_IDLE);
        }
        atomic_store(&cell->later, true);
    }
}

void geo_cpu_debug_cell_release(struct geo_cpu_debug_cell *cell, bool retry)
{
    GEO_ASSERT(geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_PARKED);
    cell->retry = retry;
    atomic_store(&cell->steps, retry && geo_machine_registers_steps(cell->context));
    cell->number = retry ? cell->number : GEO_CPU_DEBUG_NOWHERE;
    atomic_store(&cell->state, retry ? GEO_CPU_DEBUG_RUNNING : GEO_CPU_DEBUG_IDLE);
    atomic_fetch_add(&cell->turn, 1);
    geo_futex_wake(&cell->turn, 1, false);
}
