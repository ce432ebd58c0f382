/* SIGXFSZ is blocked, and taken before it is let through again. See file_limit.h. */
#include "base/file_limit.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static sigset_t only_it(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void geo_file_limit_hold(struct geo_file_limit *limit)
{
    int reason = errno;
    sigset_t set = only_it(), pending;
    sigemptyset(&pending);
    sigpending(&pending);
    limit->pending = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &limit->before);
    errno = reason;
}

void geo_file_limit_release(const struct geo_file_limit *limit)
{
    int reason = errno;
    sigset_t set = only_it();
    const struct timespec now = {0};
    if (!limit->pending) {
        (void)sigtimedwait(&set, NULL, &now); /* with no time to wait nothing interrupts it */
    }
    pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
    errno = reason;
}
