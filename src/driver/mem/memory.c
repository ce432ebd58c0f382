/* The map of all memory and its lock, look-ups, allocation, import, freeing. See memory.h. */
#include "driver/mem/memory.h"

#include "base/fork.h"
#include "base/lock.h"
#include "base/log.h"
#include "driver/mem/release.h"

#include <stdlib.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* last in the lock order */
    struct geo_address_map map;
    struct geo_epoch epoch;
    _Atomic uint64_t next_id;
} global = {.lock = PTHREAD_MUTEX_INITIALIZER};

void geo_memory_lock(void)
{
    pthread_mutex_lock(&global.lock);
}

void geo_memory_unlock(void)
{
    pthread_mutex_unlock(&global.lock);
}

bool geo_memory_lock_held(void)
{
    return geo_mutex_held(&global.lock);
}

/* Forgets the readers of other threads, which do not exist in the child. */
static void fork_child(void)
{
    geo_epoch_after_fork(&global.epoch);
    geo_memory_unlock();
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_MEMORY,
    .prepare = geo_memory_lock,
    .parent = geo_memory_unlock,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)

/* ---- look-up ---- */

struct geo_address_map *geo_memory_map_locked(void)
{
    GEO_ASSERT(geo_memory_lock_held());
    return &global.map;
}

struct geo_epoch *geo_memory_epoch(void)
{
    return &global.epoch;
}

bool geo_memory_find(const void *pointer, struct geo_memory_info *info)
{
    uint32_t ticket = geo_epoch_enter(&global.epoch);
    struct geo_address_range range;
    bool found = geo_address_map_find(&global.map, (uintptr_t)pointer, &range);
    if (found) {
        struct geo_memory *memory = range.value;
        GEO_ASSERT(range.base == (uintptr_t)memory->allocation.base);
        *info = (struct geo_memory_info){
            .base = range.base,
            .bytes = memory->bytes,
            .context = memory->context,
            .device = memory->device,
            .driver = memory->driver,
            .origin = memory->origin,
            .type = memory->type,
            .id = memory->id,
            .page_bytes = memory->allocation.page_bytes,
        };
    }
    geo_epoch_leave(&global.epoch, ticket);
    return found;
}

struct geo_memory *geo_memory_at_locked(const void *pointer)
{
    GEO_ASSERT(geo_memory_lock_held());
    struct geo_address_range range;
    if (geo_address_map_find(&global.map, (uintptr_t)pointer, &range) &&
        range.base == (uintptr_t)pointer) {
        return range.value;
    }
    return NULL;
}

/* ---- map and context list ---- */

struct geo_memory *geo_memory_create(struct geo_context *context, struct geo_device *device,
                                     enum geo_memory_origin origin, ze_memory_type_t type)
{
    struct geo_memory *memory = calloc(1, sizeof(*memory));
    if (memory) {
        memory->context = context;
        memory->driver = context->base.driver;
        memory->device = device;
        memory->origin = origin;
        memory->type = type;
        memory->allocation.fd = GEO_FD_NONE;
        memory->share.fd = GEO_FD_NONE;
        memory->id = 1 + atomic_fetch_add_explicit(&global.next_id, 1, memory_order_relaxed);
    }
    return memory;
}

static bool range_is_free(uintptr_t base, uintptr_t end)
{
    struct geo_address_range range;
    return !geo_address_map_find(&global.map, base, &range) &&
           !(geo_address_map_next(&global.map, base, &range) && range.base < end);
}

static void context_release(struct geo_context *context);

/* (lock held) Returns whether the record's neighbours in its context's list agree with it. */
static bool memory_is_linked(const struct geo_memory *memory)
{
    return geo_memory_lock_held() && (!memory->next || memory->next->previous == memory) &&
           (memory->previous ? memory->previous->next : memory->context->memory) == memory;
}

static void memory_link(struct geo_memory *memory)
{
    struct geo_context *context = memory->context;
    GEO_ASSERT(geo_memory_lock_held() && !memory->next && !memory->previous);
    context->release_memory = context_release;
    memory->next = context->memory;
    if (memory->next) {
        memory->next->previous = memory;
    }
    context->memory = memory;
    GEO_ASSERT(memory_is_linked(memory));
}

static void memory_unlink(struct geo_memory *memory)
{
    GEO_ASSERT(memory_is_linked(memory));
    if (memory->next) {
        memory->next->previous = memory->previous;
    }
    if (memory->previous) {
        memory->previous->next = memory->next;
    } else {
        memory->context->memory = memory->next;
    }
}

static struct geo_address_range memory_range(struct geo_memory *memory)
{
    uintptr_t base = (uintptr_t)memory->allocation.base;
    return (struct geo_address_range){base, base + memory->bytes, memory};
}

