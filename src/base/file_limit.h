/* Writing files inside of programs of others. A write beyond the limit on file sizes (RLIMIT_FSIZE)
 * ends the process by SIGXFSZ, one into a pipe that nobody reads by SIGPIPE. Between hold and
 * release both are errors like any other: EFBIG and EPIPE. A write is a cancellation point, too:
 * cancellation is held off as well (cancel.h).
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
    sigset_t before; /* the thread's mask */
    sigset_t taken;  /* signals that are removed at the end: none was pending before */
    int cancel;      /* the thread's cancellation state */
};

/* Blocks the two signals for the calling thread and holds off its cancellation. errno is kept by
 * both functions. */
void geo_file_limit_hold(struct geo_file_limit *limit);
/* Removes the signals that came meanwhile and restores the thread's mask and state. */
void geo_file_limit_release(const struct geo_file_limit *limit);

#endif
