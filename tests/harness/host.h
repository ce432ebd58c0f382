/* Functions for small programs that run kernels: the first device, memory, modules and launches.
 * Calls that fail end the program, with the name of the call on standard error. */
#ifndef GEO_TEST_HOST_H
#define GEO_TEST_HOST_H

#include <level_zero/ze_api.h>

#include <stddef.h>
#include <stdint.h>

/* Exit status of a program that loses its device; other calls that fail give 1. */
#define HOST_LOST 3

#define HOST_CHECK(call) host_check(call, #call)

struct host {
    ze_device_handle_t device;
    ze_context_handle_t context;
};

/* Ends the program unless the result is a success. */
void host_check(ze_result_t result, const char *call);

void host_open(struct host *host);
/* Frees the memory, too. */
void host_close(struct host *host);

/* Returns shared memory, filled with zeros. */
void *host_alloc(const struct host *host, size_t bytes);

/* Creates a module from a file. Without flags the options of a build are empty. */
ze_module_handle_t host_module(const struct host *host, ze_module_format_t format, const char *path,
                               const char *flags);

ze_kernel_handle_t host_kernel(ze_module_handle_t module, const char *name);
void host_pointer_set(ze_kernel_handle_t kernel, uint32_t index, const void *pointer);

/* Starts a kernel of one dimension, and returns the list for host_finish. */
ze_command_list_handle_t host_start(const struct host *host, ze_kernel_handle_t kernel,
                                    uint32_t items, uint32_t group);
/* Waits for the kernel; destroys kernel and list. */
void host_finish(ze_command_list_handle_t list, ze_kernel_handle_t kernel);
/* Runs a kernel on a synchronous list, so that this thread may run work-groups; destroys it. */
void host_run(const struct host *host, ze_kernel_handle_t kernel, uint32_t items, uint32_t group);

#endif
