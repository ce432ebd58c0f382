/* Memory files of the backends of this machine: created, sized, sealed. See memfd.h. */
#include "backend/host/memfd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int geo_memfd_create(const char *name, uint64_t bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        return -1;
    }
    if (bytes > INT64_MAX || ftruncate(fd, (off_t)bytes) != 0) {
        close(fd);
        return -1;
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return fd;
}
