/* Allocations of the backends of this machine: small ones from slabs, large ones with a memory file
 * each, and imports.
 *
 * All three kinds of memory are the same pages here. Exceeding a limit is an error result. Memory
 * is charged to the machine or the container, and device memory also to the device's share
 * (usage.h). Running out of mappings gives OUT_OF_HOST_MEMORY. If no memory file can be created
 * (descriptors ran out, file sizes are limited, the system denies them), the pages have no file and
 * cannot be shared. */
#include "backend/host/memory.h"

#include "backend/host/device.h"
#include "backend/host/dmabuf.h"
#include "backend/host/move.h"
#include "backend/host/node.h"
#include "backend/host/slab.h"
#include "backend/host/tail.h"
#include "backend/host/usage.h"
#include "backend/host/vmm.h"
#include "base/memfd.h"
#include "exec/wait/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define OWN_MIN_BYTES       (1ull << 20) /* larger allocations get a memory file of their own */
#define OWN_FD_LIMIT        4096u        /* maximum number of these files */
#define HUGE_BYTES          (2ull << 20)
#define ALIGNMENT_MAX_BYTES (1ull << 30)

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#endif

/* Values of `opaque` for allocations that are not in a slab. */
static char own_mark, import_mark;

static _Atomic uint32_t own_fds;

static bool in_slab(const struct geo_allocation *allocation)
{
    return allocation->opaque != &own_mark && allocation->opaque != &import_mark;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

static uint32_t own_fd_budget(void)
{
    static _Atomic uint32_t cached;
    uint32_t budget = atomic_load_explicit(&cached, memory_order_relaxed);
    if (budget == 0) {
        struct rlimit limit;
        budget = OWN_FD_LIMIT;
        if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < budget) {
            budget = (uint32_t)(limit.rlim_cur / 4) + 1;
        }
        atomic_store_explicit(&cached, budget, memory_order_relaxed);
    }
    return budget;
}

/* ---- mappings ---- */

/* Maps a descriptor, or anonymous pages (-1), at an aligned address with the tail page behind it.
 * Reserves a larger range, maps into it and unmaps the rest. */
