/* Allocates memory of GPUs, and of the host for GPUs. See memory.h. */
#include "backend/cuda/compute/memory.h"

#include "backend/cuda/compute/file_memory.h"
#include "backend/cuda/compute/reach.h"
#include "backend/cuda/nvml/device.h"
#include "base/log.h"
#include "base/memfd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CUDA aligns every allocation to this, and its manual promises it. */
#define CUDA_ALIGNMENT      256u
#define ALIGNMENT_MAX_BYTES (UINT64_C(1) << 30)
#define DEVICE_PAGE_BYTES   (UINT64_C(2) << 20) /* pages of GPUs; small allocations share one */

/* How the memory of an allocation is given back. */
struct record {
    struct geo_compute_device *device; /* whose context allocated it */
    enum { FROM_DEVICE, FROM_HOST, FROM_FILE } source;
    geo_cuda_address address; /* FROM_DEVICE, FROM_HOST: what CUDA returned */
    struct geo_compute_pages pages;
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

/* Returns a device for memory of the host, which all contexts share: one whose context exists, so
 * that none is made for it, or else the first. */
static struct geo_compute_device *host_device(const struct geo_backend *backend)
{
    for (uint32_t i = 0; i < backend->count; i++) {
        if (geo_compute_device_has_context(backend->devices[i].compute)) {
            return backend->devices[i].compute;
        }
    }
    return backend->devices[0].compute;
}

/* Memory of the host ran out, not of the GPU. */
static ze_result_t host_result(ze_result_t result)
{
    return result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                                          : result;
}

/* ---- allocation by CUDA ---- */

static ze_result_t device_allocate(struct record *record, uint64_t bytes)
{
    const struct geo_cuda *cuda = record->device->cuda;
    int code = geo_compute_device_enter(record->device);
    if (code == GEO_CUDA_SUCCESS) {
        code = geo_compute_device_leave(record->device,
                                        GEO_CUDA(cuda, MemAlloc, &record->address, bytes));
    }
    return geo_cuda_answer(cuda, code, "MemAlloc", NULL);
}

static ze_result_t pinned_allocate(struct record *record, uint64_t bytes)
{
    const struct geo_cuda *cuda = record->device->cuda;
    void *pointer = NULL;
    int code = geo_compute_device_enter(record->device);
    if (code == GEO_CUDA_SUCCESS) {
        code = geo_compute_device_leave(
            record->device, GEO_CUDA(cuda, MemHostAlloc, &pointer, bytes,
                                     GEO_CUDA_HOST_PORTABLE | GEO_CUDA_HOST_DEVICE_MAP));
    }
    record->address = (uintptr_t)pointer;
    return host_result(geo_cuda_answer(cuda, code, "MemHostAlloc", NULL));
}

static void cuda_free(struct record *record)
{
    const struct geo_cuda *cuda = record->device->cuda;
    const bool host = record->source == FROM_HOST;
    int code = geo_compute_device_enter(record->device);
    if (code == GEO_CUDA_SUCCESS) {
        code = geo_compute_device_leave(
            record->device, host ? GEO_CUDA(cuda, MemFreeHost, (void *)(uintptr_t)record->address)
                                 : GEO_CUDA(cuda, MemFree, record->address));
    }
    (void)geo_cuda_answer(cuda, code, host ? "MemFreeHost" : "MemFree", NULL);
}

/* Allocates more than `bytes` where CUDA's alignment does not suffice. */
static ze_result_t cuda_allocate(struct record *record, uint64_t bytes, uint64_t alignment,
                                 struct geo_allocation *out)
{
    const uint64_t more = alignment > CUDA_ALIGNMENT ? alignment - CUDA_ALIGNMENT : 0;
    const bool host = record->source == FROM_HOST;
    ze_result_t result =
        host ? pinned_allocate(record, bytes + more) : device_allocate(record, bytes + more);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    *out = (struct geo_allocation){
        .base = (void *)(uintptr_t)round_up(record->address, alignment),
        .bytes = bytes,
        .page_bytes = host ? GEO_PAGE_BYTES : DEVICE_PAGE_BYTES,
        .fd = GEO_FD_NONE,
        .opaque = record,
    };
    return ZE_RESULT_SUCCESS;
}

/* ---- memory files ---- */

static ze_result_t file_allocate(struct record *record, uint64_t bytes, uint64_t alignment,
                                 struct geo_allocation *out)
{
    const uint64_t whole = round_up(bytes, GEO_PAGE_BYTES);
    int fd = geo_memfd_create("geoid-memory", whole);
    if (fd < 0) {
        return geo_memfd_result();
    }
    ze_result_t result = geo_compute_file_memory_map(
        record->device, fd, 0, whole, alignment < GEO_PAGE_BYTES ? GEO_PAGE_BYTES : alignment,
        false, &record->pages);
    if (result != ZE_RESULT_SUCCESS) {
        close(fd);
        return result;
    }
    *out = (struct geo_allocation){
        .base = record->pages.base,
        .bytes = whole,
        .page_bytes = GEO_PAGE_BYTES,
        .fd = geo_fd_keep(fd),
        .exclusive = true,
        .opaque = record,
    };
    return ZE_RESULT_SUCCESS;
}

/* ---- operations ---- */

static void memory_give_back(struct geo_allocation *allocation)
{
    struct record *record = allocation->opaque;
    if (record->source == FROM_FILE) {
        geo_compute_file_memory_unmap(record->device, &record->pages);
        geo_fd_close(&allocation->fd);
    } else {
        cuda_free(record);
    }
    free(record);
    memset(allocation, 0, sizeof(*allocation));
    allocation->fd = GEO_FD_NONE;
}

/* Lets streams know the memory, and returns it to the caller. Gives it back if the process ran out
 * of memory. */
static ze_result_t memory_finish(struct geo_allocation *made, struct geo_allocation *out)
{
    if (!geo_compute_reach_add(made->base, made->bytes)) {
        memory_give_back(made);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = *made;
    return ZE_RESULT_SUCCESS;
}

static struct record *record_create(const struct geo_backend *backend,
                                    struct geo_backend_device *device, enum geo_memory_kind kind,
                                    uint32_t flags)
{
    struct record *record = calloc(1, sizeof(*record));
    if (record) {
        record->device = device ? device->compute : host_device(backend);
        record->source = kind == GEO_MEMORY_DEVICE       ? FROM_DEVICE
                         : flags & GEO_MEMORY_EXPORTABLE ? FROM_FILE
                                                         : FROM_HOST;
    }
    return record;
}

static ze_result_t memory_allocate(struct geo_backend *backend, struct geo_backend_device *device,
                                   enum geo_memory_kind kind, uint64_t bytes, uint64_t alignment,
                                   uint32_t flags, struct geo_allocation *out)
{
    alignment = alignment < CUDA_ALIGNMENT ? CUDA_ALIGNMENT : alignment;
    if ((alignment & (alignment - 1)) != 0 || alignment > ALIGNMENT_MAX_BYTES) {
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    }
    if (bytes == 0 || bytes > INT64_MAX - ALIGNMENT_MAX_BYTES) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    if (kind == GEO_MEMORY_DEVICE && flags & GEO_MEMORY_EXPORTABLE) {
        geo_log("cuda", GEO_LOG_INFO, "memory of a GPU cannot be exported yet");
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    struct geo_allocation made;
    struct record *record = record_create(backend, device, kind, flags);
    if (!record) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = record->source == FROM_FILE
                             ? file_allocate(record, bytes, alignment, &made)
                             : cuda_allocate(record, bytes, alignment, &made);
    if (result != ZE_RESULT_SUCCESS) {
        free(record);
        return result;
    }
    made.device = kind == GEO_MEMORY_DEVICE ? device : NULL;
    return memory_finish(&made, out);
}

static void memory_release(struct geo_backend *backend, struct geo_allocation *allocation)
{
    (void)backend;
    if (!allocation || !allocation->base) {
        return;
    }
    struct record *record = allocation->opaque;
    if (geo_cuda_is_here(record->device->cuda)) {
        geo_compute_reach_remove(allocation->base);
    }
    memory_give_back(allocation);
}

static ze_result_t memory_isolate(struct geo_backend *backend, struct geo_allocation *allocation)
{
    (void)backend;
    const struct record *record = allocation->opaque;
    if (record->source == FROM_FILE) {
        return ZE_RESULT_SUCCESS; /* imports too: they are exported by their own descriptor */
    }
    geo_log(
        "cuda", GEO_LOG_INFO,
        "%p cannot be shared: memory of GPUs has no descriptor yet, and memory of the host only "
        "if it was allocated for export",
        allocation->base);
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

static ze_result_t memory_import(struct geo_backend *backend, struct geo_backend_device *device,
                                 int fd, uint64_t fd_offset, uint64_t bytes, bool read_only,
                                 struct geo_allocation *out)
{
    if (!geo_memfd_holds(fd, fd_offset, bytes)) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const uint64_t inside = fd_offset % GEO_PAGE_BYTES;
    struct record *record = calloc(1, sizeof(*record));
    if (!record) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    record->device = device ? device->compute : host_device(backend);
    record->source = FROM_FILE;
    ze_result_t result =
        geo_compute_file_memory_map(record->device, fd, fd_offset - inside, bytes + inside,
                                    GEO_PAGE_BYTES, read_only, &record->pages);
    if (result != ZE_RESULT_SUCCESS) {
        free(record);
        return result;
    }
    struct geo_allocation made = {
        .base = (uint8_t *)record->pages.base + inside,
        .bytes = bytes,
        .page_bytes = GEO_PAGE_BYTES,
        /* -1 without free descriptors: not exportable again */
        .fd = geo_fd_keep(fcntl(fd, F_DUPFD_CLOEXEC, 0)),
        .fd_offset = fd_offset,
        .opaque = record,
        .device = device,
    };
    return memory_finish(&made, out);
}

static bool memory_makes_dmabufs(struct geo_backend *backend)
{
    (void)backend;
    return false;
}

static ze_result_t memory_dmabuf(struct geo_backend *backend, int fd, uint64_t offset,
                                 uint64_t bytes, int *out)
{
    (void)backend;
    (void)fd;
    (void)offset;
    (void)bytes;
    (void)out;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Memory of GPUs and pinned memory are always resident. */
static void memory_resident(struct geo_backend *backend, const void *base, uint64_t bytes,
                            bool resident)
{
    (void)backend;
    (void)base;
    (void)bytes;
    (void)resident;
}

/* A question must not make a context, so CUDA is asked only if there is one, and then NVML. */
static ze_result_t memory_available(struct geo_backend *backend, struct geo_backend_device *device,
                                    uint64_t *bytes)
{
    (void)backend;
    struct geo_compute_device *gpu = device->compute;
    size_t unused = 0, total = 0;
    uint64_t managed_total;
    if (geo_compute_device_has_context(gpu)) {
        int code = geo_compute_device_enter(gpu);
        if (code == GEO_CUDA_SUCCESS) {
            code = geo_compute_device_leave(gpu, GEO_CUDA(gpu->cuda, MemGetInfo, &unused, &total));
        }
        ze_result_t result = geo_cuda_answer(gpu->cuda, code, "MemGetInfo", NULL);
        if (result == ZE_RESULT_SUCCESS) {
            *bytes = unused;
        }
        return result;
    }
    if (!device->nvml ||
        geo_nvml_device_memory(device, &managed_total, bytes, NULL) != ZE_RESULT_SUCCESS) {
        *bytes = device->info.memory_bytes;
    }
    return ZE_RESULT_SUCCESS;
}

/* Reserved ranges of addresses are missing so far. */
const struct geo_memory_ops geo_compute_memory_ops = {
    .allocate = memory_allocate,
    .release = memory_release,
    .isolate = memory_isolate,
    .import = memory_import,
    .makes_dmabufs = memory_makes_dmabufs,
    .dmabuf = memory_dmabuf,
    .resident = memory_resident,
    .available = memory_available,
};
