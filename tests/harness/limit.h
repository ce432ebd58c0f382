/* A limit on the work of a child process: seconds of processor time, which nobody else on the
 * machine takes away, and a wall clock far beyond that for what waits for ever. At the end of
 * either the process dies of a signal. */
#ifndef GEOID_TESTS_HARNESS_LIMIT_H
#define GEOID_TESTS_HARNESS_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>
#include <unistd.h>

enum { LIMIT_STALL_S = 600 };

/* From now on; 0 seconds: no limit any more. */
static inline void limit_work(unsigned seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(seconds ? LIMIT_STALL_S : 0);
}

static inline bool limit_ended(int signal)
{
    return signal == SIGPROF || signal == SIGALRM;
}

#endif
