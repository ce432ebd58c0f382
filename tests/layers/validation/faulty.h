/* Small programs, each with one fault that the validation layer must tell of, and nothing else. A
 * program is a row of a table; it runs in a process of its own with every check on, and what the
 * layer told is compared with the row. */
#ifndef TESTS_LAYERS_FAULTY_H
#define TESTS_LAYERS_FAULTY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <level_zero/zes_api.h>
#include <level_zero/zet_api.h>

struct faulty_world {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
};

struct faulty {
    const char *name;
    void (*run)(struct faulty_world *world);
    const char *tells;   /* messages, comma separated; "": a program without fault */
    const char *where;   /* part of a line: function, argument, text, or a count of the end */
    const char *setting; /* "VAR=value" for this one, or NULL */
};

/* Whether a program may end with this status. Two threads that use one object at the same time
 * break invariants of the driver. A build with assertions may then abort, after the message. */
static inline bool faulty_may_end(const char *name, int status)
{
#ifdef GEOID_ASSERTIONS
    if (strcmp(name, "two_threads_append") == 0 && WIFSIGNALED(status)) {
        return WTERMSIG(status) == SIGABRT;
    }
#else
    (void)name;
#endif
    return status == 0;
}

/* Each test has one; a row without a name ends it. */
extern const struct faulty faulty_programs[];

/* The program ends when the call does not succeed. */
#define MUST(call) faulty_must((call), #call)
void faulty_must(ze_result_t result, const char *call);

/* Objects as most programs want them. */
ze_event_pool_handle_t faulty_pool(const struct faulty_world *world, uint32_t count);
ze_event_handle_t faulty_event(ze_event_pool_handle_t pool, uint32_t index);
ze_command_list_handle_t faulty_list(const struct faulty_world *world,
                                     ze_command_list_flags_t flags);
ze_command_list_handle_t faulty_immediate(const struct faulty_world *world,
                                          ze_command_queue_flags_t flags);
ze_command_queue_handle_t faulty_queue(const struct faulty_world *world);
void *faulty_memory(const struct faulty_world *world, size_t size);
ze_module_handle_t faulty_module_with_log(const struct faulty_world *world);
ze_module_handle_t faulty_module(const struct faulty_world *world);
ze_kernel_handle_t faulty_kernel(ze_module_handle_t module, const char *name);

#endif
