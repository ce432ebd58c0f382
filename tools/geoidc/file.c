/* Reads input files and writes output files. See file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP ((size_t)1 << 16)

/* ---- reading ---- */

/* Reads until the end. The size of a pipe is unknown, so the memory grows with the bytes. */
static bool descriptor_read(int fd, const char *path, struct file *out)
{
    size_t capacity = 0;
    for (;;) {
        if (capacity - out->count < STEP + 1) {
            capacity = capacity ? 2 * capacity : 4 * STEP;
            uint8_t *grown = realloc(out->bytes, capacity);
            if (!grown) {
                geoidc_error("%s: no memory for its content", path);
                return false;
            }
            out->bytes = grown;
        }
        ssize_t got = read(fd, out->bytes + out->count, STEP);
        if (got < 0 && errno != EINTR) {
            geoidc_error("cannot read %s: %s", path, strerror(errno));
            return false;
        }
        out->count += got > 0 ? (size_t)got : 0;
        if (out->count > FILE_BYTES_MAX) {
            geoidc_error("%s is too large: at most %zu MiB are read", path, FILE_BYTES_MAX >> 20);
            return false;
        }
        if (got == 0) {
            out->bytes[out->count] = 0;
            return true;
        }
    }
}

bool file_read(const char *path, struct file *out)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat status;
    *out = (struct file){0};
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        geoidc_error("cannot open %s: %s", path, strerror(errno));
        return false;
    }
    bool good = fstat(fd, &status) == 0;
    if (good && S_ISDIR(status.st_mode)) {
        geoidc_error("%s is a folder", path);
        good = false;
    } else if (good && S_ISREG(status.st_mode) && (uint64_t)status.st_size > FILE_BYTES_MAX) {
        geoidc_error("%s is too large: at most %zu MiB are read", path, FILE_BYTES_MAX >> 20);
        good = false;
    }
    good = good && descriptor_read(fd, path, out);
    if (!standard) {
        close(fd);
    }
    if (!good) {
        file_finish(out);
    }
    return good;
}

void file_finish(struct file *file)
{
    free(file->bytes);
    *file = (struct file){0};
}

/* ---- writing ---- */

static bool all_written(int fd, const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t done = write(fd, bytes, count);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        bytes += done > 0 ? done : 0;
        count -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* Writes a new file beside `path`, and puts it in its place. */
static bool file_replace(const char *path, const uint8_t *bytes, size_t count, mode_t mode)
{
    char *other = NULL;
    if (asprintf(&other, "%s.XXXXXX", path) < 0) {
        errno = ENOMEM;
        return false;
    }
    int fd = mkostemp(other, O_CLOEXEC);
    bool good = fd >= 0 && all_written(fd, bytes, count) && fchmod(fd, mode) == 0;
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(other, path) != 0) {
        good = false;
        reason = errno;
    }
    if (fd >= 0 && !good) {
        unlink(other);
    }
    free(other);
    errno = reason;
    return good;
}

/* Returns the permissions that a new file gets. */
static mode_t mode_of_new(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

bool file_write(const char *path, const void *bytes, size_t count)
{
    struct stat status;
    bool good;
    if (strcmp(path, "-") == 0) {
        path = "standard output";
        good = all_written(STDOUT_FILENO, bytes, count);
    } else if (stat(path, &status) != 0) {
        good = file_replace(path, bytes, count, mode_of_new());
    } else if (S_ISDIR(status.st_mode)) {
        geoidc_error("cannot write %s: it is a folder", path);
        return false;
    } else if (S_ISREG(status.st_mode)) {
        good = access(path, W_OK) == 0 && file_replace(path, bytes, count, status.st_mode & 07777);
    } else {
        /* a device or a pipe */
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        good = fd >= 0 && all_written(fd, bytes, count);
        good = (fd < 0 || close(fd) == 0) && good;
    }
    if (!good) {
        geoidc_error("cannot write %s: %s", path, strerror(errno));
    }
    return good;
}

/* ---- names ---- */

char *file_trunk(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *dot = strrchr(name, '.');
    return strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

bool file_has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcmp(path + length - tail, extension) == 0;
}
