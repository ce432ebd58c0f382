/* External semaphores and the records that name them. See semaphore.h. */
#include "driver/cmd/semaphore.h"

#include <stdlib.h>

static void semaphore_destroy(struct geo_object *object)
{
    struct geo_external_semaphore *semaphore = (struct geo_external_semaphore *)object;
    if (semaphore->backend) {
        object->driver->ops->semaphore->release(semaphore->backend);
    }
    free(semaphore);
}

static ze_result_t import_fail(ze_result_t result, int fd)
{
    switch (result) {
    case ZE_RESULT_ERROR_UNSUPPORTED_FEATURE:
        return geo_fail(
            result,
            "descriptor %d is a fence of a GPU's kernel driver (syncobj, sync file), or "
            "this kernel cannot read it without waiting",
            fd);
    case ZE_RESULT_ERROR_INVALID_ARGUMENT:
        return geo_fail(result,
                        "descriptor %d is neither an eventfd (binary, as OPAQUE_FD) nor a memory "
                        "file sealed against shrinking (with values; geoid/semaphore.h)",
                        fd);
    default:
        return geo_fail(result, "no memory or descriptor for a semaphore");
    }
}

ze_result_t geo_external_semaphore_import(struct geo_device *device,
                                          ze_external_semaphore_ext_flag_t kind, int fd,
                                          struct geo_external_semaphore **out)
{
    struct geo_driver *driver = device->base.driver;
    if (!driver->ops->semaphore) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "the device has no semaphores of other APIs");
    }
    struct geo_external_semaphore *semaphore = calloc(1, sizeof(*semaphore));
    if (!semaphore) {
        return import_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, fd);
    }
    geo_object_init(&semaphore->base, GEO_OBJECT_EXTERNAL_SEMAPHORE, driver, semaphore_destroy);
    ze_result_t result =
        driver->ops->semaphore->import(device->backend_device, kind, fd, &semaphore->backend);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&semaphore->base);
        return import_fail(result, fd);
    }
    *out = semaphore;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_semaphores_append(struct geo_command_list *list,
                                  enum geo_command_operation operation, uint32_t count,
                                  const struct geo_append_events *events, struct geo_append *append)
{
    size_t bytes =
        sizeof(struct geo_command_semaphores) + (size_t)count * sizeof(struct geo_semaphore_point);
    GEO_CHECK(geo_append_begin(list, operation, bytes, events, append));
    struct geo_command_semaphores *command = (struct geo_command_semaphores *)append->command;
    command->points_offset = sizeof(*command);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_semaphores_add(struct geo_append *append, ze_external_semaphore_ext_handle_t handle,
                               uint64_t value)
{
    struct geo_command_semaphores *command = (struct geo_command_semaphores *)append->command;
    struct geo_semaphore_point *points =
        (struct geo_semaphore_point *)((uint8_t *)command + command->points_offset);
    struct geo_external_semaphore *semaphore;
    GEO_CHECK(geo_external_semaphore_from(handle, &semaphore));
    if (semaphore->base.driver != append->list->base.driver) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "the semaphore was imported for a device of another driver");
    }
    if (value > GEO_EVENT_VALUE_MAX) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "semaphores have values below 2^62, not %llu", (unsigned long long)value);
    }
    GEO_CHECK(geo_keep_add(&append->list->keep, &semaphore->base));
    points[command->point_count++] =
        (struct geo_semaphore_point){.semaphore = semaphore->backend, .value = value};
    return ZE_RESULT_SUCCESS;
}
