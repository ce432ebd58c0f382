/* Context objects: their devices, their loss, the default context of each driver. See context.h. */
#include "driver/core/context.h"

#include "base/fork.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void context_destroy(struct geo_object *object)
{
    struct geo_context *context = (struct geo_context *)object;
    if (context->release_memory) {
        context->release_memory(context);
    }
    GEO_ASSERT(!context->memory && !context->physical);
    free(context->devices);
    free(context);
}

ze_result_t geo_context_create(struct geo_driver *driver, uint32_t device_count,
                               struct geo_device *const *devices, struct geo_context **out)
{
    GEO_CHECK(geo_inventory_check_runs(driver));
    GEO_ASSERT(device_count == 0 || devices);
    struct geo_context *context = calloc(1, sizeof(*context));
    if (!context) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a context");
    }
    geo_object_init(&context->base, GEO_OBJECT_CONTEXT, driver, context_destroy);
    if (device_count) {
        context->devices = malloc(device_count * sizeof(struct geo_device *));
        if (!context->devices) {
            geo_object_close(&context->base);
            return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a context");
        }
        memcpy(context->devices, devices, device_count * sizeof(struct geo_device *));
        context->device_count = device_count;
    }
    *out = context;
    return ZE_RESULT_SUCCESS;
}

/* ---- default contexts ---- */

/* held while a default context is created */
static pthread_mutex_t default_mutex = PTHREAD_MUTEX_INITIALIZER;

static void fork_prepare(void)
{
    pthread_mutex_lock(&default_mutex);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&default_mutex);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_CONTEXTS,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};
GEO_FORK_AT_LOAD(fork_handler)

struct geo_context *geo_context_default(struct geo_driver *driver)
{
    pthread_mutex_lock(&default_mutex);
    if (!driver->default_context &&
        geo_context_create(driver, 0, NULL, &driver->default_context) != ZE_RESULT_SUCCESS) {
        driver->default_context = NULL;
    }
    struct geo_context *context = driver->default_context;
    GEO_ASSERT(!context || (context->base.driver == driver && !context->devices));
    pthread_mutex_unlock(&default_mutex);
    return context;
}

/* ---- use ---- */

void geo_context_close(struct geo_context *context)
{
    if (context->close_ranges) {
        context->close_ranges(context);
    }
    if (context->close_physical) {
        context->close_physical(context);
    }
    geo_object_close(&context->base);
}

ze_result_t geo_context_check_device(const struct geo_context *context,
                                     const struct geo_device *device)
{
    if (context->base.driver != device->base.driver) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "context and device belong to different drivers");
    }
    for (uint32_t i = 0; i < context->device_count; i++) {
        if (geo_device_covers(context->devices[i], device)) {
            return ZE_RESULT_SUCCESS;
        }
    }
    if (context->devices) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the device is not among those for which the context was created");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_context_device_from(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                    struct geo_context **context, struct geo_device **device)
{
    GEO_CHECK(geo_context_from(hContext, context));
    GEO_CHECK(geo_device_from(hDevice, device));
    GEO_CHECK(geo_context_check_device(*context, *device));
    return geo_context_check_alive(*context);
}

/* ---- faults ---- */

static void device_lose(struct geo_device *device, const char *text)
{
    pthread_mutex_lock(&device->stream_lock);
    if (!atomic_load(&device->lost)) {
        memcpy(device->lost_text, text, sizeof(device->lost_text));
        atomic_store(&device->lost, true);
    }
    pthread_mutex_unlock(&device->stream_lock);
}

void geo_context_lose(struct geo_context *context, struct geo_device *device,
                      const struct geo_fault *fault)
{
    char text[GEO_FAULT_TEXT_BYTES];
    GEO_ASSERT(device->base.driver == context->base.driver);
    geo_error_describe_fault(fault, text, sizeof(text));
    device_lose(device, text);
    if (atomic_exchange(&context->taken, 1) == 0) {
        memcpy(context->lost_text, text, sizeof(text));
        atomic_store(&context->lost, 1);
    }
    while (!atomic_load(&context->lost)) { /* another fault is just writing the text */
        sched_yield();
    }
}

ze_result_t geo_context_refuse(const struct geo_context *context)
{
    GEO_ASSERT(atomic_load(&context->lost) && atomic_load(&context->taken));
    return geo_fail(ZE_RESULT_ERROR_DEVICE_LOST, "%s", context->lost_text);
}

static ze_result_t device_check(struct geo_device *device)
{
    char text[GEO_FAULT_TEXT_BYTES];
    pthread_mutex_lock(&device->stream_lock);
    bool lost = atomic_load(&device->lost);
    memcpy(text, device->lost_text, sizeof(text));
    pthread_mutex_unlock(&device->stream_lock);
    return lost ? geo_fail(ZE_RESULT_ERROR_DEVICE_LOST, "%s", text) : ZE_RESULT_SUCCESS;
}

ze_result_t geo_device_check_alive(struct geo_device *device)
{
    ze_result_t result = device_check(device);
    for (uint32_t i = 0; i < device->part_count && result == ZE_RESULT_SUCCESS; i++) {
        result = device_check(&device->parts[i]);
    }
    return result;
}
