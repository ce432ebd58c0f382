/* Reserved address ranges and mappings. See virtual.h.
 *
 * The backend maps, protects and unmaps pages while the memory lock is held, which is a system call
 * each time. The pages and their record must change together. Otherwise a second thread could map
 * over pages whose record is missing, or the system could give away the addresses of a record that
 * is still in the map. Only physical memory that lost its last mapping is destroyed later. */
#include "driver/mem/virtual.h"

#include <stdlib.h>

/* A reserved address range of a context. */
struct reservation {
    struct geo_retired retired;
    struct geo_context *context;
    uintptr_t base;
    uint64_t bytes;
    uint64_t page_bytes;
};

static struct geo_address_map reservations; /* protected by the memory lock */

static void context_close_ranges(struct geo_context *context);

/* ---- reservations ---- */

ze_result_t geo_virtual_reserve(struct geo_context *context, const void *hint, uint64_t bytes,
                                void **out)
{
    uint64_t page_bytes;
    GEO_CHECK(geo_physical_check_size(context, bytes, &page_bytes));
    struct reservation *reservation = calloc(1, sizeof(*reservation));
    if (!reservation) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a reservation");
    }
    void *base;
    ze_result_t result =
        geo_context_memory_ops(context)->reserve(geo_context_backend(context), hint, bytes, &base);
    if (result != ZE_RESULT_SUCCESS) {
        free(reservation);
        return geo_fail(result, "no address range of %llu bytes could be reserved",
                        (unsigned long long)bytes);
    }
    *reservation = (struct reservation){
        .context = context, .base = (uintptr_t)base, .bytes = bytes, .page_bytes = page_bytes};
    struct geo_address_range range = {reservation->base, reservation->base + bytes, reservation};
    geo_memory_lock();
    bool inserted = geo_address_map_insert(&reservations, geo_memory_epoch(), &range);
    context->close_ranges = context_close_ranges;
    geo_memory_unlock();
    if (!inserted) {
        (void)geo_context_memory_ops(context)->unreserve(geo_context_backend(context), base, bytes);
        free(reservation);
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a reservation");
    }
    *out = base;
    return ZE_RESULT_SUCCESS;
}

/* (lock held) Finds the reservation of this context that contains the whole range. Checks that the
 * range is page-aligned. */
static ze_result_t reservation_find(struct geo_context *context, const void *pointer,
                                    uint64_t bytes, struct reservation **out)
{
    uintptr_t base = (uintptr_t)pointer;
    struct geo_address_range range;
    GEO_ASSERT(geo_memory_lock_held());
    struct reservation *reservation =
        geo_address_map_find(&reservations, base, &range) ? range.value : NULL;
    if (!reservation || reservation->context != context || bytes > range.end - base) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%p and %llu bytes are not inside a reservation of this context", pointer,
                        (unsigned long long)bytes);
    }
    if (bytes == 0 || bytes % reservation->page_bytes) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "%llu bytes are not whole pages of %llu",
                        (unsigned long long)bytes, (unsigned long long)reservation->page_bytes);
    }
    if (base % reservation->page_bytes) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "%p is not aligned to pages of %llu",
                        pointer, (unsigned long long)reservation->page_bytes);
    }
    GEO_ASSERT(reservation->base == range.base && reservation->bytes == range.end - range.base);
    *out = reservation;
    return ZE_RESULT_SUCCESS;
}

/* ---- mappings ---- */

/* (lock held) Returns the first mapping that ends after `base` and begins before `end`, or NULL. */
static struct geo_memory *mapping_first(uintptr_t base, uintptr_t end)
{
    struct geo_address_map *map = geo_memory_map_locked();
    struct geo_address_range range;
    GEO_ASSERT(base < end);
    if (geo_address_map_find(map, base, &range) ||
        (geo_address_map_next(map, base, &range) && range.base < end)) {
        struct geo_memory *memory = range.value;
        return memory->origin == GEO_ORIGIN_MAPPED ? memory : NULL;
    }
    return NULL;
}

