/* Blocks the signals of failed writes and discards them before the signal mask is restored. See
 * file_limit.h. */
#include "base/file_limit.h"

#include "base/cancel.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const int signals[] = {SIGXFSZ, SIGPIPE};

void geo_file_limit_hold(struct geo_file_limit *limit)
{
    int reason = errno;
    sigset_t set, pending;
    limit->cancel = geo_cancel_hold();
    sigemptyset(&set);
    sigemptyset(&pending);
    sigemptyset(&limit->taken);
    sigpending(&pending);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        sigaddset(&set, signals[i]);
        if (sigismember(&pending, signals[i]) != 1) {
            sigaddset(&limit->taken, signals[i]);
        }
    }
    pthread_sigmask(SIG_BLOCK, &set, &limit->before);
    errno = reason;
}

void geo_file_limit_release(const struct geo_file_limit *limit)
{
    int reason = errno;
    const struct timespec now = {0}; /* a zero timeout, so that the call cannot be interrupted */
    while (sigtimedwait(&limit->taken, NULL, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
    geo_cancel_restore(limit->cancel);
    errno = reason;
}
