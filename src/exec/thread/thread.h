/* Starts the threads of the host runtime: detached, with the application's signals blocked, and
 * with a small stack.
 *
 * These threads never keep a process alive. A program may end its main thread by pthread_exit; the
 * process then lives until its last thread ends, and the system counts our threads, too. So after
 * the main thread has ended, one of our threads watches the others. When only ours are left, it
 * ends the process as the C library would. A signal that is pending by then, such as SIGTERM, takes
 * effect. */
#ifndef GEO_EXEC_THREAD_THREAD_H
#define GEO_EXEC_THREAD_THREAD_H

#include <stdbool.h>

/* Starts a thread. Returns false and sets errno if the system gives none. */
bool geo_exec_thread_start(void *(*main)(void *), void *argument);

/* Resets the bookkeeping in the child after fork, whose only thread belongs to the application. */
void geo_exec_thread_after_fork(void);

#endif
