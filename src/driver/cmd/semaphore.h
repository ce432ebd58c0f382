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

/* Begins a record that signals semaphores or waits for them, as geo_append_begin; the caller adds
 * `count` points and commits. INVALID_SIZE for more than a record holds. */
GEO_MUST_CHECK ze_result_t geo_semaphores_append(struct geo_command_list *list,
                                                 enum geo_command_operation operation,
                                                 uint32_t count,
                                                 const struct geo_append_events *events,
                                                 struct geo_append *append);
/* Fills the next point and keeps the semaphore. INVALID_SYNCHRONIZATION_OBJECT for one of another
 * driver, INVALID_ARGUMENT for a value beyond the largest. */
GEO_MUST_CHECK ze_result_t geo_semaphores_add(struct geo_append *append,
                                              ze_external_semaphore_ext_handle_t handle,
                                              uint64_t value);

#endif
