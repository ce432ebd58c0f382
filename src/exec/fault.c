/* The host runtime's signal handlers, for faults of kernels. See fault.h. */
#include "exec/fault.h"

#include "base/option.h"
#include "exec/sync.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

_Thread_local __attribute__((tls_model("initial-exec"))) struct geo_fault_scope *geo_fault_current;

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#define SIGNAL_COUNT (sizeof(signals) / sizeof(signals[0]))

static struct sigaction previous[SIGNAL_COUNT]; /* written before our handler is reachable */
static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static bool wanted;

static uintptr_t instruction_of(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *state = context;
    return (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
#else
    (void)context;
    return 0;
#endif
}

/* ---- held ranges ---- */

static struct {
    _Atomic uint32_t generation; /* odd: writers wait */
    _Atomic uintptr_t begin, end;
    struct sigaction outer[2]; /* the process's handlers, where they are not ours */
    _Atomic uint32_t outer_last;
} hold;

/* Whether the instruction has to be tried again, after the wait if there is one. A signal may
 * arrive here when its range is writable again, so each thread tries once more in each generation;
 * what faults then was not ours. */
static bool hold_retry(int number, const siginfo_t *info)
{
    static _Thread_local __attribute__((tls_model("initial-exec"))) uint32_t seen;
    if (number != SIGSEGV || info->si_code != SEGV_ACCERR) {
        return false;
    }
    int saved = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    uint32_t now = atomic_load(&hold.generation), before = seen;
    if ((now & 1) && address >= atomic_load(&hold.begin) && address < atomic_load(&hold.end)) {
        while (atomic_load(&hold.generation) == now) {
            (void)geo_futex_wait(&hold.generation, now, GEO_WAIT_FOREVER, false);
        }
        before = now++;
    }
    seen = now;
    errno = saved;
    return now != before;
}

/* ---- handlers ---- */

/* As if our handler were not there. */
static void action_call(const struct sigaction *action, int number, siginfo_t *info, void *context)
{
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(number, info, context);
    } else if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        action->sa_handler(number);
    } else {
        signal(number, SIG_DFL); /* the instruction runs again and ends the process */
    }
}

static void previous_call(int number, siginfo_t *info, void *context)
{
    size_t i = 0;
    while (i < SIGNAL_COUNT - 1 && signals[i] != number) {
        i++;
    }
    action_call(&previous[i], number, info, context);
}

static void fault_handle(int number, siginfo_t *info, void *context)
{
    if (hold_retry(number, info)) {
        return;
    }
    struct geo_fault_scope *scope = geo_fault_current;
    if (!scope || info->si_code <= 0) { /* sent by somebody, not a fault */
        previous_call(number, info, context);
        return;
    }
    scope->signal = number;
    /* the processor does not say which address it was when it is not a canonical one */
    scope->touched = (number == SIGSEGV || number == SIGBUS) && info->si_code != SI_KERNEL;
    scope->address = (uintptr_t)info->si_addr;
    scope->instruction = instruction_of(context);
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    longjmp(scope->point, 1);
}

static void hold_handle(int number, siginfo_t *info, void *context)
{
    if (!hold_retry(number, info)) {
        action_call(&hold.outer[atomic_load(&hold.outer_last)], number, info, context);
    }
}

/* It stays: a thread that has faulted may ask for the handler when the range is writable again. */
static void hold_install(const struct sigaction *now)
{
    uint32_t next = !atomic_load(&hold.outer_last);
    struct sigaction action = *now;
    hold.outer[next] = *now;
    atomic_store(&hold.outer_last, next);
    action.sa_sigaction = hold_handle;
    action.sa_flags = (now->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
}

void geo_fault_hold_begin(uintptr_t begin, uintptr_t end)
{
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction != fault_handle &&
        now.sa_sigaction != hold_handle) {
        hold_install(&now);
    }
    atomic_store(&hold.begin, begin);
    atomic_store(&hold.end, end);
    atomic_fetch_add(&hold.generation, 1);
}

void geo_fault_hold_end(void)
{
    atomic_fetch_add(&hold.generation, 1);
    geo_futex_wake(&hold.generation, UINT32_MAX, false);
}

void geo_fault_raise(int number, uintptr_t instruction)
{
    struct geo_fault_scope *scope = geo_fault_current;
    if (!scope) {
        abort();
    }
    scope->signal = number;
    scope->touched = false;
    scope->address = 0;
    scope->instruction = instruction;
    longjmp(scope->point, 1);
}

static void handlers_install(void)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction action, old;
        memset(&action, 0, sizeof(action));
        action.sa_sigaction = fault_handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_sigaction != fault_handle) {
            previous[i] = old;
            sigaction(signals[i], &action, NULL);
        }
    }
}

static void fault_open(void)
{
    wanted = geo_option_flag("GEOID_CATCH_FAULTS");
    if (wanted) {
        handlers_install();
    }
}

void geo_fault_open(void)
{
    pthread_once(&open_once, fault_open);
}

void geo_fault_after_fork(void)
{
    geo_fault_current = NULL;
    if (wanted) {
        handlers_install();
    }
}

void geo_fault_stack(void *stack, bool install)
{
    stack_t alternate = {
        .ss_sp = stack,
        .ss_size = GEO_FAULT_STACK_BYTES,
        .ss_flags = install ? 0 : SS_DISABLE,
    };
    sigaltstack(&alternate, NULL);
}

const char *geo_fault_name(int number)
{
    switch (number) {
    case SIGSEGV:
        return "invalid memory access";
    case SIGBUS:
        return "access beyond the end of memory";
    case SIGFPE:
        return "division by zero or overflow";
    case SIGABRT:
        return "failed assertion";
    case SIGILL:
        return "illegal instruction or trap";
    default:
        return "fault";
    }
}
