/* Eventfds whose other users are not trusted: taken and signalled without ever waiting.
 *
 * The flags of an eventfd (O_NONBLOCK) belong to all who have it: a peer may clear them between
 * our look and our call, and fill the counter, so that a write waits for a reader. Reading has a
 * flag of the call, RWF_NOWAIT. Writing has none: the counter is raised as the kernel's own
 * users raise it, by the completion of an asynchronous operation that names the eventfd. */
#ifndef GEO_EXEC_EVENTFD_H
#define GEO_EXEC_EVENTFD_H

#include <level_zero/ze_api.h>
#include <stdbool.h>

/* Finds out whether an eventfd can be taken and signalled on this system: UNSUPPORTED_FEATURE,
 * OUT_OF_HOST_MEMORY when the system's asynchronous operations have run out. */
ze_result_t geo_eventfd_check(int fd);

/* Takes the counter, or 1 of it (EFD_SEMAPHORE). Returns 0 or errno; EAGAIN: it is 0. */
int geo_eventfd_take(int fd);

/* Adds 1. A counter without room is signalled already and stays. Returns false when the descriptor
 * is no eventfd any more. */
bool geo_eventfd_signal(int fd);

/* In the child after fork: asynchronous operations are the parent's. */
void geo_eventfd_after_fork(void);

#endif
