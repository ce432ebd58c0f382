/* Threads of the host runtime: detached, deaf to the application's signals, with a small stack.
 * They never keep a process from ending. */
#ifndef GEO_EXEC_THREAD_H
#define GEO_EXEC_THREAD_H

#include <stdbool.h>

/* False with errno when the system gives none. */
bool geo_thread_start(void *(*main)(void *), void *argument);

#endif
