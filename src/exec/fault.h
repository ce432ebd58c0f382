/* Faults in code that is not ours: a kernel's wild pointer, a copy from nowhere, a division by
 * zero.
 *
 * While such code runs, the thread has a scope. The signal handler jumps back to it, the work
 * counts as failed and its device as lost; the process lives. Faults outside of any scope, and in
 * host functions, belong to the application: they go on to the handler that was there before ours.
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
#ifndef GEO_EXEC_FAULT_H
#define GEO_EXEC_FAULT_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_fault_scope {
    jmp_buf point;
    struct geo_fault_scope *outer;
    int signal;
    bool touched; /* address is what was accessed */
    uintptr_t address, instruction;
};

extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_fault_scope *geo_fault_current;

static inline void geo_fault_enter(struct geo_fault_scope *scope)
{
    scope->outer = geo_fault_current;
    geo_fault_current = scope;
}

static inline void geo_fault_leave(const struct geo_fault_scope *scope)
{
    geo_fault_current = scope->outer;
}

/* True at first, false after a fault. _setjmp: the handler restores the signal mask itself. */
#define GEO_FAULT_TRY(scope) (geo_fault_enter(scope), _setjmp((scope)->point) == 0)

/* Ends the code of the innermost scope as a fault does; aborts where there is none. */
_Noreturn void geo_fault_raise(int signal, uintptr_t instruction);

/* Installs the handlers; again in the child of a fork. */
void geo_fault_open(void);
void geo_fault_after_fork(void);

/* Sees to it that they are still there: an application may install its own at any time, which come
 * behind ours then and get what is not ours. Four system calls. */
void geo_fault_check(void);

/* Whether faults are to be caught at all. */
bool geo_fault_catches(void);

/* Whether the calling thread has signals of ours blocked: a fault ends the process then. Unblocks
 * them and tells which it were; blocks those again. */
bool geo_fault_blocked(void);
void geo_fault_unblock(sigset_t *were);
void geo_fault_block(const sigset_t *were);

/* ---- held ranges ----
 *
 * While memory changes its place (backend/host/move.c) it may be read and not be written: whoever
 * writes to it, in a kernel or in the application's own code, waits in the handler until hold_end
 * and then writes. One range at a time; the caller makes the range read-only after hold_begin and
 * writable again before hold_end. */
void geo_fault_hold_begin(uintptr_t begin, uintptr_t end);
void geo_fault_hold_end(void);

/* A pool thread's stack for the handler, so that running out of stack is a fault like others. */
#define GEO_FAULT_STACK_BYTES (64u << 10)
void geo_fault_stack(void *stack, bool install);

const char *geo_fault_name(int signal);

#endif
