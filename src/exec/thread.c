/* See thread.h. Faults stay deliverable: a kernel's belong to the thread that runs it. */
#include "exec/thread.h"

#include "exec/caller.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#define STACK_BYTES (2u << 20)
#define GUARD_BYTES (256u << 10) /* compiled kernels do not touch every page of a large frame */

_Static_assert(STACK_BYTES >= 2 * GEO_CALLER_STACK_BYTES, "room for compiled code");

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

bool geo_thread_start(void *(*main)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        errno = ENOMEM;
        return false;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES + GUARD_BYTES);
    pthread_attr_setguardsize(&attributes, GUARD_BYTES);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        sigdelset(&all, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, &attributes, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    errno = failed;
    return failed == 0;
}
