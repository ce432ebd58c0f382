/* Opens, reopens and writes log and report files. See output.h. */
#include "base/output.h"

#include "base/file_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Opens without blocking, because opening a pipe without a reader would wait. Later writes block as
 * usual. */
static int file_open(const char *path, int flag)
{
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = open(path, flags | flag, 0666);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFL, flag & O_APPEND);
    }
    return fd;
}

int geo_output_create(const char *path)
{
    return file_open(path, O_TRUNC);
}

bool geo_output_file(const char *path, const void *bytes, size_t count)
{
    struct geo_file_limit limit;
    size_t done = 0;
    int fd = geo_output_create(path);
    bool good = fd >= 0;
    geo_file_limit_hold(&limit);
    while (good && done < count) {
        ssize_t part = write(fd, (const char *)bytes + done, count - done);
        good = part >= 0 || errno == EINTR;
        done += part > 0 ? (size_t)part : 0;
    }
    geo_file_limit_release(&limit);
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        reason = errno;
        good = false;
    }
    errno = reason;
    return good;
}

bool geo_output_open(struct geo_output *output, const char *path)
{
    output->file = GEO_FD_NONE;
    output->path[0] = '\0';
    if (!path || !*path) {
        return true;
    }
    if (!geo_path_absolute(path, output->path, sizeof(output->path))) {
        output->path[0] = '\0';
        errno = ENAMETOOLONG;
        return false;
    }
    output->file = geo_fd_keep(file_open(output->path, O_APPEND));
    if (output->file.number < 0) {
        output->path[0] = '\0';
    }
    return output->file.number >= 0;
}

static int output_fd(struct geo_output *output)
{
    if (output->path[0] == '\0') {
        return STDERR_FILENO;
    }
    geo_object_lock_acquire(&output->lock);
    int fd = geo_fd_get(&output->file);
    if (fd < 0) {
        output->file = geo_fd_keep(file_open(output->path, O_APPEND));
        fd = output->file.number;
    }
    geo_object_lock_release(&output->lock);
    return fd >= 0 ? fd : STDERR_FILENO;
}

bool geo_output_write(struct geo_output *output, const void *bytes, size_t count)
{
    struct geo_file_limit limit;
    int reason = errno;
    geo_file_limit_hold(&limit);
    ssize_t written = write(output_fd(output), bytes, count);
    geo_file_limit_release(&limit);
    errno = reason;
    return written == (ssize_t)count;
}
