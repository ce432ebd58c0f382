/* Catches faults in code that is not ours: a wild pointer in a kernel, a copy from unmapped memory,
 * a division by zero.
 *
 * The thread has a scope while such code runs. The signal handler jumps back to the scope; the work
 * counts as failed and its device as lost, and the process lives on. Faults outside a scope and in
 * host functions belong to the application and are passed to the handler that was installed before
 * ours.
 *
 *     struct geo_fault_scope scope;
 *     if (GEO_FAULT_TRY(&scope)) {
 *         run the code
 *     } else {
 *         scope.signal, scope.address, scope.instruction say what happened
 *     }
 *     geo_fault_leave(&scope);
 *
 * GEOID_CATCH_FAULTS=0 leaves all faults to the application and the debugger. */
#ifndef GEO_EXEC_THREAD_FAULT_H
#define GEO_EXEC_THREAD_FAULT_H

#include "base/assert.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A region of code of a thread whose faults are caught; on the stack of that thread. */
struct geo_fault_scope {
    jmp_buf point;
    struct geo_fault_scope *outer;
    int signal;
    bool touched; /* `address` is the address that was accessed */
    uintptr_t address, instruction;
};

extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_fault_scope *geo_fault_current;

/* Enter and leave a scope. Use GEO_FAULT_TRY to enter. */
static inline void geo_fault_enter(struct geo_fault_scope *scope)
{
    GEO_ASSERT(geo_fault_current != scope);
    scope->outer = geo_fault_current;
    geo_fault_current = scope;
}

static inline void geo_fault_leave(const struct geo_fault_scope *scope)
{
    /* NULL: a handler of the application has forked meanwhile, and this is the child */
    GEO_ASSERT(geo_fault_current == scope || !geo_fault_current);
    geo_fault_current = scope->outer;
}

/* Enters the scope. True at first, false after a fault. It uses _setjmp because the handler
 * restores the signal mask itself. */
#define GEO_FAULT_TRY(scope) (geo_fault_enter(scope), _setjmp((scope)->point) == 0)

/* Leaves the innermost scope as a fault does. Aborts outside a scope. */
_Noreturn void geo_fault_raise(int signal, uintptr_t instruction);

/* Install the handlers: in the process, and again in the child after fork. */
void geo_fault_open(void);
void geo_fault_after_fork(void);

/* Makes sure that our handlers are still on top: the application may have installed its own, which
 * then get the faults that are not ours. Costs four system calls. */
void geo_fault_check(void);

/* Returns whether faults are to be caught at all. */
bool geo_fault_catches(void);

/* ---- the debugger's hook ---- */

/* Called in the handler of a fault signal before anything else happens to it. Returns true if the
 * interrupted code continues. */
typedef bool geo_fault_hook_fn(int number, siginfo_t *info, void *context);

/* Installs the hook for the rest of the process's life. SIGTRAP counts as a fault signal from then
 * on: breakpoints, steps, and the signals of the debugger. Without a hook this file leaves it
 * alone. A SIGTRAP that the hook refuses is passed on. */
void geo_fault_hook_by(geo_fault_hook_fn *hook);

/* Returns whether the calling thread has any of our signals blocked, so that a fault would end the
 * process. Then geo_fault_unblock unblocks these and returns them in `were`. geo_fault_block blocks
 * them again. */
bool geo_fault_blocked(void);
void geo_fault_unblock(sigset_t *were);
void geo_fault_block(const sigset_t *were);

/* ---- held ranges ----
 *
 * Memory that is being moved (backend/host/move.c) may be read but not written. A thread that
 * writes to it, in a kernel or in the application's own code, waits in the signal handler until
 * hold_end, and then writes. Only one range is held at a time. The caller makes the range read-only
 * after hold_begin and writable again before hold_end. */
void geo_fault_hold_begin(uintptr_t begin, uintptr_t end);
void geo_fault_hold_end(void);

/* Installs or removes the calling thread's alternate stack for signal handlers, so that a stack
 * overflow is caught like other faults. */
#define GEO_FAULT_STACK_BYTES (64u << 10)
void geo_fault_stack(void *stack, bool install);

/* Returns the description of a fault signal for messages. */
const char *geo_fault_name(int signal);

#endif
