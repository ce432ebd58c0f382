/* Tests of NVIDIA's GPUs bring a libnvidia-ml.so.1 of their own. Cases that need a machine without
 * NVIDIA's driver ask here, and skip. */
#ifndef GEOID_TESTS_HARNESS_NVIDIA_H
#define GEOID_TESTS_HARNESS_NVIDIA_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns whether NVIDIA's driver is installed, and prints a line if it is. A child asks, because
 * libraries of the driver stay loaded. */
static inline bool nvidia_is_installed(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        _exit(dlopen("libcuda.so.1", RTLD_LAZY) ? 0 : 1);
    }
    bool found = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    if (found) {
        printf("skipped: this machine has NVIDIA's driver\n");
    }
    return found;
}

#endif
