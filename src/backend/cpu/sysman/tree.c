/* Accesses files below a root folder: opening, bounds, numbers. See tree.h. */
#include "backend/cpu/sysman/tree.h"

#include "base/file_limit.h"
#include "base/path.h"
#include "base/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES (4u << 20) /* longer files are cut when they are read line by line */

/* ---- paths ---- */

struct geo_tree_path geo_tree_path(const char *format, ...)
{
    struct geo_tree_path path;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path.text, sizeof(path.text), format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof(path.text)) {
        path.text[0] = '\0';
    }
    return path;
}

bool geo_tree_init(struct geo_tree *tree, const char *root)
{
    root = root ? root : "";
    size_t length = strlen(root);
    while (length > 0 && root[length - 1] == '/') {
        length--;
    }
    if (length >= sizeof(tree->root)) {
        return false;
    }
    memcpy(tree->root, root, length);
    tree->root[length] = '\0';
    return true;
}

/* Returns the path below the root, which the caller frees. Returns NULL with errno ENOENT if the
 * path does not begin with a slash, and with ENOMEM if memory ran out. */
static char *path_full(const struct geo_tree *tree, const char *path)
{
    errno = ENOENT;
    return path[0] == '/' ? geo_path_format("%s%s", tree->root, path) : NULL;
}

/* ---- results ---- */

static _Thread_local bool starved;

void geo_tree_starve(void)
{
    starved = true;
}

void geo_tree_feed(void)
{
    starved = false;
}

bool geo_tree_starved(void)
{
    return starved;
}

static ze_result_t error_result(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
        return ZE_RESULT_ERROR_DEVICE_LOST;
    case EACCES:
    case EPERM:
    case EROFS:
        return ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        starved = true;
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    default: /* EIO, EBUSY, ENODATA, EINVAL */
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
}

static ze_result_t failed(const struct geo_tree *tree, const char *path, int error,
                          struct geo_strbuf *why)
{
    if (why) {
        geo_strbuf_printf(why, "%s%s: %s", tree->root, path, strerror(error));
    }
    return error_result(error);
}

static ze_result_t nonsense(const struct geo_tree *tree, const char *path, const char *what,
                            struct geo_strbuf *why)
{
    if (why) {
        geo_strbuf_printf(why, "%s%s: %s", tree->root, path, what);
    }
    return ZE_RESULT_ERROR_UNKNOWN;
}

/* ---- opening and reading ---- */

