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

#define CHAIN_MAX 8u

/* Whose handlers ours came over, the oldest first; what a handler reads is not written any more. */
struct chain {
    struct {
        struct sigaction actions[CHAIN_MAX];
        uint32_t count;
    } lists[2];
    _Atomic uint32_t turn;
};

static struct chain chains[SIGNAL_COUNT];
static struct geo_lock claim_lock; /* of who writes them */
static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static _Atomic bool wanted; /* its workers may be older than the first stream */

/* ---- held ranges ---- */

static struct {
    _Atomic uint32_t generation; /* odd: writers wait */
    _Atomic uintptr_t begin, end;
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

/* Hands on what is not ours. A handler that was installed over ours may hand on, too, to us: then
 * it is the turn of the one before. A signal that is handed on comes with the same context, from
 * deeper in the stack. */
__attribute__((noinline)) static void signal_pass(int number, siginfo_t *info, void *context)
{
    static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
        const void *context;
        uintptr_t frame;
        uint32_t again;
    } passing;
    size_t i = 0;
    while (i < SIGNAL_COUNT - 1 && signals[i] != number) {
        i++;
    }
    uint32_t turn = atomic_load(&chains[i].turn), count = chains[i].lists[turn].count;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    bool again = passing.context == context && frame < passing.frame;
    if (!again) {
        passing.context = context;
        passing.frame = frame;
    }
    passing.again = again ? passing.again + 1 : 0;
    uint32_t at = passing.again < count ? count - 1 - passing.again : 0;
    action_call(&chains[i].lists[turn].actions[at], number, info, context);
    if (!again) {
        passing.context = NULL;
    }
}

static void fault_handle(int number, siginfo_t *info, void *context)
{
    if (hold_retry(number, info)) {
        return;
    }
    struct geo_fault_scope *scope = geo_fault_current;
    if (!scope || !atomic_load(&wanted) || info->si_code <= 0) { /* sent by somebody, not a fault */
        signal_pass(number, info, context);
        return;
    }
    scope->signal = number;
    /* the processor does not say which address it was when it is not a canonical one */
    scope->touched = (number == SIGSEGV || number == SIGBUS) && info->si_code != SI_KERNEL;
    scope->address = (uintptr_t)info->si_addr;
    scope->instruction = geo_machine_instruction(context);
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    longjmp(scope->point, 1);
}

/* ---- whose handlers they are ---- */

static bool action_ours(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == fault_handle;
}

/* The one on top is handed on to first; each stands there once. Of too many the oldest stays. */
static void chain_push(struct chain *chain, const struct sigaction *action)
{
    uint32_t turn = atomic_load(&chain->turn), count = 0;
    struct sigaction *to = chain->lists[!turn].actions;
    const struct sigaction *from = chain->lists[turn].actions;
    for (uint32_t i = 0; i < chain->lists[turn].count; i++) {
        if (from[i].sa_sigaction != action->sa_sigaction) {
            to[count++] = from[i];
        }
    }
    if (count == CHAIN_MAX) {
        count--;
        memmove(&to[1], &to[2], (count - 1) * sizeof(*to));
    }
    to[count++] = *action;
    chain->lists[!turn].count = count;
    atomic_store(&chain->turn, !turn);
}

/* Comes over whatever handler there is, unless it is ours. */
static void signal_claim(size_t i)
{
    struct sigaction now, action;
    if (sigaction(signals[i], NULL, &now) != 0 || action_ours(&now)) {
        return;
    }
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = fault_handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGURG); /* limit.c's, which leaves what it comes to */
    geo_lock_acquire(&claim_lock);
    if (sigaction(signals[i], NULL, &now) == 0 && !action_ours(&now)) {
        chain_push(&chains[i], &now);
        sigaction(signals[i], &action, NULL);
    }
    geo_lock_release(&claim_lock);
}

static void signals_claim(void)
{
    for (size_t i = 0; atomic_load(&wanted) && i < SIGNAL_COUNT; i++) {
        signal_claim(i);
    }
}

/* ---- held ranges ---- */

void geo_fault_hold_begin(uintptr_t begin, uintptr_t end)
{
    signal_claim(0); /* SIGSEGV; it stays: who faults may ask for it when all is writable again */
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
    geo_lock_reset(&claim_lock);
    signals_claim();
}

bool geo_fault_catches(void)
{
    return atomic_load(&wanted);
}

static void blocked_of(const sigset_t *mask, sigset_t *ours)
{
    sigemptyset(ours);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        if (sigismember(mask, signals[i]) == 1) {
            sigaddset(ours, signals[i]);
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

/* What somebody has sent and is pending stays where it is. */
void geo_fault_unblock(sigset_t *were)
{
    sigset_t mask, pending;
    sigemptyset(were);
    if (pthread_sigmask(SIG_BLOCK, NULL, &mask) != 0 || sigpending(&pending) != 0) {
        return;
    }
    blocked_of(&mask, were);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        if (sigismember(&pending, signals[i]) == 1) {
            sigdelset(were, signals[i]);
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
        return "it took too long"; /* limit.h says which limit that is */
    case SIGILL:
        return "illegal instruction or trap";
    default:
        return "fault";
    }
}
