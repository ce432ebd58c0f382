/* A limit on the work of a child process: seconds of processor time, which nobody else on the
 * machine takes away, and a wall clock far beyond that for what waits for ever. At the end of
 * either the process dies of a signal, which says which of the two it was. */
#ifndef GEOID_TESTS_HARNESS_LIMIT_H
#define GEOID_TESTS_HARNESS_LIMIT_H

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

/* What no busy machine takes as long for. */
enum { LIMIT_STALL_S = 600 };

/* From now on; also across exec. */
static inline void limit_stall(void)
{
    alarm(LIMIT_STALL_S);
}

/* The same, and so many seconds of work; 0: no limit any more. */
static inline void limit_work(unsigned seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(seconds ? LIMIT_STALL_S : 0);
}

/* Which limit a process that died of this signal came to; NULL: none. */
static inline const char *limit_name(int signal)
{
    return signal == SIGPROF ? "too slow" : signal == SIGALRM ? "it hangs" : NULL;
}

#endif