static uintptr_t mapping_base(const struct geo_memory *mapping)
{
    return (uintptr_t)mapping->allocation.base;
}

static uintptr_t mapping_end(const struct geo_memory *mapping)
{
    return mapping_base(mapping) + mapping->bytes;
}

static struct geo_memory *mapping_create(struct geo_physical_memory *physical, uintptr_t base,
                                         uint64_t bytes, uint64_t offset, uint64_t page_bytes,
                                         ze_memory_access_attribute_t access)
{
    GEO_ASSERT(bytes > 0 && base % page_bytes == 0 && bytes % page_bytes == 0);
    GEO_ASSERT(offset <= physical->bytes && bytes <= physical->bytes - offset);
    struct geo_memory *mapping =
        geo_memory_create(physical->context, physical->device, GEO_ORIGIN_MAPPED, physical->type);
    if (mapping) {
        mapping->allocation.base = (void *)base;
        mapping->allocation.bytes = bytes;
        mapping->allocation.page_bytes = page_bytes;
        /* owned by the physical memory object */
        mapping->allocation.fd = geo_physical_memory_fd(physical);
        mapping->allocation.fd_offset = offset;
        mapping->bytes = bytes;
        mapping->physical = physical;
        mapping->physical_offset = offset;
        mapping->access = access;
        geo_object_ref(&physical->base);
    }
    return mapping;
}

static void mapping_discard(struct geo_memory *mapping)
{
    if (mapping) {
        geo_object_unref(&mapping->physical->base);
        free(mapping);
    }
}

/* (lock held) Removes the mapping from the map and releases its reference to the physical memory.
 * If it was the last one, the object is added to `dropped`, a list by `next`. */
static void mapping_withdraw(struct geo_memory *mapping, struct geo_physical_memory **dropped)
{
    struct geo_physical_memory *physical = mapping->physical;
    GEO_ASSERT(mapping->origin == GEO_ORIGIN_MAPPED && physical);
    geo_memory_withdraw_locked(mapping);
    if (geo_object_release(&physical->base)) {
        physical->next = *dropped;
        *dropped = physical;
    }
}

/* Destroys objects that lost their last mapping. The lock is not held: giving many pages back to
 * the system takes long, and every allocation would wait. */
static void dropped_destroy(struct geo_physical_memory *dropped)
{
    while (dropped) {
        struct geo_physical_memory *physical = dropped;
        dropped = physical->next;
        physical->base.destroy(&physical->base);
    }
}

/* (lock held) Splits the mapping that crosses the address, if any. */
static ze_result_t mapping_cut(uintptr_t address)
{
    struct geo_address_range range;
    if (!geo_address_map_find(geo_memory_map_locked(), address, &range) || range.base == address) {
        return ZE_RESULT_SUCCESS;
    }
    struct geo_memory *whole = range.value;
    if (whole->origin != GEO_ORIGIN_MAPPED) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_ASSERT(range.base < address && address < range.end);
    uint64_t head = address - range.base, page = whole->allocation.page_bytes;
    struct geo_memory *left = mapping_create(whole->physical, range.base, head,
                                             whole->physical_offset, page, whole->access);
    struct geo_memory *right = mapping_create(whole->physical, address, range.end - address,
                                              whole->physical_offset + head, page, whole->access);
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (left && right) {
        result = geo_memory_split_locked(whole, left, right);
    }
    if (result != ZE_RESULT_SUCCESS) {
        mapping_discard(left);
        mapping_discard(right);
        return geo_fail(result, "no memory to cut a mapping");
    }
    geo_object_unref(&whole->physical->base);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t range_cut(uintptr_t base, uintptr_t end)
{
    ze_result_t result = mapping_cut(base);
    return result == ZE_RESULT_SUCCESS ? mapping_cut(end) : result;
}

static ze_result_t map_locked(struct geo_context *context, const void *base, uint64_t bytes,
                              struct geo_physical_memory *physical, uint64_t offset,
                              ze_memory_access_attribute_t access)
{
    GEO_ASSERT(geo_memory_lock_held() && physical->context == context);
    struct reservation *reservation;
    GEO_CHECK(reservation_find(context, base, bytes, &reservation));
    if (offset > physical->bytes || bytes > physical->bytes - offset) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "%llu bytes from offset %llu are more than the physical memory has",
                        (unsigned long long)bytes, (unsigned long long)offset);
    }
    if (offset % reservation->page_bytes) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "offset %llu is not page aligned",
                        (unsigned long long)offset);
    }
    if (mapping_first((uintptr_t)base, (uintptr_t)base + bytes)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "part of the range at %p is mapped already: unmap it first", base);
    }
    struct geo_memory *mapping =
        mapping_create(physical, (uintptr_t)base, bytes, offset, reservation->page_bytes, access);
    if (!mapping) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a mapping");
    }
    ze_result_t result = geo_context_memory_ops(context)->map(
        geo_context_backend(context), base, bytes, physical->physical, offset, access);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_memory_publish_locked(mapping);
        if (result != ZE_RESULT_SUCCESS) {
            (void)geo_context_memory_ops(context)->unmap(geo_context_backend(context), base, bytes);
        }
    }
    if (result != ZE_RESULT_SUCCESS) {
        mapping_discard(mapping);
    }
    return result;
}