ze_result_t geo_memory_publish_locked(struct geo_memory *memory)
{
    GEO_ASSERT(geo_memory_lock_held() && memory->driver == memory->context->base.driver);
    GEO_ASSERT(memory->bytes > 0 && memory->bytes <= memory->allocation.bytes);
    struct geo_address_range range = memory_range(memory);
    if (!range_is_free(range.base, range.end)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%p and %llu bytes overlap other memory of this driver",
                        memory->allocation.base, (unsigned long long)memory->bytes);
    }
    if (!geo_address_map_insert(&global.map, &global.epoch, &range)) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for the address map");
    }
    memory_link(memory);
    return ZE_RESULT_SUCCESS;
}

void geo_memory_withdraw_locked(struct geo_memory *memory)
{
    geo_share_close(&memory->share);
    free(memory->atomics);
    memory->atomics = NULL;
    memory_unlink(memory);
    void *removed =
        geo_address_map_remove(&global.map, &global.epoch, (uintptr_t)memory->allocation.base);
    GEO_ASSERT(removed == memory);
    geo_epoch_retire(&global.epoch, &memory->retired);
}

ze_result_t geo_memory_split_locked(struct geo_memory *whole, struct geo_memory *left,
                                    struct geo_memory *right)
{
    struct geo_address_range first = memory_range(left), second = memory_range(right);
    GEO_ASSERT(geo_memory_lock_held() && left->context == whole->context &&
               right->context == whole->context);
    GEO_ASSERT(first.base == memory_range(whole).base && first.end == second.base &&
               second.end == memory_range(whole).end);
    GEO_ASSERT(whole->share.count == 0 && !whole->atomics); /* only mappings are split */
    bool inserted = geo_address_map_insert(&global.map, &global.epoch, &second);
    if (!inserted || !geo_address_map_replace(&global.map, &global.epoch, &first)) {
        if (inserted) {
            (void)geo_address_map_remove(&global.map, &global.epoch, second.base);
        }
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for the address map");
    }
    geo_share_close(&whole->share);
    memory_unlink(whole);
    memory_link(left);
    memory_link(right);
    geo_epoch_retire(&global.epoch, &whole->retired);
    return ZE_RESULT_SUCCESS;
}

/* ---- allocation ---- */

static uint64_t size_limit(const struct geo_memory_request *request)
{
    const struct geo_driver *driver = request->context->base.driver;
    uint64_t limit = 0;
    for (uint32_t i = 0; i < driver->device_count; i++) {
        const struct geo_device *device = &driver->devices[i];
        if ((!request->device || device == request->device) &&
            device->info->max_allocation_bytes > limit) {
            limit = device->info->max_allocation_bytes;
        }
    }
    return limit;
}

static ze_result_t request_check(const struct geo_memory_request *request)
{
    if (request->bytes == 0) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "size is 0");
    }
    if (request->bytes > size_limit(request) && !request->relaxed_limits) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
                        "%llu bytes are more than the device's maxMemAllocSize",
                        (unsigned long long)request->bytes);
    }
    return geo_context_check_alive(request->context);
}

static ze_memory_type_t kind_type(enum geo_memory_kind kind)
{
    GEO_ASSERT(kind <= GEO_MEMORY_SHARED);
    static const ze_memory_type_t types[] = {
        [GEO_MEMORY_HOST] = ZE_MEMORY_TYPE_HOST,
        [GEO_MEMORY_DEVICE] = ZE_MEMORY_TYPE_DEVICE,
        [GEO_MEMORY_SHARED] = ZE_MEMORY_TYPE_SHARED,
    };
    return types[kind];
}

/* Publishes the record, or releases what the backend has allocated. */
static ze_result_t memory_finish(struct geo_memory *memory, void **out)
{
    void *base = memory->allocation.base;
    geo_memory_lock();
    ze_result_t result = geo_memory_publish_locked(memory);
    geo_memory_unlock();
    if (result != ZE_RESULT_SUCCESS) {
        if (memory->origin != GEO_ORIGIN_SYSTEM) {
            geo_release_now(memory->context, &memory->allocation);
        }
        free(memory);
        return result;
    }
    *out = base;
    return ZE_RESULT_SUCCESS;
}

static struct geo_memory *request_create(const struct geo_memory_request *request,
                                         enum geo_memory_origin origin)
{
    struct geo_memory *memory =
        geo_memory_create(request->context, request->device, origin, kind_type(request->kind));
    if (memory) {
        memory->bytes = request->bytes;
    }
    return memory;
}

static ze_result_t request_fail(const struct geo_memory_request *request, ze_result_t result)
{
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        return geo_fail(result,
                        "%llu bytes that can be shared were not allocated: " GEO_NO_FILE_TEXT,
                        (unsigned long long)request->bytes);
    }
    return geo_fail(result, "no memory for %llu bytes with alignment %llu",
                    (unsigned long long)request->bytes, (unsigned long long)request->alignment);
}

/* Rounds the alignment up to a power of two. Another value is an error of the program that devices
 * in the field tolerate, so it is only logged. */
