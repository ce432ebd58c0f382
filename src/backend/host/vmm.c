/* Reservations are inaccessible mappings, physical memory is a memory file, and mapping replaces a
 * part of the reservation by the file. See vmm.h. */
#include "backend/host/vmm.h"

#include "backend/host/device.h"
#include "backend/host/dmabuf.h"
#include "backend/host/usage.h"
#include "base/log.h"
#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct geo_physical {
    struct geo_fd fd;
    bool imported; /* another process's pages: shared, not charged */
    uint64_t bytes;
    struct geo_backend_device *device; /* NULL: none */
};

static bool page_multiple(uint64_t value)
{
    return value % GEO_PAGE_BYTES == 0;
}

static int access_protection(ze_memory_access_attribute_t access)
{
    switch (access) {
    case ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE:
        return PROT_READ | PROT_WRITE;
    case ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY:
        return PROT_READ;
    default:
        return PROT_NONE;
    }
}

ze_result_t geo_vmm_page_size(struct geo_backend *backend, uint64_t bytes, uint64_t *page_bytes)
{
    (void)backend;
    (void)bytes;
    *page_bytes = GEO_PAGE_BYTES;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_vmm_reserve(struct geo_backend *backend, const void *hint, uint64_t bytes,
                            void **out)
{
    (void)backend;
    if (bytes == 0 || !page_multiple(bytes)) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    void *base = mmap((void *)(uintptr_t)hint, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = base;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_vmm_unreserve(struct geo_backend *backend, const void *base, uint64_t bytes)
{
    (void)backend;
    return munmap((void *)(uintptr_t)base, bytes) == 0 ? ZE_RESULT_SUCCESS
                                                       : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t geo_vmm_physical_create(struct geo_backend *backend, struct geo_backend_device *device,
                                    uint64_t bytes, struct geo_physical **out)
{
    (void)backend;
    if (bytes == 0 || !page_multiple(bytes)) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    if (!geo_usage_charge(device, bytes)) {
        return device ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct geo_physical *physical = malloc(sizeof(*physical));
    struct geo_fd fd = geo_fd_keep(physical ? geo_memfd_create("geoid-physical", bytes) : -1);
    if (fd.number < 0) {
        ze_result_t result = physical ? geo_memfd_result() : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        free(physical);
        geo_usage_discharge(device, bytes);
        return result;
    }
    *physical = (struct geo_physical){.fd = fd, .bytes = bytes, .device = device};
    *out = physical;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_vmm_physical_import(struct geo_backend *backend, struct geo_backend_device *device,
                                    int fd, uint64_t bytes, struct geo_physical **out)
{
    (void)backend;
    if (bytes == 0 || !page_multiple(bytes)) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    if (!geo_memfd_holds(fd, 0, bytes) && !geo_dmabuf_holds(fd, 0, bytes)) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    void *probe = mmap(NULL, GEO_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (probe == MAP_FAILED) {
        return errno == ENOMEM ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                               : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    munmap(probe, GEO_PAGE_BYTES);
    struct geo_physical *physical = malloc(sizeof(*physical));
    int own = physical ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (own < 0) {
        free(physical);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *physical = (struct geo_physical){
        .fd = geo_fd_keep(own), .imported = true, .bytes = bytes, .device = device};
    geo_usage_share(device, bytes);
    *out = physical;
    return ZE_RESULT_SUCCESS;
}

void geo_vmm_physical_destroy(struct geo_physical *physical)
{
    if (physical) {
        if (physical->imported) {
            geo_usage_unshare(physical->device, physical->bytes);
        } else {
            geo_usage_discharge(physical->device, physical->bytes);
        }
        geo_fd_close(&physical->fd); /* mappings keep the pages alive */
        free(physical);
    }
}

struct geo_fd geo_vmm_physical_fd(const struct geo_physical *physical)
{
    return physical->fd;
}

ze_result_t geo_vmm_map(struct geo_backend *backend, const void *base, uint64_t bytes,
                        struct geo_physical *physical, uint64_t offset,
                        ze_memory_access_attribute_t access)
{
    (void)backend;
    if (!page_multiple((uintptr_t)base)) {
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    }
    if (bytes == 0 || !page_multiple(bytes) || !page_multiple(offset) || offset > physical->bytes ||
        bytes > physical->bytes - offset) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    int fd = geo_fd_get(&physical->fd);
    if (fd < 0) {
        geo_log("driver", GEO_LOG_ERROR,
                "physical memory cannot be mapped: the program has closed its descriptor, %d",
                physical->fd.number);
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    void *mapped = mmap((void *)(uintptr_t)base, bytes, access_protection(access),
                        MAP_SHARED | MAP_FIXED, fd, (off_t)offset);
    return mapped == MAP_FAILED ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

ze_result_t geo_vmm_unmap(struct geo_backend *backend, const void *base, uint64_t bytes)
{
    (void)backend;
    void *mapped = mmap((void *)(uintptr_t)base, bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return mapped == MAP_FAILED ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

ze_result_t geo_vmm_set_access(struct geo_backend *backend, const void *base, uint64_t bytes,
                               ze_memory_access_attribute_t access)
{
    (void)backend;
    if (mprotect((void *)(uintptr_t)base, bytes, access_protection(access)) == 0) {
        return ZE_RESULT_SUCCESS;
    }
    return errno == ENOMEM ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
