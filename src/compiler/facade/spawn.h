/* Starts a program for which the application never gets a signal or a status.
 *
 * The parent of a program gets SIGCHLD when it ends, however it was started: exec sets the
 * signal anew. So the application must not be the parent. A process without an exit signal stands
 * between the two, the starter:
 *
 *     application ---clone, no exit signal---> starter ---posix_spawn---> program
 *
 * The starter ends at once, and the system gives the program to process 1 or to the nearest
 * process that asked for orphans (PR_SET_CHILD_SUBREAPER). If that is the application itself, the
 * starter stays until the program ends, and waits for it.
 *
 * The starter never runs exec, for the reason above, and shares the application's memory, because
 * copying it costs time. Tools that add up the memory of processes count it twice: another reason
 * not to let it stay everywhere. */
#ifndef GEO_COMPILER_FACADE_SPAWN_H
#define GEO_COMPILER_FACADE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

/* Names a starter that is still running. All members are zero when none is. */
struct geo_starter {
    pid_t pid;
    void *memory; /* its stack */
};

/* Starts the program by `spawn`, which returns 0 and the program's number, or errno, and is called
 * in the starter: it may use the C library, and the calling thread stands still meanwhile. Returns
 * 0, or errno. */
int geo_spawn(struct geo_starter *starter, int (*spawn)(void *data, pid_t *pid), void *data);

/* Releases the starter if it has ended; returns false while it has not. */
bool geo_starter_reap(struct geo_starter *starter);

#endif
