/* Starts a program whose end the application never notices, by signal or status.
 *
 * A program's parent gets SIGCHLD when it ends, whatever was passed to clone: exec resets the exit
 * signal. So the application must not be the parent. Between the two is the starter, a process
 * without an exit signal:
 *
 *     application ---clone, no exit signal---> starter ---posix_spawn---> program
 *
 * The starter ends at once, and the kernel makes process 1 the program's parent, or the nearest
 * process that adopts orphans (PR_SET_CHILD_SUBREAPER). If that is the application itself, the
 * starter stays, waits for the program and ends with it.
 *
 * The starter never calls exec, for the reason above. It shares the application's memory, because
 * copying would be slow. Tools that add up the memory of processes count that memory twice, so it
 * stays only where needed. */
#ifndef GEO_COMPILER_FACADE_SPAWN_H
#define GEO_COMPILER_FACADE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

/* A starter that is still running. All members are zero if no starter has to be freed. */
struct geo_starter {
    pid_t pid;
    void *memory; /* its stack */
};

/* Starts a program by calling `spawn` in the starter. `spawn` may use the C library, as the calling
 * thread waits meanwhile. It returns 0 and sets *pid, or returns an errno value. Returns 0 or an
 * errno value. */
int geo_spawn(struct geo_starter *starter, int (*spawn)(void *data, pid_t *pid), void *data);

/* Frees the starter if it has ended. Returns false while it is running. */
bool geo_starter_reap(struct geo_starter *starter);

#endif
