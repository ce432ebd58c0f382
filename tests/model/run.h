/* Runs a settled program on a driver and compares what comes of it with the model. */
#ifndef TESTS_MODEL_RUN_H
#define TESTS_MODEL_RUN_H

#include "contents.h"

#include <level_zero/ze_api.h>

#define MESSAGE_BYTES 512

/* What the process that runs programs tells the one that watches it; shared memory. */
struct report {
    _Atomic uint64_t seed;            /* of the program that runs now */
    _Atomic uint32_t moves;           /* changes whenever something has got further */
    _Atomic uint32_t at[THREADS_MAX]; /* operation that each thread is at */
    _Atomic uint32_t wrong;           /* the message is there: its operation + 1 */
    char message[MESSAGE_BYTES];
};

struct device {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    bool executes;          /* kernels, copies and fills do something */
    uint32_t compute, copy; /* queue groups */
    bool long_timestamps;   /* that do not wrap while a program runs */
    void *module;           /* the kernels */
    size_t module_bytes;
    struct report *report;
    bool starve; /* allocations fail now and then */
};

enum { EXIT_WRONG = 91, EXIT_LOST, EXIT_SETUP };

/* Finds the driver, "cpu" or "null"; ends the process with EXIT_SETUP when it is not there. */
void device_open(struct device *device, const char *name, struct report *report);

/* Ends the process with EXIT_WRONG, and a message in the report, when something is not as the model
 * says. True when the program lost its device: the process should run no other then. */
bool program_run(struct device *device, const struct program *program, const struct model *model,
                 const struct contents *contents);

#endif
