/* The table of environment options of all libraries, and its readers. See option.h. */
#include "base/option.h"

#include "base/file_limit.h"
#include "base/note.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct geo_option options[] = {
    {"GEOID_DEBUG", NULL, "base",
     "help: print this table to standard error and go on; cache: at exit, what came of look-ups"},
    {"GEOID_LOG", NULL, "base", "log level, or a comma list of component=level"},
    {"GEOID_LOG_FILE", NULL, "base", "file the log is appended to; default: standard error"},
    {"GEOID_DRIVER_PATH", NULL, "loader",
     "colon list of manifests of drivers and of folders with some; default: level_zero/drivers.d "
     "in $XDG_CONFIG_HOME or ~/.config, and in /etc"},
    {"GEOID_DRIVER_INIT_TIMEOUT", "0", "loader",
     "milliseconds that the initialisation of a driver may take before the driver is left out; "
     "0: for ever, and in the thread of the caller"},
    {"GEOID_DEVICES", NULL, "driver",
     "devices to make of the machine: 2: two; 2x4: two with four tiles each; default: one, its "
     "tiles by memory nodes or last-level caches"},
    {"GEOID_DEVICE_TYPE", "gpu", "driver", "type the CPU device reports: gpu or cpu"},
    {"GEOID_DEVICE_IP_VERSION", "0x03000000", "driver",
     "device IP version; oneMKL wants one it knows"},
    {"GEOID_DEVICE_VENDOR_ID", "0", "driver",
     "PCI vendor that the CPU device reports; oneDNN and OIDN want Intel's, 0x8086; 0: the "
     "processor's"},
    {"GEOID_SIMULATED", NULL, "driver",
     "file that describes devices to simulate, for sysman (docs/user/simulated.md)"},
    {"GEOID_SIMULATED_ONLY", "0", "driver",
     "1: simulated devices are the only ones, and the core API lists them, too"},
    {"GEOID_COMPILER", NULL, "driver",
     "path of libgeoid_compiler.so.1; default: beside the driver"},
    {"GEOID_NVIDIA", "on", "cuda",
     "off: NVIDIA's GPUs are not listed by sysman, NVML is not opened"},
    {"GEOID_THREADS", "0", "cpu", "worker threads; 0: by affinity mask and cgroup quota"},
    {"GEOID_SPIN_US", "50", "cpu", "microseconds that a wait spins before it sleeps"},
    {"GEOID_CATCH_FAULTS", "1", "cpu",
     "1: a fault in a kernel or copy loses the device; 0: it ends the process"},
    {"GEOID_EXACT_FAULTS", "0", "cpu",
     "1: work-groups run one by one, so that a fault tells in which it was"},
    {"GEOID_GROUP_ORDER", "0", "cpu",
     "order of work-groups, which no result may depend on: 1: from the last; above: at random, "
     "each number in its own way"},
    {"GEOID_KERNEL_TIMEOUT", "0", "cpu",
     "seconds that a work-group may run before it is stopped and loses the device; 0: for ever"},
    {"GEOID_ASSERT", "abort", "cpu",
     "a failed assert of a kernel: abort: ends the process; report: loses the device"},
    {"GEOID_TIMELINE", NULL, "cpu",
     "file for which thread ran which work-groups when, written at exit (scripts/timeline)"},
    {"GEOID_PERF", "0", "cpu", "1: write the functions of loaded kernels to /tmp/perf-PID.map"},
    {"GEOID_LANES", "0", "compiler",
     "work-items per vector: 1, 4, 8, 16 or 32; 0: by kernel and CPU"},
    {"GEOID_TILE", "0", "compiler",
     "vectors of work-items computed together where that is possible: 1, 2, 4, 8 or 16; 0: by "
     "kernel"},
    {"GEOID_CPU", NULL, "compiler",
     "level that code is for: x86-64, x86-64-v2, -v3, -v4, -v4-vnni, -v4-fp16, or aarch64 in a "
     "library that makes code for it, too; default: this machine's"},
    {"GEOID_BUILD", NULL, "compiler",
     "where modules are built: thread: in this process; process: in a child; default: in this one, "
     "in a child once a build has ended badly"},
    {"GEOID_BUILD_TIME", "60", "compiler",
     "seconds of processor time that a build may take; 0: no limit"},
    {"GEOID_BUILD_MEMORY", "4096", "compiler", "MiB that a build may take; 0: no limit"},
    {"GEOID_BUILD_CODE", "256", "compiler", "MiB of code that a build may make; 0: no limit"},
    {"GEOID_CACHE_DIR", NULL, "cache",
     "folder for what was built; default: geoid in $XDG_CACHE_HOME or ~/.cache"},
    {"GEOID_CACHE_SIZE", "1024", "cache",
     "MiB that what was built may take; 0 or off: nothing is kept or looked up"},
    {"GEOID_VALIDATION", NULL, "validation",
     "comma list of the validation layer's checks, or all; each has a switch of its own, too"},
    {"GEOID_ENABLE_COMMANDS_CHECKER", "0", "validation",
     "1: lists in use, commands that depend on each other without a barrier or event"},
    {"GEOID_VALIDATION_FORMAT", "text", "validation", "text, or json: one object a line"},
    {"GEOID_VALIDATION_FILE", NULL, "validation",
     "file that messages are appended to; default: standard error"},
    {"GEOID_VALIDATION_HIDE", NULL, "validation", "comma list of messages that are not told"},
    {"GEOID_VALIDATION_ABORT", NULL, "validation",
     "comma list of messages that end the process; all: every error"},
    {"GEOID_VALIDATION_REFUSE", "1", "validation",
     "0: calls that are wrong are told of and reach the driver all the same"},
    {"GEOID_VALIDATION_SYSTEM_MEMORY", "1", "validation",
     "0: as on a device that does not see memory that is no allocation, whatever this one sees"},
    {"GEOID_VALIDATION_STACKS", "0", "validation",
     "1: messages show the stack of the call that made the object"},
    {"GEOID_DUMP", NULL, "compiler", "folder for intermediate forms of every module built"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

const struct geo_option *geo_option_table(size_t *count)
{
    *count = OPTION_COUNT;
    return options;
}

const char *geo_environment(const char *name)
{
    return secure_getenv(name);
}

static pthread_once_t help_once = PTHREAD_ONCE_INIT;

/* Each of our libraries in a process has this table: one of them prints it. */
static void help_print(void)
{
    const char *debug = geo_environment("GEOID_DEBUG");
    if (!debug || strcmp(debug, "help") != 0 || !geo_note_is_first()) {
        return;
    }
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct geo_option *option = &options[i];
        fprintf(stderr, "%-24s [%s] %s (default: %s)\n", option->name, option->component,
                option->help, option->fallback ? option->fallback : "unset");
    }
    geo_file_limit_release(&limit);
}

