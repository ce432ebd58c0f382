/* The program that is debugged, if zedbg started it. */
#ifndef ZEDBG_PROCESS_H
#define ZEDBG_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts a program that waits in zeInit for a debugger. It shares the standard streams. Ctrl-C on
 * the terminal does not reach it. */
bool process_start(char *const *program, pid_t *pid);
/* Returns whether a program that was started has ended. `status` is waitpid's. */
bool process_ended(pid_t pid, bool wait, int *status);
/* Returns how it ended as text in scratch memory: "exited with code 3", "was killed by signal 9". */
const char *process_end_text(int status);
/* Kills it and waits for its end. */
void process_kill(pid_t pid);
/* Keeps it alive when zedbg ends: it is not debugged any more. */
void process_release(void);
/* Kills the program that runs, if any. Signal handlers may call this. */
void process_abandon(void);
/* Returns whether a process exists. */
bool process_exists(pid_t pid);

#endif
