/* The signal handlers that catch faults of kernels. See fault.h. */
#include "exec/thread/fault.h"

#include "base/assert.h"
#include "base/option.h"
#include "exec/thread/claim.h"
#include "exec/thread/near_null.h"
#include "exec/thread/sync.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

_Thread_local __attribute__((tls_model("initial-exec"))) struct geo_fault_scope *geo_fault_current;

static void fault_handle(int number, siginfo_t *info, void *context);

/* SIGURG is blocked in the handler: limit.c's handler would otherwise leave the code that the fault
 * handler interrupted. */
#define FAULT(signal) {.number = signal, .blocked = SIGURG, .handle = fault_handle}

static struct geo_claim claims[] = {FAULT(SIGSEGV), FAULT(SIGBUS), FAULT(SIGFPE), FAULT(SIGILL),
                                    FAULT(SIGTRAP)};
#define SIGNAL_COUNT (sizeof(claims) / sizeof(claims[0]))

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static _Atomic bool wanted; /* set when the first stream is created; workers may be older */
static _Atomic(geo_fault_hook_fn *) hook; /* the debugger's; NULL: none */

/* Returns the number of claimed signals: SIGTRAP, the last one, belongs to the hook. */
static size_t signal_count(void)
{
    return atomic_load_explicit(&hook, memory_order_relaxed) ? SIGNAL_COUNT : SIGNAL_COUNT - 1;
}

/* ---- held ranges ---- */

static struct {
    _Atomic uint32_t generation; /* odd while writers wait */
    _Atomic uintptr_t begin, end;
} hold;

/* Waits if the fault is a write to a held range. Returns whether the instruction has to be retried.
 * A fault may arrive here after its range became writable again. So each thread retries once in
 * each generation; a second fault is not caused by a hold. */
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

static struct geo_claim *claim_of(int number)
{
    size_t i = 0;
    while (i < SIGNAL_COUNT - 1 && claims[i].number != number) {
        i++;
    }
    GEO_ASSERT(claims[i].number == number);
    return &claims[i];
}

static void fault_handle(int number, siginfo_t *info, void *context)
{
    if (hold_retry(number, info) || geo_near_null_retry(number, info)) {
        return;
    }
    geo_fault_hook_fn *hooked = atomic_load(&hook);
    if (hooked && hooked(number, info, context)) {
        return;
    }
    struct geo_fault_scope *scope = geo_fault_current;
    /* si_code <= 0: sent by a process, not a fault */
    if (!scope || !atomic_load(&wanted) || info->si_code <= 0 || number == SIGTRAP) {
        geo_claim_pass(claim_of(number), info, context);
        return;
    }
    scope->signal = number;
    /* for a non-canonical address the processor does not report which one it was */
    scope->touched = (number == SIGSEGV || number == SIGBUS) && info->si_code != SI_KERNEL;
    scope->address = geo_near_null_meant((uintptr_t)info->si_addr);
    scope->instruction = geo_machine_instruction(context);
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    longjmp(scope->point, 1);
}

static void signals_claim(void)
{
    const bool any = atomic_load(&wanted) || atomic_load(&hook);
    for (size_t i = 0; any && i < signal_count(); i++) {
        (void)geo_claim_install(&claims[i]);
    }
}

void geo_fault_hook_by(geo_fault_hook_fn *function)
{
    GEO_ASSERT(function);
    atomic_store(&hook, function);
    signals_claim();
}

/* ---- held ranges ---- */

void geo_fault_hold_begin(uintptr_t begin, uintptr_t end)
{
    /* Claims SIGSEGV. The claim stays: a thread that faulted may reach the handler after the
     * hold. */
    (void)geo_claim_install(&claims[0]);
    GEO_ASSERT(begin < end && !(atomic_load(&hold.generation) & 1));
    atomic_store(&hold.begin, begin);
    atomic_store(&hold.end, end);
    atomic_fetch_add(&hold.generation, 1);
}

void geo_fault_hold_end(void)
{
    GEO_ASSERT(atomic_load(&hold.generation) & 1);
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

static void fault_open(void)
{
    atomic_store(&wanted, geo_option_flag("GEOID_CATCH_FAULTS"));
}

void geo_fault_open(void)
{
    pthread_once(&open_once, fault_open);
    signals_claim();
}

void geo_fault_check(void)
{
    signals_claim();
}

void geo_fault_after_fork(void)
{
    geo_fault_current = NULL;
    geo_claims_after_fork();
    signals_claim();
}

bool geo_fault_catches(void)
{
    return atomic_load(&wanted);
}

static void blocked_of(const sigset_t *mask, sigset_t *ours)
{
    sigemptyset(ours);
    for (size_t i = 0; i < signal_count(); i++) {
        if (sigismember(mask, claims[i].number) == 1) {
            sigaddset(ours, claims[i].number);
        }
    }
}

bool geo_fault_blocked(void)
{
    sigset_t mask, ours;
    if (pthread_sigmask(SIG_BLOCK, NULL, &mask) != 0) {
        return false;
    }
    blocked_of(&mask, &ours);
    return !sigisemptyset(&ours);
}

/* Signals that were sent and are pending stay blocked, so that they are not delivered here. */
void geo_fault_unblock(sigset_t *were)
{
    sigset_t mask, pending;
    sigemptyset(were);
    if (pthread_sigmask(SIG_BLOCK, NULL, &mask) != 0 || sigpending(&pending) != 0) {
        return;
    }
    blocked_of(&mask, were);
    for (size_t i = 0; i < signal_count(); i++) {
        if (sigismember(&pending, claims[i].number) == 1) {
            sigdelset(were, claims[i].number);
        }
    }
    pthread_sigmask(SIG_UNBLOCK, were, NULL);
}

void geo_fault_block(const sigset_t *were)
{
    pthread_sigmask(SIG_BLOCK, were, NULL);
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
    case SIGURG:
        return "it took too long"; /* limit.h tells which limit */
    case SIGILL:
        return "illegal instruction or trap";
    default:
        return "fault";
    }
}
