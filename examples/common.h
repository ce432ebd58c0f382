/* Functions that every example needs: picking a device, loading a SPIR-V file, launching and
 * waiting, reporting errors in words, measuring. Only the programs of this folder use them. Each of
 * these is a plain Level Zero program, linked with -lze_loader and nothing else of Geoid. */
#ifndef GEOID_EXAMPLES_COMMON_H
#define GEOID_EXAMPLES_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_api.h>

/* One device with all that is needed to run something on it. `list` is an immediate, in-order
 * command list. */
struct example {
    const char *name; /* of the example, for its lines */
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    char device_name[ZE_MAX_DEVICE_NAME];
};

/* Ends the program with the call, the result and the driver's own words when a call fails. */
#define CHECK(example, call) example_check((example), (call), #call)
void example_check(const struct example *example, ze_result_t result, const char *call);

/* Opens the first device of the first driver. */
void example_open(struct example *example, const char *name);
void example_close(struct example *example);

/* Builds the SPIR-V file that lies beside the running program; a failing build prints its log. */
ze_module_handle_t example_module(const struct example *example, const char *file);
ze_kernel_handle_t example_kernel(const struct example *example, ze_module_handle_t module,
                                  const char *name);

/* Memory that host and device see, aligned to a cache line. */
void *example_alloc(const struct example *example, size_t bytes);
void example_free(const struct example *example, void *pointer);

/* Launches groups_x * groups_y groups and waits; returns the milliseconds that took. */
double example_launch(const struct example *example, ze_kernel_handle_t kernel, uint32_t groups_x,
                      uint32_t groups_y);
void example_arg(const struct example *example, ze_kernel_handle_t kernel, uint32_t index,
                 size_t size, const void *value);

/* Best of `repeats` launches. */
double example_best(const struct example *example, ze_kernel_handle_t kernel, uint32_t groups_x,
                    uint32_t groups_y, int repeats);

double example_now_ms(void);

/* Prints the one line of a measurement: what ran, the time here, the time of plain C on one core,
 * their ratio. */
void example_report(const struct example *example, const char *what, double device_ms,
                    double host_ms);

/* A value in [0, 1) that depends on nothing but *state. */
float example_random(uint32_t *state);

#endif
