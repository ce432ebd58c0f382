/* Lets the kernels run until something stops them. All threads stop together, and continue
 * together. */
#ifndef ZEDBG_RUN_H
#define ZEDBG_RUN_H

#include "breakpoint.h"
#include "debuggee.h"

enum run_reason {
    RUN_BREAKPOINT,
    RUN_STEP,
    RUN_INTERRUPT,
    RUN_FAULT,
    RUN_TRAP,   /* a breakpoint instruction that is not zedbg's */
    RUN_EXITED, /* the process has ended */
    RUN_IDLE,   /* it was interrupted, and no kernel was running */
    RUN_FAILED, /* with an error */
};

struct run_result {
    enum run_reason reason;
    struct thread *thread;         /* that stopped; NULL for the last three */
    struct breakpoint *breakpoint; /* RUN_BREAKPOINT */
    bool lane_chosen;              /* by the condition of the breakpoint: */
    uint64_t lane;
    const char *trouble; /* the condition could not be evaluated; NULL: it could */
    const char *end;     /* RUN_EXITED: how, in scratch memory */
};

/* Starts a program and attaches to it. Its kernels do not run yet. */
bool run_start(char *const *program);
/* Attaches to a process. */
bool run_attach(pid_t pid);
/* Ends the sessions; the process continues. */
bool run_detach(void);
/* Ends the process that zedbg started, or detaches from another. */
void run_kill(void);

/* Continues until something stops. */
struct run_result run_continue(void);
/* Stops all threads, as Ctrl-C does. */
struct run_result run_stop(void);
/* Lets one thread run until an address at a stack pointer of at least `sp`, or until something else
 * stops it. The others stay stopped. RUN_STEP: it has come there. */
struct run_result run_until(struct thread *thread, const uint64_t *addresses, size_t count,
                            uint64_t sp);
/* Runs one instruction of a thread. RUN_STEP: it has run; also RUN_BREAKPOINT if one is where it
 * comes to. */
struct run_result run_instruction(struct thread *thread);

/* Set by a signal handler: the user wants the kernels to stop. */
void run_request_stop(void);
/* Forgets such a request. */
void run_request_clear(void);

#endif