static uint64_t alignment_round(uint64_t alignment)
{
    uint64_t rounded = 1;
    while (rounded < alignment && rounded <= UINT64_MAX / 2) {
        rounded *= 2;
    }
    GEO_ASSERT(rounded != 0 && (rounded & (rounded - 1)) == 0);
    if (alignment != 0 && rounded != alignment) {
        geo_log("driver", GEO_LOG_WARN, "alignment %llu is not a power of two: taken as %llu",
                (unsigned long long)alignment, (unsigned long long)rounded);
    }
    return alignment == 0 ? 0 : rounded;
}

static ze_result_t backend_allocate(const struct geo_memory_request *request,
                                    struct geo_allocation *out)
{
    struct geo_driver *driver = request->context->base.driver;
    uint64_t alignment = alignment_round(request->alignment);
    return driver->ops->memory->allocate(
        driver->backend, request->device ? request->device->backend_device : NULL, request->kind,
        request->bytes, alignment, request->exportable ? GEO_MEMORY_EXPORTABLE : 0, out);
}

ze_result_t geo_memory_allocate(const struct geo_memory_request *request, void **out)
{
    GEO_CHECK(request_check(request));
    geo_release_poll();
    struct geo_memory *memory = request_create(request, request->origin);
    if (!memory) {
        return request_fail(request, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    }
    ze_result_t result = backend_allocate(request, &memory->allocation);
    if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
        result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) {
        geo_release_collect(true);
        result = backend_allocate(request, &memory->allocation);
    }
    if (result != ZE_RESULT_SUCCESS) {
        free(memory);
        return request_fail(request, result);
    }
    GEO_ASSERT(memory->allocation.base && memory->allocation.bytes >= request->bytes);
    return memory_finish(memory, out);
}

ze_result_t geo_memory_import(const struct geo_memory_request *request,
                              enum geo_memory_origin origin, int fd, uint64_t fd_offset,
                              bool read_only, void **out)
{
    GEO_CHECK(geo_context_check_alive(request->context));
    struct geo_memory *memory = request_create(request, origin);
    if (!memory) {
        return request_fail(request, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    }
    struct geo_driver *driver = request->context->base.driver;
    bool of_device = request->device && request->kind == GEO_MEMORY_DEVICE;
    ze_result_t result = driver->ops->memory->import(
        driver->backend, of_device ? request->device->backend_device : NULL, fd, fd_offset,
        request->bytes, read_only, &memory->allocation);
    if (result != ZE_RESULT_SUCCESS) {
        free(memory);
        return geo_fail(result,
                        "descriptor %d does not give %llu bytes from offset %llu that nobody can "
                        "take away: a memory file sealed against shrinking does",
                        fd, (unsigned long long)request->bytes, (unsigned long long)fd_offset);
    }
    return memory_finish(memory, out);
}

ze_result_t geo_memory_register(const struct geo_memory_request *request, void *pointer)
{
    GEO_ASSERT(request->kind == GEO_MEMORY_HOST && !request->device);
    struct geo_memory *memory = request_create(request, GEO_ORIGIN_SYSTEM);
    if (!memory) {
        return request_fail(request, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    }
    memory->type = ZE_MEMORY_TYPE_HOST_IMPORTED;
    memory->allocation.base = pointer;
    memory->allocation.bytes = request->bytes;
    memory->allocation.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    void *base;
    return memory_finish(memory, &base);
}

/* ---- freeing ---- */

ze_result_t geo_memory_free(struct geo_context *context, const void *pointer, uint32_t origins,
                            enum geo_free_policy policy)
{
    geo_memory_lock();
    struct geo_memory *memory = geo_memory_at_locked(pointer);
    const char *reason = !memory                      ? "is not the start of memory of this driver"
                         : memory->context != context ? "belongs to another context"
                         : !(origins & (1u << memory->origin)) ? "must be freed by another function"
                                                               : NULL;
    if (reason) {
        geo_memory_unlock();
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p %s", pointer, reason);
    }
    GEO_ASSERT((memory->origin == GEO_ORIGIN_MAPPED) == (memory->physical != NULL));
    struct geo_allocation allocation = memory->allocation;
    bool owned = memory->origin != GEO_ORIGIN_SYSTEM && memory->origin != GEO_ORIGIN_MAPPED;
    geo_memory_withdraw_locked(memory);
    geo_memory_unlock();
    if (policy == GEO_FREE_BLOCKING || (policy == GEO_FREE_DEFERRED && !owned)) {
        geo_release_wait(context);
    }
    if (owned && policy == GEO_FREE_DEFERRED) {
        geo_release_later(context, &allocation);
    } else if (owned) {
        geo_release_now(context, &allocation);
    }
    geo_release_poll();
    return ZE_RESULT_SUCCESS;
}

/* Frees all allocations of a context that the application has not freed. */
static void context_release(struct geo_context *context)
{
    for (;;) {
        geo_memory_lock();
        struct geo_memory *memory = context->memory;
        const void *base = memory ? memory->allocation.base : NULL;
        geo_memory_unlock();
        if (!memory || geo_memory_free(context, base, ~0u, GEO_FREE_NOW) != ZE_RESULT_SUCCESS) {
            return;
        }
    }
}
