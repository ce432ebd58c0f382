/* External semaphores, and commands that signal them or wait for them. See semaphore.h. */
#include "driver/cmd/semaphore.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

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
            "this kernel cannot read and signal an eventfd without waiting (preadv2 with "
            "RWF_NOWAIT, io_submit)",
            fd);
    case ZE_RESULT_ERROR_INVALID_ARGUMENT:
        return geo_fail(result,
                        "descriptor %d is neither an eventfd (binary, as OPAQUE_FD) nor a memory "
                        "file sealed against shrinking (with values; geoid/semaphore.h)",
                        fd);
    default:
        return geo_fail(
            result,
            "no memory, descriptor or asynchronous operation (fs.aio-max-nr) for a semaphore");
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

/* Adds a point to the command and keeps its semaphore for the list. Returns
 * INVALID_SYNCHRONIZATION_OBJECT for a semaphore of another driver, INVALID_ARGUMENT for a value
 * that is too large. */
static ze_result_t point_add(struct geo_append *append, ze_external_semaphore_ext_handle_t handle,
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
    GEO_ASSERT((uint8_t *)(points + command->point_count + 1) <=
               (uint8_t *)command + command->header.wait_offset);
    GEO_CHECK(geo_keep_add(&append->list->keep, &semaphore->base));
    points[command->point_count++] =
        (struct geo_semaphore_point){.semaphore = semaphore->backend, .value = value};
    return ZE_RESULT_SUCCESS;
}

static ze_result_t points_append_locked(struct geo_command_list *list,
                                        const struct geo_semaphore_points *points,
                                        const struct geo_append_events *events)
{
    struct geo_append append;
    GEO_ASSERT(list->immediate && geo_object_lock_held(&list->use_lock));
    size_t bytes = sizeof(struct geo_command_semaphores) +
                   (size_t)points->count * sizeof(struct geo_semaphore_point);
    GEO_CHECK(geo_append_begin(list, points->operation, bytes, events, &append));
    struct geo_command_semaphores *command = (struct geo_command_semaphores *)append.command;
    command->points_offset = sizeof(*command);
    for (uint32_t i = 0; i < points->count; i++) {
        uint64_t value;
        memcpy(&value, (const uint8_t *)points->values + i * points->stride, sizeof(value));
        GEO_CHECK(point_add(&append, points->handles[i], value));
    }
    return geo_append_commit_later(&append);
}

ze_result_t geo_external_semaphores_append(struct geo_command_list *list,
                                           const struct geo_semaphore_points *points,
                                           const struct geo_append_events *events)
{
    if (!list->immediate) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "external semaphores can be used by immediate command lists only "
                        "(zeCommandListCreateImmediate)");
    }
    geo_object_lock_acquire(&list->use_lock);
    ze_result_t result = points_append_locked(list, points, events);
    const uint64_t ticket = list->ticket;
    geo_object_lock_release(&list->use_lock);
    if (result != ZE_RESULT_SUCCESS || !list->synchronous) {
        return result;
    }
    struct geo_stream *stream = list->stream;
    return geo_list_wait_result(list->context,
                                stream->ops->wait(stream->backend, ticket, UINT64_MAX));
}