ze_result_t geo_virtual_map(struct geo_context *context, const void *base, uint64_t bytes,
                            struct geo_physical_memory *physical, uint64_t offset,
                            ze_memory_access_attribute_t access)
{
    geo_memory_lock();
    ze_result_t result = map_locked(context, base, bytes, physical, offset, access);
    geo_memory_unlock();
    return result;
}

/* (lock held) Unmaps everything in the range. No mapping crosses its ends. */
static ze_result_t unmap_all(struct geo_context *context, uintptr_t base, uintptr_t end,
                             struct geo_physical_memory **dropped)
{
    struct geo_memory *mapping;
    while ((mapping = mapping_first(base, end)) != NULL) {
        GEO_ASSERT(mapping_base(mapping) >= base && mapping_end(mapping) <= end);
        ze_result_t result = geo_context_memory_ops(context)->unmap(
            geo_context_backend(context), (const void *)mapping_base(mapping), mapping->bytes);
        if (result != ZE_RESULT_SUCCESS) {
            return geo_fail(result, "the system could not unmap the range");
        }
        mapping_withdraw(mapping, dropped);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t unmap_locked(struct geo_context *context, const void *base, uint64_t bytes,
                                struct geo_physical_memory **dropped)
{
    struct reservation *reservation;
    GEO_CHECK(reservation_find(context, base, bytes, &reservation));
    uintptr_t first = (uintptr_t)base;
    GEO_CHECK(range_cut(first, first + bytes));
    return unmap_all(context, first, first + bytes, dropped);
}

ze_result_t geo_virtual_unmap(struct geo_context *context, const void *base, uint64_t bytes)
{
    struct geo_physical_memory *dropped = NULL;
    geo_memory_lock();
    ze_result_t result = unmap_locked(context, base, bytes, &dropped);
    geo_memory_unlock();
    dropped_destroy(dropped);
    return result;
}

static ze_result_t set_access_locked(struct geo_context *context, const void *base, uint64_t bytes,
                                     ze_memory_access_attribute_t access)
{
    struct reservation *reservation;
    GEO_CHECK(reservation_find(context, base, bytes, &reservation));
    uintptr_t at = (uintptr_t)base, end = at + bytes;
    while (at < end) { /* nothing changes unless every page is mapped */
        struct geo_memory *mapping = mapping_first(at, at + 1);
        if (!mapping) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no physical memory is mapped at %p",
                            (void *)at);
        }
        at = mapping_end(mapping);
    }
    GEO_CHECK(range_cut((uintptr_t)base, end));
    GEO_CHECK(geo_context_memory_ops(context)->set_access(geo_context_backend(context), base, bytes,
                                                          access));
    for (at = (uintptr_t)base; at < end;) {
        struct geo_memory *mapping = mapping_first(at, at + 1);
        GEO_ASSERT(mapping && mapping_base(mapping) == at && mapping_end(mapping) <= end);
        mapping->access = access;
        at = mapping_end(mapping);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_virtual_set_access(struct geo_context *context, const void *base, uint64_t bytes,
                                   ze_memory_access_attribute_t access)
{
    geo_memory_lock();
    ze_result_t result = set_access_locked(context, base, bytes, access);
    geo_memory_unlock();
    return result;
}

/* (lock held) Returns the attribute at an address, and in *end where it ends, at most `limit`. */
static ze_memory_access_attribute_t access_at(uintptr_t address, uintptr_t limit, uintptr_t *end)
{
    struct geo_memory *mapping = mapping_first(address, limit);
    if (mapping && mapping_base(mapping) <= address) {
        *end = mapping_end(mapping) < limit ? mapping_end(mapping) : limit;
        return mapping->access;
    }
    *end = mapping ? mapping_base(mapping) : limit;
    return ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
}

ze_result_t geo_virtual_get_access(struct geo_context *context, const void *base, uint64_t bytes,
                                   ze_memory_access_attribute_t *access, uint64_t *same_bytes)
{
    struct reservation *reservation;
    geo_memory_lock();
    ze_result_t result = reservation_find(context, base, bytes, &reservation);
    if (result == ZE_RESULT_SUCCESS) {
        uintptr_t limit = (uintptr_t)base + bytes, end;
        *access = access_at((uintptr_t)base, limit, &end);
        for (uintptr_t next; end < limit && access_at(end, limit, &next) == *access; end = next) {
        }
        *same_bytes = end - (uintptr_t)base;
    }
    geo_memory_unlock();
    return result;
}

static ze_result_t free_locked(struct geo_context *context, const void *base, uint64_t bytes,
                               struct geo_physical_memory **dropped)
{
    struct reservation *reservation;
    GEO_CHECK(reservation_find(context, base, bytes, &reservation));
    if (reservation->base != (uintptr_t)base || reservation->bytes != bytes) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the range at %p is only a part of a reservation: free it as a whole",
                        base);
    }
    GEO_CHECK(
        geo_context_memory_ops(context)->unreserve(geo_context_backend(context), base, bytes));
    /* the backend has unmapped them with the range; unmapping before could fail for lack of
     * memory */
    struct geo_memory *mapping;
    while ((mapping = mapping_first(reservation->base, reservation->base + bytes)) != NULL) {
        GEO_ASSERT(mapping->context == context);
        mapping_withdraw(mapping, dropped);
    }
    void *removed = geo_address_map_remove(&reservations, geo_memory_epoch(), reservation->base);
    GEO_ASSERT(removed == reservation);
    geo_epoch_retire(geo_memory_epoch(), &reservation->retired);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_virtual_free(struct geo_context *context, const void *base, uint64_t bytes)
{
    struct geo_physical_memory *dropped = NULL;
    geo_memory_lock();
    ze_result_t result = free_locked(context, base, bytes, &dropped);
    geo_memory_unlock();
    dropped_destroy(dropped);
    return result;
}

/* Frees the reservations of the context while its handle is still valid: mappings reference
 * physical memory, which references the context. */
static void context_close_ranges(struct geo_context *context)
{
    struct geo_physical_memory *dropped = NULL;
    geo_memory_lock();
    struct geo_address_range range = {0, 0, NULL};
    while (geo_address_map_next(&reservations, range.end, &range)) {
        struct reservation *reservation = range.value;
        if (reservation->context == context) {
            (void)free_locked(context, (const void *)range.base, reservation->bytes, &dropped);
        }
    }
    geo_memory_unlock();
    dropped_destroy(dropped);
}