static ze_result_t file_open(const struct geo_tree *tree, const char *path, int flags, int *out,
                             struct geo_strbuf *why)
{
    GEO_ROOM_TEXT(full, path_full(tree, path));
    struct stat status;
    int fd = -1;
    if (full) {
        fd = open(full, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    }
    if (fd < 0) {
        return failed(tree, path, errno, why);
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return nonsense(tree, path, "not a regular file", why);
    }
    *out = fd;
    return ZE_RESULT_SUCCESS;
}

/* Reads until `size` bytes or the end of the file. Returns the length, or -1 as read(2). */
static ssize_t bytes_read(int fd, char *bytes, size_t size)
{
    size_t length = 0;
    while (length < size) {
        ssize_t got = read(fd, bytes + length, size - length);
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        length += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)length;
}

ze_result_t geo_tree_bytes(const struct geo_tree *tree, const char *path, void *bytes, size_t size,
                           size_t *length, struct geo_strbuf *why)
{
    int fd;
    ze_result_t result = file_open(tree, path, O_RDONLY, &fd, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    ssize_t got = bytes_read(fd, bytes, size);
    int error = errno;
    close(fd);
    if (got < 0) {
        return failed(tree, path, error, why);
    }
    *length = (size_t)got;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_tree_text(const struct geo_tree *tree, const char *path, char *text, size_t size,
                          struct geo_strbuf *why)
{
    char value[GEO_TREE_VALUE + 1];
    size_t length;
    ze_result_t result = geo_tree_bytes(tree, path, value, sizeof(value), &length, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    while (length > 0 && (value[length - 1] == '\n' || value[length - 1] == ' ')) {
        length--;
    }
    if (length >= size || length > GEO_TREE_VALUE || memchr(value, '\0', length) ||
        memchr(value, '\n', length)) {
        return nonsense(tree, path, "more than a value", why);
    }
    memcpy(text, value, length);
    text[length] = '\0';
    return ZE_RESULT_SUCCESS;
}

bool geo_tree_text_known(const struct geo_tree *tree, const char *path, char *text, size_t size)
{
    return geo_tree_text(tree, path, text, size, NULL) == ZE_RESULT_SUCCESS;
}

/* ---- numbers ---- */

ze_result_t geo_tree_number(const struct geo_tree *tree, const char *path, int64_t *number,
                            struct geo_strbuf *why)
{
    char text[32], *end;
    ze_result_t result = geo_tree_text(tree, path, text, sizeof(text), why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || text[0] == ' ' || text[0] == '\t') {
        return nonsense(tree, path, "not a number", why);
    }
    *number = value;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_tree_number_or(const struct geo_tree *tree, const char *path, int64_t fallback,
                               int64_t *number, struct geo_strbuf *why)
{
    if (!geo_tree_has(tree, path)) {
        *number = fallback;
        return ZE_RESULT_SUCCESS;
    }
    return geo_tree_number(tree, path, number, why);
}

int64_t geo_tree_known(const struct geo_tree *tree, const char *path, int64_t fallback)
{
    int64_t number;
    return geo_tree_number(tree, path, &number, NULL) == ZE_RESULT_SUCCESS ? number : fallback;
}

/* ---- writing ---- */

ze_result_t geo_tree_write(const struct geo_tree *tree, const char *path, const char *text,
                           struct geo_strbuf *why)
{
    int fd;
    ze_result_t result = file_open(tree, path, O_WRONLY | O_TRUNC, &fd, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    size_t length = strlen(text);
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    ssize_t written = write(fd, text, length);
    geo_file_limit_release(&limit);
    int error = written < 0 ? errno : EIO;
    close(fd);
    return written == (ssize_t)length ? ZE_RESULT_SUCCESS : failed(tree, path, error, why);
}

ze_result_t geo_tree_write_number(const struct geo_tree *tree, const char *path, int64_t number,
                                  struct geo_strbuf *why)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld\n", (long long)number);
    return geo_tree_write(tree, path, text, why);
}

static bool file_status(const struct geo_tree *tree, const char *path, struct stat *status)
{
    GEO_ROOM_TEXT(full, path_full(tree, path));
    if (!full) {
        (void)error_result(errno); /* notes a lack of memory */
    }
    return full && stat(full, status) == 0 && S_ISREG(status->st_mode);
}

bool geo_tree_has(const struct geo_tree *tree, const char *path)
{
    struct stat status;
    return file_status(tree, path, &status);
}

bool geo_tree_settable(const struct geo_tree *tree, const char *path)
{
    struct stat status;
    return file_status(tree, path, &status) && (status.st_mode & 0222) != 0;
}

/* ---- names ---- */

static bool name_fits(const char *name, const char *prefix)
{
    if (strncmp(name, prefix, strlen(prefix)) != 0 || name[0] == '.') {
        return false;
    }
    for (const char *at = name; *at; at++) {
        if (*at <= ' ' || *at > '~') {
            return false;
        }
    }
    return true;
}

static int names_compare(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the next matching name, or NULL at the end or after GEO_TREE_NAMES names. */
static const char *name_next(DIR *folder, const char *prefix, uint32_t *seen)
{
    for (struct dirent *entry; *seen < GEO_TREE_NAMES && (entry = readdir(folder)) != NULL;) {
        ++*seen;
        if (name_fits(entry->d_name, prefix)) {
            return entry->d_name;
        }
    }
    return NULL;
}

/* Reads the folder twice: counts the names, then stores them. Names that appear in between are left
 * out. */
static bool names_read(DIR *folder, const char *prefix, struct geo_arena *arena,
                       struct geo_tree_names *out)
{
    uint32_t seen = 0, room = 0;
    while (name_next(folder, prefix, &seen)) {
        room++;
    }
    rewinddir(folder);
    out->names = room ? geo_arena_new_array(arena, const char *, room) : NULL;
    seen = 0;
    for (const char *name; out->count < room && (name = name_next(folder, prefix, &seen));) {
        const char *copy = out->names ? geo_arena_string(arena, name, strlen(name)) : NULL;
        if (!copy) {
            return false;
        }
        out->names[out->count++] = copy;
    }
    return true;
}

bool geo_tree_list(const struct geo_tree *tree, const char *folder, const char *prefix,
                   struct geo_arena *arena, struct geo_tree_names *out)
{
    GEO_ROOM_TEXT(full, path_full(tree, folder));
    *out = (struct geo_tree_names){0};
    DIR *stream = full ? opendir(full) : NULL;
    if (!stream) {
        return error_result(errno) != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    bool complete = names_read(stream, prefix, arena, out);
    closedir(stream);
    if (complete && out->count > 1) {
        qsort(out->names, out->count, sizeof(out->names[0]), names_compare);
    }
    return complete;
}

/* Returns the number after the prefix, or 64 when it is invalid or too large. */
static unsigned name_number(const char *name, const char *prefix)
{
    const char *digits = name + strlen(prefix);
    char *end;
    if (*digits < '0' || *digits > '9') {
        return 64;
    }
    unsigned long number = strtoul(digits, &end, 10);
    return *end == '\0' && number < 64 ? (unsigned)number : 64;
}

uint64_t geo_tree_numbers(const struct geo_tree *tree, const char *folder, const char *prefix)
{
    GEO_ROOM_TEXT(full, path_full(tree, folder));
    uint64_t set = 0;
    uint32_t seen = 0;
    DIR *stream = full ? opendir(full) : NULL;
    if (!stream) {
        (void)error_result(errno); /* records a lack of descriptors */
        return 0;
    }
    for (const char *name; (name = name_next(stream, prefix, &seen)) != NULL;) {
        unsigned number = name_number(name, prefix);
        set |= number < 64 ? UINT64_C(1) << number : 0;
    }
    closedir(stream);
    return set;
}

/* ---- lines ---- */

ze_result_t geo_tree_lines_open(struct geo_tree_lines *lines, const struct geo_tree *tree,
                                const char *path, struct geo_strbuf *why)
{
    lines->begin = lines->end = lines->read = 0;
    lines->ended = false;
    return file_open(tree, path, O_RDONLY, &lines->fd, why);
}

static void lines_fill(struct geo_tree_lines *lines)
{
    size_t left = lines->end - lines->begin;
    memmove(lines->text, lines->text + lines->begin, left);
    lines->begin = 0;
    lines->end = left;
    ssize_t got = bytes_read(lines->fd, lines->text + left, sizeof(lines->text) - 1 - left);
    lines->end += got > 0 ? (size_t)got : 0;
    lines->read += got > 0 ? (size_t)got : 0;
    lines->ended = got <= 0 || lines->end < sizeof(lines->text) - 1 || lines->read > FILE_BYTES;
    for (char *at = lines->text + left;
         (at = memchr(at, '\0', lines->end - (size_t)(at - lines->text))) != NULL;) {
        *at = '?';
    }
}

/* Returns the next line. The rest of an overlong line is returned as further lines. */
char *geo_tree_lines_next(struct geo_tree_lines *lines)
{
    char *end = memchr(lines->text + lines->begin, '\n', lines->end - lines->begin);
    if (!end && !lines->ended) {
        lines_fill(lines);
        end = memchr(lines->text + lines->begin, '\n', lines->end - lines->begin);
    }
    if (!end && lines->begin == lines->end) {
        return NULL;
    }
    end = end ? end : lines->text + lines->end;
    char *line = lines->text + lines->begin;
    *end = '\0';
    lines->begin = (size_t)(end - lines->text) + 1;
    lines->begin = lines->begin > lines->end ? lines->end : lines->begin;
    return line;
}

void geo_tree_lines_close(struct geo_tree_lines *lines)
{
    close(lines->fd);
}
