/* Functions that every example needs: they choose a device, load a SPIR-V file, launch and wait,
 * explain errors and measure. Only the programs of this folder use them. Each is a plain Level Zero
 * program, linked with -lze_loader and nothing else of Geoid. */
#ifndef GEOID_EXAMPLES_COMMON_H
#define GEOID_EXAMPLES_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_api.h>

/* A device and the objects that are needed to run kernels on it. `list` is an immediate, in-order
 * command list. */
struct example {
    const char *name; /* the example's name, for its output */
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    char device_name[ZE_MAX_DEVICE_NAME];
};

/* Ends the program if a call has failed. Prints the call, the result and the driver's message. */
#define CHECK(example, call) example_check((example), (call), #call)
void example_check(const struct example *example, ze_result_t result, const char *call);

/* Opens the first device of the first driver. */
void example_open(struct example *example, const char *name);
void example_close(struct example *example);

/* Builds a SPIR-V file from the folder of the running program. If that fails, prints the log. */
ze_module_handle_t example_module(const struct example *example, const char *file);
ze_kernel_handle_t example_kernel(const struct example *example, ze_module_handle_t module,
                                  const char *name);

/* Allocates memory that host and device can access, aligned to a cache line. */
void *example_alloc(const struct example *example, size_t bytes);
void example_free(const struct example *example, void *pointer);

/* Launches groups_x * groups_y groups and waits. Returns the elapsed milliseconds. */
double example_launch(const struct example *example, ze_kernel_handle_t kernel, uint32_t groups_x,
                      uint32_t groups_y);
void example_arg(const struct example *example, ze_kernel_handle_t kernel, uint32_t index,
                 size_t size, const void *value);

/* Returns the least milliseconds of `repeats` launches. */
double example_best(const struct example *example, ze_kernel_handle_t kernel, uint32_t groups_x,
                    uint32_t groups_y, int repeats);

double example_now_ms(void);

/* Prints the line of a measurement: the work, its time, the time of plain C on one core, and the
 * ratio. */
void example_report(const struct example *example, const char *what, double device_ms,
                    double host_ms);

/* Returns the next pseudo-random number of a sequence, from 0 to below 1. */
float example_random(uint32_t *state);

#endif
