/* Recorded descriptors: device, inode and type identify a file. See fd.h.
 *
 * Anonymous files share one inode. Among them, only eventfds are supported. The system numbers
 * eventfds and shows the number in /proc/self/fdinfo, but a new eventfd may get the number of a
 * closed one. Therefore ours are also marked by the signal number for asynchronous I/O (F_SETSIG),
 * which eventfds never send. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK 64 /* the highest signal number */

static const char serial_key[] = "eventfd-id:";

static uint64_t serial_read(int number)
{
    char text[512];
    snprintf(text, sizeof(text), "/proc/self/fdinfo/%d", number);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *found = strstr(text, serial_key);
    return found ? strtoull(found + sizeof(serial_key) - 1, NULL, 10) + 1 : 0;
}

static bool file_read(int number, struct geo_fd *file)
{
    struct stat status;
    if (number < 0 || fstat(number, &status) != 0) {
        return false;
    }
    *file = (struct geo_fd){
        .number = number,
        .type = status.st_mode & S_IFMT,
        .device = status.st_dev,
        .inode = status.st_ino,
    };
    file->serial = file->type == 0 ? serial_read(number) : 0;
    return true;
}

struct geo_fd geo_fd_keep(int number)
{
    struct geo_fd file;
    int reason = errno;
    bool known = file_read(number, &file);
    if (known && file.type == 0) {
        (void)fcntl(number, F_SETSIG, MARK);
    }
    errno = reason;
    return known ? file : GEO_FD_NONE;
}

int geo_fd_get(const struct geo_fd *file)
{
    struct geo_fd now;
    if (file_read(file->number, &now) && now.type == file->type && now.device == file->device &&
        now.inode == file->inode &&
        (now.serial == file->serial || now.serial == 0 || file->serial == 0) &&
        (now.type != 0 || fcntl(now.number, F_GETSIG) == MARK)) {
        return now.number;
    }
    errno = EBADF;
    return -1;
}

bool geo_fd_lost(const struct geo_fd *file)
{
    return file->number >= 0 && geo_fd_get(file) < 0;
}

void geo_fd_close(struct geo_fd *file)
{
    int reason = errno;
    int fd = geo_fd_get(file);
    if (fd >= 0) {
        close(fd);
    }
    file->number = -1;
    errno = reason;
}
