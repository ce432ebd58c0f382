/* Creates, imports and exports physical memory objects. See physical.h. */
#include "driver/mem/physical.h"

#include "base/log.h"
#include "driver/mem/memory.h"
#include "driver/mem/release.h"

#include <stdlib.h>

static _Atomic uint64_t next_physical_id;

ze_result_t geo_physical_page_size(struct geo_context *context, uint64_t bytes,
                                   uint64_t *page_bytes)
{
    if (bytes == 0) { /* an error that devices in the field tolerate */
        geo_log("driver", GEO_LOG_WARN, "page size of 0 bytes: taken as the smallest page");
        bytes = 1;
    }
    return geo_context_memory_ops(context)->page_size(geo_context_backend(context), bytes,
                                                      page_bytes);
}

ze_result_t geo_physical_check_size(struct geo_context *context, uint64_t bytes,
                                    uint64_t *page_bytes)
{
    if (bytes == 0) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "size is 0");
    }
    GEO_CHECK(geo_physical_page_size(context, bytes, page_bytes));
    GEO_ASSERT(*page_bytes > 0);
    if (bytes % *page_bytes) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "%llu bytes are not whole pages of %llu",
                        (unsigned long long)bytes, (unsigned long long)*page_bytes);
    }
    return ZE_RESULT_SUCCESS;
}

/* (lock held) Returns whether the object's neighbours in its context's list agree with it. */
static bool physical_is_linked(const struct geo_physical_memory *physical)
{
    return geo_memory_lock_held() && (!physical->next || physical->next->previous == physical) &&
           (physical->previous ? physical->previous->next : physical->context->physical) ==
               physical;
}

static void physical_memory_destroy(struct geo_object *object)
{
    struct geo_physical_memory *physical = (struct geo_physical_memory *)object;
    GEO_ASSERT(physical->share.count == 0); /* closed before, so no handle is left */
    if (physical->physical) {
        geo_context_memory_ops(physical->context)->physical_destroy(physical->physical);
    }
    geo_object_unref(&physical->context->base);
    free(physical);
}

struct geo_fd geo_physical_memory_fd(const struct geo_physical_memory *physical)
{
    return geo_context_memory_ops(physical->context)->physical_fd(physical->physical);
}

/* Creates the object without its pages. */
static ze_result_t physical_memory_init(struct geo_context *context, struct geo_device *device,
                                        uint64_t bytes, struct geo_physical_memory **out)
{
    uint64_t page_bytes;
    GEO_CHECK(geo_physical_check_size(context, bytes, &page_bytes));
    struct geo_physical_memory *physical = calloc(1, sizeof(*physical));
    if (!physical) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for physical memory");
    }
    geo_object_init(&physical->base, GEO_OBJECT_PHYSICAL_MEMORY, context->base.driver,
                    physical_memory_destroy);
    geo_object_ref(&context->base);
    physical->context = context;
    physical->device = device;
    physical->bytes = bytes;
    physical->id = 1 + atomic_fetch_add_explicit(&next_physical_id, 1, memory_order_relaxed);
    physical->type = device ? ZE_MEMORY_TYPE_DEVICE : ZE_MEMORY_TYPE_HOST;
    physical->share.fd = GEO_FD_NONE;
    *out = physical;
    return ZE_RESULT_SUCCESS;
}

bool geo_physical_memory_known(struct geo_context *context, const void *candidate,
                               struct geo_physical_memory **out)
{
    geo_memory_lock();
    struct geo_physical_memory *physical = context->physical;
    while (physical && (const void *)geo_physical_memory_handle(physical) != candidate) {
        physical = physical->next;
    }
    geo_memory_unlock();
    *out = physical;
    return physical != NULL;
}

static void context_close_physical(struct geo_context *context)
{
    while (context->physical) {
        geo_physical_memory_close(context->physical);
    }
}

/* Adds the object to its context. */
static void physical_memory_link(struct geo_physical_memory *physical)
{
    struct geo_context *context = physical->context;
    geo_memory_lock();
    GEO_ASSERT(physical->physical && !physical->next && !physical->previous);
    physical->next = context->physical;
    if (physical->next) {
        physical->next->previous = physical;
    }
    context->physical = physical;
    context->close_physical = context_close_physical;
    GEO_ASSERT(physical_is_linked(physical));
    geo_memory_unlock();
}

static struct geo_backend_device *backend_device_of(const struct geo_physical_memory *physical)
{
    return physical->device ? physical->device->backend_device : NULL;
}

static ze_result_t backend_create(struct geo_physical_memory *physical)
{
    return geo_context_memory_ops(physical->context)
        ->physical_create(geo_context_backend(physical->context), backend_device_of(physical),
                          physical->bytes, &physical->physical);
}

ze_result_t geo_physical_memory_create(struct geo_context *context, struct geo_device *device,
                                       uint64_t bytes, struct geo_physical_memory **out)
{
    struct geo_physical_memory *physical;
    GEO_CHECK(physical_memory_init(context, device, bytes, &physical));
    ze_result_t result = backend_create(physical);
    if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
        result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) {
        geo_release_collect(true); /* memory that was freed and waits for work of the device */
        result = backend_create(physical);
    }
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&physical->base);
        return geo_fail(result, "no memory for a physical memory object of %llu bytes%s",
                        (unsigned long long)bytes,
                        result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ? ": " GEO_NO_FILE_TEXT : "");
    }
    physical_memory_link(physical);
    *out = physical;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_physical_memory_import(struct geo_context *context, struct geo_device *device,
                                       uint64_t bytes, int fd, struct geo_physical_memory **out)
{
    struct geo_physical_memory *physical;
    GEO_CHECK(physical_memory_init(context, device, bytes, &physical));
    ze_result_t result = geo_context_memory_ops(context)->physical_import(
        geo_context_backend(context), backend_device_of(physical), fd, bytes, &physical->physical);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&physical->base);
        return geo_fail(result,
                        "descriptor %d does not give %llu bytes of memory that nobody can take "
                        "away: a memory file sealed against shrinking does",
                        fd, (unsigned long long)bytes);
    }
    physical_memory_link(physical);
    *out = physical;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_physical_memory_export_fd(const struct geo_physical_memory *physical,
                                          ze_external_memory_type_flags_t types, int *fd)
{
    const struct geo_fd own = geo_physical_memory_fd(physical);
    return geo_share_export(physical->base.driver, types, &own, physical->bytes, fd);
}

void geo_physical_memory_close(struct geo_physical_memory *physical)
{
    geo_memory_lock();
    GEO_ASSERT(physical_is_linked(physical));
    geo_share_close(&physical->share);
    if (physical->next) {
        physical->next->previous = physical->previous;
    }
    if (physical->previous) {
        physical->previous->next = physical->next;
    } else {
        physical->context->physical = physical->next;
    }
    geo_memory_unlock();
    geo_object_close(&physical->base);
}
