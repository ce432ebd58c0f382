/* External semaphores: what another API signals and waits for, imported for a device. */
#ifndef GEO_DRIVER_CMD_SEMAPHORE_H
#define GEO_DRIVER_CMD_SEMAPHORE_H

#include "driver/cmd/append.h"

struct geo_external_semaphore {
    struct geo_object base;
    struct geo_backend_semaphore *backend; /* released with the last list that names it */
};

GEO_OBJECT_HANDLE(external_semaphore, GEO_OBJECT_EXTERNAL_SEMAPHORE,
                  ze_external_semaphore_ext_handle_t)

/* From a descriptor, which stays the caller's. INVALID_ARGUMENT when it is no such semaphore,
 * UNSUPPORTED_FEATURE when the device cannot use it. */
GEO_MUST_CHECK ze_result_t geo_external_semaphore_import(struct geo_device *device,
                                                         ze_external_semaphore_ext_flag_t kind,
                                                         int fd,
                                                         struct geo_external_semaphore **out);

/* What one command signals or waits for. The values are `stride` bytes apart. */
struct geo_semaphore_points {
    enum geo_command_operation operation; /* SIGNAL_SEMAPHORES or WAIT_SEMAPHORES */
    uint32_t count;
    const ze_external_semaphore_ext_handle_t *handles;
    const uint64_t *values;
    size_t stride;
};

/* (any thread) Appends a command to an immediate list; a synchronous list has run it on return.
 * Several threads may do so at once with one list, as they may with geo_append_lists. The codes of
 * geo_append_begin; INVALID_ARGUMENT for a regular list or a value beyond the largest,
 * INVALID_SYNCHRONIZATION_OBJECT for a semaphore of another driver. */
GEO_MUST_CHECK ze_result_t geo_semaphores_append(struct geo_command_list *list,
                                                 const struct geo_semaphore_points *points,
                                                 const struct geo_append_events *events);

#endif
