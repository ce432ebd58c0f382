/* Takes and signals eventfds whose other users are not trusted, without ever blocking.
 *
 * The flags of an eventfd (O_NONBLOCK) are shared by all its users. A peer may clear them between
 * our check and our call, and fill the counter, so that a write blocks until somebody reads. Reads
 * have a flag of their own for this, RWF_NOWAIT. Writes have none, so the counter is raised by the
 * kernel: by the completion of an asynchronous operation that names the eventfd. */
#ifndef GEO_EXEC_WAIT_EVENTFD_H
#define GEO_EXEC_WAIT_EVENTFD_H

#include <level_zero/ze_api.h>
#include <stdbool.h>

/* Checks whether this system can take and signal an eventfd that way. Returns UNSUPPORTED_FEATURE
 * if it cannot, OUT_OF_HOST_MEMORY if the system has no asynchronous operations left. */
ze_result_t geo_eventfd_check(int fd);

/* Takes the whole counter, or 1 of it (EFD_SEMAPHORE). Returns 0 or errno; EAGAIN: the counter is
 * 0. */
int geo_eventfd_take(int fd);

/* Adds 1. A full counter counts as signalled and is left alone. Returns false if the descriptor is
 * not an eventfd any more. */
bool geo_eventfd_signal(int fd);

/* Forgets the context of asynchronous operations in the child after fork: it belongs to the parent.
 */
void geo_eventfd_after_fork(void);

#endif
