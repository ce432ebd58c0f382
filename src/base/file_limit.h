/* Writing files inside of programs of others. A write beyond the limit on file sizes (RLIMIT_FSIZE)
 * ends the process by SIGXFSZ; between hold and release it is an error like any other: EFBIG.
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
    bool pending;    /* somebody else's signal waited already: it stays */
};

/* For the calling thread. errno is kept by both. */
void geo_file_limit_hold(struct geo_file_limit *limit);
void geo_file_limit_release(const struct geo_file_limit *limit);

#endif
