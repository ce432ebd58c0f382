/* Memory files of the backends of this machine: created, sized, sealed. See memfd.h. */
#include "backend/host/memfd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

bool geo_memfd_holds(int fd, uint64_t offset, uint64_t bytes)
{
    struct stat status;
    uint64_t end;
    return bytes != 0 && !__builtin_add_overflow(offset, bytes, &end) && fstat(fd, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size >= 0 && end <= (uint64_t)status.st_size;
}
