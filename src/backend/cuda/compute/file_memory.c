/* Maps memory files and registers them with CUDA. See file_memory.h. */
#include "backend/cuda/compute/file_memory.h"

#include "base/memfd.h"

#include <errno.h>
#include <sys/mman.h>

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

/* Maps pages at an aligned address: reserves a larger range, maps into it and unmaps the rest. */
static uint8_t *map_aligned(int fd, uint64_t offset, uint64_t bytes, uint64_t alignment,
                            int protection)
{
    const uint64_t span = bytes + alignment - GEO_PAGE_BYTES;
    uint8_t *area = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) {
        return NULL;
    }
    uint8_t *base = (uint8_t *)round_up((uintptr_t)area, alignment);
    if (mmap(base, bytes, protection, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED) {
        const int reason = errno;
        munmap(area, span);
        errno = reason;
        return NULL;
    }
    if (base != area) {
        munmap(area, (size_t)(base - area));
    }
    if (base + bytes != area + span) {
        munmap(base + bytes, (size_t)(area + span - (base + bytes)));
    }
    return base;
}

static ze_result_t map_result(void)
{
    return errno == EACCES || errno == EPERM || errno == EBADF || errno == ENODEV
               ? ZE_RESULT_ERROR_INVALID_ARGUMENT
               : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* Pins the pages and makes them known to all contexts. */
static ze_result_t pages_register(struct geo_compute_device *device, void *base, uint64_t bytes,
                                  bool read_only)
{
    const unsigned flags = GEO_CUDA_REGISTER_PORTABLE | GEO_CUDA_REGISTER_DEVICE_MAP |
                           (read_only ? (unsigned)GEO_CUDA_REGISTER_READ_ONLY : 0);
    int code = geo_compute_device_enter(device);
    if (code == GEO_CUDA_SUCCESS) {
        code = geo_compute_device_leave(
            device, GEO_CUDA(device->cuda, MemHostRegister, base, bytes, flags));
    }
    ze_result_t result = geo_cuda_answer(device->cuda, code, "MemHostRegister", NULL);
    return result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                                          : result;
}

ze_result_t geo_compute_file_memory_map(struct geo_compute_device *device, int fd, uint64_t offset,
                                        uint64_t bytes, uint64_t alignment, bool read_only,
                                        struct geo_compute_pages *out)
{
    const int protection = PROT_READ | (read_only ? 0 : PROT_WRITE);
    const uint64_t whole = round_up(bytes, GEO_PAGE_BYTES);
    uint8_t *base = map_aligned(fd, offset, whole, alignment, protection);
    if (!base) {
        return map_result();
    }
    ze_result_t result = pages_register(device, base, whole, read_only);
    if (result != ZE_RESULT_SUCCESS) {
        munmap(base, whole);
        return result;
    }
    *out = (struct geo_compute_pages){base, whole};
    return ZE_RESULT_SUCCESS;
}

void geo_compute_file_memory_unmap(struct geo_compute_device *device,
                                   const struct geo_compute_pages *pages)
{
    int code = geo_compute_device_enter(device);
    if (code == GEO_CUDA_SUCCESS) {
        code = geo_compute_device_leave(device,
                                        GEO_CUDA(device->cuda, MemHostUnregister, pages->base));
    }
    (void)geo_cuda_answer(device->cuda, code, "MemHostUnregister", NULL);
    munmap(pages->base, pages->bytes);
}
