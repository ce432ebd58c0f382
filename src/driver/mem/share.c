/* The duplicate descriptor in the IPC handles of one memory. See share.h. */
#include "driver/mem/share.h"

#include "base/assert.h"
#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool geo_share_alive(const struct geo_share *share)
{
    return geo_fd_get(&share->fd) >= 0;
}

int geo_share_own(const struct geo_fd *own)
{
    int fd = geo_fd_get(own);
    if (fd < 0) {
        (void)geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                       own->number < 0 ? "this memory cannot be shared: it is in no memory file. "
                                         "Memory that the application registered never is; other "
                                         "memory is not if the system refused a file "
                                         "(memfd_create, RLIMIT_FSIZE)"
                                       : "the program has closed the descriptor of this memory "
                                         "(number %d): it can be shared no more",
                       own->number);
    }
    return fd;
}

static ze_result_t duplicate(int own, int *fd)
{
    *fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
    if (*fd < 0) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                        "the process has no file descriptor left to export the memory: %s",
                        strerror(errno));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_share_open(struct geo_share *share, const struct geo_fd *own)
{
    int number, fd = geo_share_own(own);
    if (fd < 0) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (geo_share_alive(share)) {
        return ZE_RESULT_SUCCESS;
    }
    share->count = 0;
    share->fd = GEO_FD_NONE;
    GEO_CHECK(duplicate(fd, &number));
    GEO_ASSERT(number >= 0 && number != fd);
    share->fd = geo_fd_keep(number);
    return ZE_RESULT_SUCCESS;
}

bool geo_share_wants_dmabuf(const struct geo_driver *driver, ze_external_memory_type_flags_t types)
{
    return (types & ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF) != 0 &&
           driver->ops->memory->makes_dmabufs(driver->backend);
}

static ze_result_t dmabuf_export(const struct geo_driver *driver, int own, uint64_t bytes, int *fd)
{
    ze_result_t result = driver->ops->memory->dmabuf(driver->backend, own, 0, bytes, fd);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        return geo_fail(result,
                        "no dma-buf of %llu bytes could be made: the size exceeds "
                        "udmabuf.size_limit_mb, or the memory is of another file",
                        (unsigned long long)bytes);
    }
    return result == ZE_RESULT_SUCCESS ? result : geo_fail(result, "no descriptor for a dma-buf");
}

ze_result_t geo_share_export(const struct geo_driver *driver, ze_external_memory_type_flags_t types,
                             const struct geo_fd *own, uint64_t bytes, int *fd)
{
    int number = geo_share_own(own);
    if (number < 0) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (geo_share_wants_dmabuf(driver, types)) {
        return dmabuf_export(driver, number, bytes, fd);
    }
    if (!geo_memfd_share(number)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "this memory cannot be shared: its file cannot be sealed or marked as "
                        "shared (fcntl F_ADD_SEALS, fchmod)");
    }
    return duplicate(number, fd);
}

void geo_share_return(struct geo_share *share)
{
    if (share->count > 1) {
        share->count--;
    } else {
        geo_share_close(share);
    }
}

void geo_share_close(struct geo_share *share)
{
    geo_fd_close(&share->fd);
    share->count = 0;
}
