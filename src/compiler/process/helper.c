/* geoid-build LIBRARY: the program that the compiler starts for builds in a process of their own
 * (compiler/facade/child.c). Standard input is the socket; the compiler library serves it.
 *
 * The process ends with the application, which holds the other end of its lifeline, a pipe. It runs
 * in a session of its own, so that signals of the application's terminal do not reach it. */
#include "compiler/facade/service.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Arranges that the kernel kills this process when the other end of the pipe is closed. The system
 * call filter (facade/sandbox.h) permits no call that could undo this. */
static bool lifeline_hold(int lifeline)
{
    struct pollfd state = {.fd = lifeline};
    return fcntl(lifeline, F_SETOWN, getpid()) == 0 && fcntl(lifeline, F_SETSIG, SIGKILL) == 0 &&
           fcntl(lifeline, F_SETFL, O_ASYNC) == 0 && poll(&state, 1, 0) == 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        return 1;
    }
    setsid();
    if (!lifeline_hold(GEO_CHILD_LIFELINE)) {
        fprintf(stderr, "geoid-build: only the compiler can start it\n");
        return 1;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*serve)(int) = library ? (int (*)(int))dlsym(library, "geo_compiler_serve") : NULL;
    if (!serve) {
        fprintf(stderr, "geoid-build: %s\n", dlerror());
        return 1;
    }
    return serve(STDIN_FILENO);
}