static void *map_aligned(int fd, uint64_t bytes, uint64_t alignment)
{
    int sharing = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    uint64_t span = bytes + alignment - GEO_PAGE_BYTES + GEO_TAIL_BYTES;
    uint8_t *area = geo_tail_reserve(span);
    if (!area) {
        return NULL;
    }
    uint8_t *base = (uint8_t *)round_up((uintptr_t)area, alignment);
    if (mmap(base, bytes, PROT_READ | PROT_WRITE, sharing | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(area, span);
        return NULL;
    }
    if (base != area) {
        munmap(area, (size_t)(base - area));
    }
    uint8_t *end = base + bytes + GEO_TAIL_BYTES;
    if (end != area + span) {
        munmap(end, (size_t)(area + span - end));
    }
    return base;
}

static bool own_allocate(uint64_t bytes, uint64_t alignment, bool exclusive,
                         struct geo_allocation *out)
{
    int fd = geo_memfd_create("geoid-memory", bytes);
    if (fd < 0 && exclusive) {
        return false;
    }
    if (bytes >= HUGE_BYTES && alignment < HUGE_BYTES) {
        alignment = HUGE_BYTES; /* allows huge pages */
    }
    void *base = map_aligned(fd, bytes, alignment);
    if (!base) {
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    if (bytes >= HUGE_BYTES) {
        madvise(base, bytes, MADV_HUGEPAGE);
    }
    if (fd >= 0) {
        atomic_fetch_add_explicit(&own_fds, 1, memory_order_relaxed);
    }
    *out = (struct geo_allocation){
        .base = base,
        .bytes = bytes,
        .page_bytes = GEO_PAGE_BYTES,
        .fd = geo_fd_keep(fd),
        .exclusive = fd >= 0,
        .opaque = &own_mark,
    };
    return true;
}

static bool slab_allocate(uint64_t bytes, uint64_t alignment, struct geo_allocation *out)
{
    struct geo_slab_place place;
    if (bytes + alignment > GEO_SLAB_MAX_BYTES || !geo_slab_allocate(bytes, alignment, &place)) {
        return false;
    }
    *out = (struct geo_allocation){
        .base = place.base,
        .bytes = bytes,
        .page_bytes = GEO_PAGE_BYTES,
        .fd = place.fd,
        .fd_offset = place.fd_offset,
        .opaque = place.run,
    };
    return true;
}

/* Allocates pages that have already been charged. */
static ze_result_t pages_allocate(uint64_t bytes, uint64_t alignment, bool exclusive,
                                  struct geo_allocation *out)
{
    bool own_first =
        exclusive || (bytes >= OWN_MIN_BYTES &&
                      atomic_load_explicit(&own_fds, memory_order_relaxed) < own_fd_budget());
    bool done = own_first && own_allocate(bytes, alignment, exclusive, out);
    ze_result_t result = exclusive ? geo_memfd_result() : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    done = done || (!exclusive && slab_allocate(bytes, alignment, out));
    done = done || (!own_first && own_allocate(bytes, alignment, false, out));
    return done ? ZE_RESULT_SUCCESS : result;
}

/* Allocates memory. Only device memory is charged to the device. The device's largest allocation is
 * a limit that the driver enforces, because programs can lift it. */
static ze_result_t memory_allocate(struct geo_backend *backend, struct geo_backend_device *device,
                                   enum geo_memory_kind kind, uint64_t bytes, uint64_t alignment,
                                   uint32_t flags, struct geo_allocation *out)
{
    (void)backend;
    alignment = alignment < GEO_PAGE_BYTES ? GEO_PAGE_BYTES : alignment;
    if ((alignment & (alignment - 1)) != 0 || alignment > ALIGNMENT_MAX_BYTES) {
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    }
    if (bytes == 0 || bytes > INT64_MAX - ALIGNMENT_MAX_BYTES) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    bytes = round_up(bytes, GEO_PAGE_BYTES);
    struct geo_backend_device *owner = kind == GEO_MEMORY_DEVICE ? device : NULL;
    if (!geo_usage_charge(owner, bytes)) {
        return kind == GEO_MEMORY_HOST ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                       : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    ze_result_t result =
        pages_allocate(bytes, alignment, (flags & GEO_MEMORY_EXPORTABLE) != 0, out);
    if (result != ZE_RESULT_SUCCESS) {
        geo_usage_discharge(owner, bytes);
        return result;
    }
    if (flags & GEO_MEMORY_EXPORTABLE) {
        geo_slot_expect_peers();
    }
    out->device = owner;
    if (device && device->node >= 0 && kind != GEO_MEMORY_HOST && !in_slab(out)) {
        geo_node_prefer(out->base, bytes, device->node);
    }
    return ZE_RESULT_SUCCESS;
}

/* Makes an allocation exclusive. Memory of a slab moves to a file of its own, and its place in the
 * slab stays reserved. Pages without a file move to a file as well. */
static ze_result_t memory_isolate(struct geo_backend *backend, struct geo_allocation *allocation)
{
    (void)backend;
    if (allocation->opaque == &import_mark || allocation->exclusive) {
        return ZE_RESULT_SUCCESS;
    }
    int fd = geo_memfd_create("geoid-memory", allocation->bytes);
    if (fd < 0) {
        return geo_memfd_result();
    }
    if (!geo_move(allocation->base, allocation->bytes, fd)) {
        close(fd);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (in_slab(allocation)) {
        geo_slab_vacate(allocation->opaque);
    }
    atomic_fetch_add_explicit(&own_fds, 1, memory_order_relaxed);
    allocation->fd = geo_fd_keep(fd);
    allocation->fd_offset = 0;
    allocation->exclusive = true;
    return ZE_RESULT_SUCCESS;
}

static void slab_give_back(struct geo_allocation *allocation)
{
    if (allocation->exclusive) {
        geo_fd_close(&allocation->fd);
        if (!geo_slab_restore(allocation->opaque)) {
            return;
        }
    }
    geo_slab_release(allocation->opaque);
}

static void memory_release(struct geo_backend *backend, struct geo_allocation *allocation)
{
    (void)backend;
    if (!allocation || !allocation->base) {
        return;
    }
    if (in_slab(allocation)) {
        slab_give_back(allocation);
    } else {
        bool import = allocation->opaque == &import_mark;
        uint64_t inside = import ? allocation->fd_offset % GEO_PAGE_BYTES : 0;
        uint64_t behind = import ? 0 : GEO_TAIL_BYTES;
        munmap((uint8_t *)allocation->base - inside, inside + allocation->bytes + behind);
        geo_fd_close(&allocation->fd);
    }
    if (allocation->exclusive) {
        atomic_fetch_sub_explicit(&own_fds, 1, memory_order_relaxed);
    }
    if (allocation->opaque == &import_mark) {
        geo_usage_unshare(allocation->device, allocation->bytes);
    } else {
        geo_usage_discharge(allocation->device, allocation->bytes);
    }
    memset(allocation, 0, sizeof(*allocation));
    allocation->fd = GEO_FD_NONE;
}

static ze_result_t memory_import(struct geo_backend *backend, struct geo_backend_device *device,
                                 int fd, uint64_t fd_offset, uint64_t bytes, bool read_only,
                                 struct geo_allocation *out)
{
    (void)backend;
    if (!geo_memfd_holds(fd, fd_offset, bytes) && !geo_dmabuf_holds(fd, fd_offset, bytes)) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    uint64_t inside = fd_offset % GEO_PAGE_BYTES;
    int protection = PROT_READ | (read_only ? 0 : PROT_WRITE);
    uint8_t *base =
        mmap(NULL, bytes + inside, protection, MAP_SHARED, fd, (off_t)(fd_offset - inside));
    if (base == MAP_FAILED) {
        return errno == EACCES || errno == EPERM || errno == EBADF || errno == ENODEV
                   ? ZE_RESULT_ERROR_INVALID_ARGUMENT
                   : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = (struct geo_allocation){
        .base = base + inside,
        .bytes = bytes,
        .page_bytes = GEO_PAGE_BYTES,
        .fd = geo_fd_keep(
            fcntl(fd, F_DUPFD_CLOEXEC, 0)), /* -1 without free descriptors: not exportable again */
        .fd_offset = fd_offset,
        .exclusive = false,
        .opaque = &import_mark,
        .device = device,
    };
    geo_slot_expect_peers();
    geo_usage_share(device, bytes);
    return ZE_RESULT_SUCCESS;
}

/* Passes a hint to the system. Untouched pages are not allocated, because a program may not need
 * all of its memory. Memory is not locked, because the limit on locked memory is small and programs
 * need it to register buffers. */
static void memory_resident(struct geo_backend *backend, const void *base, uint64_t bytes,
                            bool resident)
{
    uintptr_t within = (uintptr_t)base % GEO_PAGE_BYTES;
    (void)backend;
    (void)madvise((uint8_t *)(uintptr_t)base - within, round_up(bytes + within, GEO_PAGE_BYTES),
                  resident ? MADV_WILLNEED : MADV_COLD);
}

/* Reads a value in kilobytes from a line "key: number". Returns UINT64_MAX when the key is
 * missing. */
static uint64_t meminfo_read(const char *key)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t value = UINT64_MAX;
    if (!file) {
        return value;
    }
    while (fgets(line, sizeof(line), file)) {
        unsigned long long number;
        if (strncmp(line, key, strlen(key)) == 0 &&
            sscanf(line + strlen(key), ": %llu", &number) == 1) {
            value = number;
            break;
        }
    }
    fclose(file);
    return value;
}

static ze_result_t memory_available(struct geo_backend *backend, struct geo_backend_device *device,
                                    uint64_t *bytes)
{
    (void)backend;
    uint64_t left = geo_usage_left(device);
    uint64_t system_kib = meminfo_read("MemAvailable");
    if (system_kib < left / 1024) {
        left = system_kib * 1024;
    }
    *bytes = left;
    return ZE_RESULT_SUCCESS;
}

const struct geo_memory_ops geo_host_memory_ops = {
    .allocate = memory_allocate,
    .release = memory_release,
    .isolate = memory_isolate,
    .import = memory_import,
    .page_size = geo_vmm_page_size,
    .reserve = geo_vmm_reserve,
    .unreserve = geo_vmm_unreserve,
    .physical_create = geo_vmm_physical_create,
    .physical_import = geo_vmm_physical_import,
    .physical_destroy = geo_vmm_physical_destroy,
    .physical_fd = geo_vmm_physical_fd,
    .map = geo_vmm_map,
    .unmap = geo_vmm_unmap,
    .set_access = geo_vmm_set_access,
    .makes_dmabufs = geo_dmabuf_made,
    .dmabuf = geo_dmabuf_create,
    .resident = memory_resident,
    .available = memory_available,
};
