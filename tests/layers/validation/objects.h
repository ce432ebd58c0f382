/* Objects that the programs of several areas need: gates, images, samplers, mapped addresses,
 * native modules. A comment in a program's body names the requirement of docs/spec/requirements.md,
 * or the sentence of the public header, that makes the program legal or faulty. */
#ifndef TESTS_LAYERS_OBJECTS_H
#define TESTS_LAYERS_OBJECTS_H

#include "faulty.h"

/* An in-order immediate list whose commands cannot finish before the gate opens. */
struct gate {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_command_list_handle_t list;
};

struct gate gate_begin(const struct faulty_world *world);
/* Opens the gate, waits for the list and destroys everything of the gate. */
void gate_end(const struct gate *gate);

/* A pool with one event that commands and the host signal. It orders memory as well (SYN-11). */
struct signal {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
};

struct signal signal_begin(const struct faulty_world *world, ze_event_pool_flags_t flags);
void signal_end(const struct signal *signal);

/* Creates another context of the same driver. `other_end` destroys it. */
struct faulty_world other_begin(const struct faulty_world *world);
void other_end(const struct faulty_world *other);

/* Executes a closed list on a queue of its own and waits for it. Returns the result of the
 * execution: a layer may refuse it. */
ze_result_t run_list(const struct faulty_world *world, ze_command_list_handle_t list);
/* Closes the list first. */
ze_result_t close_and_run(const struct faulty_world *world, ze_command_list_handle_t list);

void *shared_memory(const struct faulty_world *world, size_t size);
void fill(ze_command_list_handle_t list, void *memory, uint8_t value, size_t size);
void copy(ze_command_list_handle_t list, void *to, const void *from, size_t size);

/* A 2D image of 4-byte pixels. */
ze_image_desc_t image_desc(uint32_t width, uint32_t height);
ze_image_handle_t image_create(const struct faulty_world *world, uint32_t width, uint32_t height);
ze_sampler_handle_t sampler_create(const struct faulty_world *world);

/* A module of tests/fixtures by name: "native_module", "native_image". */
ze_module_handle_t native_module(const struct faulty_world *world, const char *name);
/* Appends a launch of one group of the kernel, without events. */
ze_result_t launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel);
void set_pointer(ze_kernel_handle_t kernel, uint32_t index, void *pointer);

/* Reserved addresses. */
size_t page_size(const struct faulty_world *world);
char *reserve(const struct faulty_world *world, size_t size);
ze_physical_mem_handle_t physical_create(const struct faulty_world *world, size_t size);
void map(const struct faulty_world *world, void *at, size_t size, ze_physical_mem_handle_t memory,
         size_t offset);

#endif
