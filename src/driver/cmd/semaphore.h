/* External semaphores: semaphores of other APIs, imported for a device. */
#ifndef GEO_DRIVER_CMD_SEMAPHORE_H
#define GEO_DRIVER_CMD_SEMAPHORE_H

#include "driver/cmd/append.h"

/* An imported semaphore of the application. Lists that use it reference it. */
struct geo_external_semaphore {
    struct geo_object base;
    struct geo_backend_semaphore *backend; /* released with the last list that uses it */
};

GEO_OBJECT_HANDLE(external_semaphore, GEO_OBJECT_EXTERNAL_SEMAPHORE,
                  ze_external_semaphore_ext_handle_t)

/* Imports a semaphore from a descriptor, which stays the caller's. Returns INVALID_ARGUMENT if it
 * is not such a semaphore, UNSUPPORTED_FEATURE if the device cannot use it. */
GEO_MUST_CHECK ze_result_t geo_external_semaphore_import(struct geo_device *device,
                                                         ze_external_semaphore_ext_flag_t kind,
                                                         int fd,
                                                         struct geo_external_semaphore **out);

/* The points that one command signals or waits for. The values are `stride` bytes apart. */
struct geo_semaphore_points {
    enum geo_command_operation operation; /* SIGNAL_SEMAPHORES or WAIT_SEMAPHORES */
    uint32_t count;
    const ze_external_semaphore_ext_handle_t *handles;
    const uint64_t *values;
    size_t stride;
};

/* (any thread) Appends a command to an immediate list; on a synchronous list it has run on return.
 * Like geo_append_lists it may be called by several threads for one list. Returns the errors of
 * geo_append_begin, INVALID_ARGUMENT for a regular list or a value that is too large,
 * INVALID_SYNCHRONIZATION_OBJECT for a semaphore of another driver. */
GEO_MUST_CHECK ze_result_t geo_external_semaphores_append(struct geo_command_list *list,
                                                          const struct geo_semaphore_points *points,
                                                          const struct geo_append_events *events);

#endif
