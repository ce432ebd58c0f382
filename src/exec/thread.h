/* Threads of the host runtime: detached, deaf to the application's signals, with a small stack.
 *
 * They never keep a process from ending. A program may end its main thread by pthread_exit; it then
 * lives until its last other thread ends, and the system counts ours among those. So when the main
 * thread has ended, a thread of ours watches the others and ends the process, as the C library
 * would, when only ours are left. A signal that is pending by then, such as TERM, takes effect. */
#ifndef GEO_EXEC_THREAD_H
#define GEO_EXEC_THREAD_H

#include <stdbool.h>

/* False with errno when the system gives none. */
bool geo_thread_start(void *(*main)(void *), void *argument);

/* In the child after fork: there is one thread, and it is the application's. */
void geo_thread_after_fork(void);

#endif
