/* The process that runs programs, and the one that watches it. See watch.h. */
#include "watch.h"

#include "generate.h"
#include "rules.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct program program;
static struct model model;
static struct contents contents;

static bool settled_run(struct device *device)
{
    program_settle(&program, &model);
    contents_compute(&contents, &program, &model);
    return program_run(device, &program, &model, &contents);
}

static _Noreturn void seeds_run(const struct options *options, struct report *report, uint64_t end)
{
    struct device device;
    device_open(&device, options->driver, report);
    device.starve = options->starve;
    for (; report->seed < end; report->seed += options->step) {
        program_generate(&program, report->seed, device.executes);
        if (settled_run(&device)) {
            exit(EXIT_LOST);
        }
    }
    exit(0);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static enum ending status_ending(int status)
{
    if (!WIFEXITED(status)) {
        return ENDED_CRASHED;
    }
    switch (WEXITSTATUS(status)) {
    case 0:
        return ENDED_WELL;
    case EXIT_LOST:
        return ENDED_LOST;
    case EXIT_WRONG:
        return ENDED_WRONG;
    case EXIT_SETUP:
        return ENDED_SETUP;
    default:
        return ENDED_CRASHED; /* a sanitizer */
    }
}

/* Until the child ends, or does not move for so long. */
static enum ending child_watch(pid_t child, struct report *report, uint32_t patience_s)
{
    uint32_t moves = atomic_load(&report->moves);
    double since = now_s();
    for (;;) {
        int status;
        if (waitpid(child, &status, WNOHANG) == child) {
            return status_ending(status);
        }
        if (atomic_load(&report->moves) != moves) {
            moves = atomic_load(&report->moves);
            since = now_s();
        } else if (now_s() - since > patience_s) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return ENDED_HUNG;
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static void report_clear(struct report *report)
{
    atomic_store(&report->wrong, 0);
    report->message[0] = '\0';
    for (int i = 0; i < THREADS_MAX; i++) {
        atomic_store(&report->at[i], 0);
    }
}

enum ending watch_seeds(const struct options *options, struct report *report, uint64_t end)
{
    report_clear(report);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        seeds_run(options, report, end);
    }
    return child < 0 ? ENDED_SETUP : child_watch(child, report, options->patience_s);
}

enum ending watch_program(const struct options *options, struct report *report,
                          const struct program *given, uint32_t times, uint32_t patience_s)
{
    report_clear(report);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct device device;
        device_open(&device, options->driver, report);
        device.starve = options->starve;
        for (uint32_t i = 0; i < times; i++) {
            program = *given;
            if (settled_run(&device)) {
                exit(EXIT_LOST);
            }
        }
        exit(0);
    }
    return child < 0 ? ENDED_SETUP : child_watch(child, report, patience_s);
}
