/* Creates dma-bufs of memory files, and checks foreign ones. See dmabuf.h.
 *
 * The kernel pins the pages of a dma-buf. They stay the same for ever, because the file cannot
 * shrink and no holes are punched into exported files. */
#include "backend/host/dmabuf.h"

#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC 0x444d4142
#endif

static int device_open(void)
{
    return open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
}

bool geo_dmabuf_made(struct geo_backend *backend)
{
    int device = device_open();
    (void)backend;
    if (device >= 0) {
        close(device);
    }
    return device >= 0;
}

ze_result_t geo_dmabuf_create(struct geo_backend *backend, int fd, uint64_t offset, uint64_t bytes,
                              int *out)
{
    struct udmabuf_create create = {
        .memfd = (uint32_t)fd,
        .flags = UDMABUF_FLAGS_CLOEXEC,
        .offset = offset,
        .size = (bytes + GEO_PAGE_BYTES - 1) / GEO_PAGE_BYTES * GEO_PAGE_BYTES,
    };
    int device = device_open();
    (void)backend;
    if (device < 0) {
        return errno == EMFILE || errno == ENFILE ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                                  : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    int made = ioctl(device, UDMABUF_CREATE, &create);
    ze_result_t result = made >= 0 ? ZE_RESULT_SUCCESS : geo_memfd_result();
    close(device);
    if (made >= 0) {
        *out = made;
    }
    return result;
}

bool geo_dmabuf_holds(int fd, uint64_t offset, uint64_t bytes)
{
    struct statfs system;
    uint64_t end;
    if (fstatfs(fd, &system) != 0 || (uint64_t)system.f_type != DMA_BUF_MAGIC) {
        return false;
    }
    off_t size = lseek(fd, 0, SEEK_END); /* queries the size without moving the offset */
    return bytes != 0 && !__builtin_add_overflow(offset, bytes, &end) && size >= 0 &&
           end <= (uint64_t)size;
}
