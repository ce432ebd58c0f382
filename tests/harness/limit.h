/* Limits on a child process. Processor time limits its work, whatever else the machine does. A much
 * longer limit of elapsed time ends waits without end. A process that reaches a limit dies of a
 * signal, which tells the limit. */
#ifndef GEOID_TESTS_HARNESS_LIMIT_H
#define GEOID_TESTS_HARNESS_LIMIT_H

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

/* Longer than any child takes on a busy machine, in seconds. */
enum { LIMIT_STALL_S = 600 };

/* Kills this process with SIGALRM LIMIT_STALL_S seconds from now, also if it calls exec before. */
static inline void limit_stall(void)
{
    alarm(LIMIT_STALL_S);
}

/* Limits the elapsed time, and the processor time to `seconds`. With 0, removes both limits. */
static inline void limit_work(unsigned seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(seconds ? LIMIT_STALL_S : 0);
}

/* Returns the limit that a signal stands for, or NULL for other signals. */
static inline const char *limit_name(int signal)
{
    return signal == SIGPROF ? "too slow" : signal == SIGALRM ? "it hangs" : NULL;
}

#endif