static const struct geo_option *option_find(const char *name)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    assert(!"option missing in the table");
    return NULL;
}

const char *geo_option_string(const char *name)
{
    pthread_once(&help_once, help_print);
    const struct geo_option *option = option_find(name);
    const char *value = geo_environment(name);
    return value ? value : option ? option->fallback : NULL;
}

static bool number_parse(const char *text, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || *text == '-') {
        return false;
    }
    *number = value;
    return true;
}

uint64_t geo_option_number(const char *name, uint64_t min, uint64_t max)
{
    const struct geo_option *option = option_find(name);
    const char *text = geo_option_string(name);
    uint64_t number = 0;
    if (text && number_parse(text, &number) && number >= min && number <= max) {
        return number;
    }
    if (text && (!option->fallback || strcmp(text, option->fallback) != 0)) {
        struct geo_file_limit limit;
        geo_file_limit_hold(&limit);
        fprintf(stderr, "geoid: base: warn: %s=%s is not a number from %llu to %llu; using %s\n",
                name, text, (unsigned long long)min, (unsigned long long)max,
                option->fallback ? option->fallback : "0");
        geo_file_limit_release(&limit);
    }
    number = 0;
    if (option->fallback) {
        number_parse(option->fallback, &number);
    }
    return number;
}

bool geo_option_flag(const char *name)
{
    static const char *const yes[] = {"1", "true", "yes", "on"};
    const char *text = geo_option_string(name);
    for (size_t i = 0; text && i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcmp(text, yes[i]) == 0) {
            return true;
        }
    }
    return false;
}
