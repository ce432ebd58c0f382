/* The duplicate descriptor inside the IPC handles of one memory. See share.h. */
#include "driver/mem/share.h"

#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool geo_share_alive(const struct geo_share *share, int own)
{
    struct stat ours, theirs;
    return share->fd >= 0 && fstat(share->fd, &theirs) == 0 && fstat(own, &ours) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static ze_result_t duplicate(int own, int *fd)
{
    *fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
    if (*fd < 0) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no descriptor left: %s",
                        strerror(errno));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_share_open(struct geo_share *share, int own)
{
    if (own < 0) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "this memory has no descriptor that could be shared");
    }
    if (geo_share_alive(share, own)) {
        return ZE_RESULT_SUCCESS;
    }
    share->count = 0;
    return duplicate(own, &share->fd);
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
                        "no dma-buf of %llu bytes: more than udmabuf.size_limit_mb, or memory of "
                        "another file",
                        (unsigned long long)bytes);
    }
    return result == ZE_RESULT_SUCCESS ? result : geo_fail(result, "no descriptor for a dma-buf");
}

ze_result_t geo_share_export(const struct geo_driver *driver, ze_external_memory_type_flags_t types,
                             int own, uint64_t bytes, int *fd)
{
    if (own >= 0 && geo_share_wants_dmabuf(driver, types)) {
        return dmabuf_export(driver, own, bytes, fd);
    }
    if (!geo_memfd_share(own)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "this memory has no descriptor that could be shared");
    }
    return duplicate(own, fd);
}

void geo_share_close(struct geo_share *share, int own)
{
    if (geo_share_alive(share, own)) {
        close(share->fd);
    }
    share->fd = -1;
    share->count = 0;
}
