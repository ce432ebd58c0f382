/* Creates, seals, marks and checks memory files. See memfd.h. */
#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u /* Linux 6.3; some systems require it */
#endif

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* The mode that marks shared memory. Programs do not set the sticky bit on their files. Only the
 * owner may open the file through /proc. */
#define MARK (S_ISVTX | S_IRUSR | S_IWUSR)

static int file_create(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd >= 0 || errno != EINVAL ? fd : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int geo_memfd_create(const char *name, uint64_t bytes)
{
    struct rlimit limit;
    if (bytes > INT64_MAX || (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)) {
        errno = EFBIG;
        return -1;
    }
    int fd = file_create(name);
    if (fd >= 0 && (ftruncate(fd, (off_t)bytes) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0)) {
        int reason = errno;
        close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

ze_result_t geo_memfd_result(void)
{
    return errno == ENOMEM || errno == EMFILE || errno == ENFILE
               ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
               : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Returns the seals of a memory file with ordinary pages, or -1 for any other file. Files with huge
 * pages are refused, because reserved huge pages may run out later. */
static int file_seals(int fd)
{
    struct statfs system;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC ? seals : -1;
}

bool geo_memfd_share(int fd)
{
    struct stat status;
    if (geo_memfd_shared(fd, &status)) {
        return true;
    }
    int seals = file_seals(fd);
    return seals >= 0 &&
           ((seals & SEALS) == SEALS || fcntl(fd, F_ADD_SEALS, SEALS & ~seals) == 0) &&
           fchmod(fd, MARK) == 0;
}

bool geo_memfd_shared(int fd, struct stat *status)
{
    int seals = file_seals(fd);
    return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, status) == 0 &&
           S_ISREG(status->st_mode) && (status->st_mode & 07777) == MARK;
}

bool geo_memfd_holds(int fd, uint64_t offset, uint64_t bytes)
{
    struct stat status;
    uint64_t end;
    int seals = file_seals(fd);
    /* the size is only meaningful once shrinking is forbidden */
    return seals >= 0 && ((seals & F_SEAL_SHRINK) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0) &&
           bytes != 0 && !__builtin_add_overflow(offset, bytes, &end) && fstat(fd, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size >= 0 && end <= (uint64_t)status.st_size;
}

uint64_t geo_memfd_device(void)
{
    static _Atomic uint64_t known;
    uint64_t device = atomic_load_explicit(&known, memory_order_relaxed);
    struct stat status;
    int fd = device == 0 ? file_create("geoid-device") : -1;
    if (fd >= 0) {
        device = fstat(fd, &status) == 0 ? (uint64_t)status.st_dev : 0;
        atomic_store_explicit(&known, device, memory_order_relaxed);
        close(fd);
    }
    return device;
}
