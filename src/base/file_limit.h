/* Writing files inside the program's process. A write beyond RLIMIT_FSIZE raises SIGXFSZ, and a
 * write into a pipe without a reader raises SIGPIPE: both end the process. Between hold and release
 * the write fails with EFBIG or EPIPE instead. A write is also a cancellation point, so
 * cancellation is disabled as well (cancel.h).
 *
 *     struct geo_file_limit limit;
 *     geo_file_limit_hold(&limit);
 *     written = write(fd, text, length);
 *     geo_file_limit_release(&limit);
 */
#ifndef GEO_BASE_FILE_LIMIT_H
#define GEO_BASE_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct geo_file_limit {
    sigset_t before; /* the thread's signal mask before the hold */
    sigset_t taken;  /* signals to discard on release: they were not pending before */
    int cancel;      /* the thread's cancellation state before the hold */
};

/* Blocks SIGXFSZ and SIGPIPE for the calling thread and disables its cancellation. Both functions
 * preserve errno. */
void geo_file_limit_hold(struct geo_file_limit *limit);
/* Discards the signals that were raised since the hold, then restores the signal mask and the
 * cancellation state. */
void geo_file_limit_release(const struct geo_file_limit *limit);

#endif
