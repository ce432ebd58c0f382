/* Builds absolute paths. See path.h. The dynamic linker may have opened this library by a relative
 * path, which is resolved here too. */
#include "base/path.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[GEO_PATH_BYTES];
static struct stat root;
static bool root_known;

/* Stores the working folder and the root folder at start. Runs before the constructors that read
 * options. */
__attribute__((constructor(101))) static void folder_read(void)
{
    if (!getcwd(folder, sizeof(folder)) || folder[0] != '/') {
        folder[0] = '\0';
    }
    root_known = stat("/", &root) == 0;
}

bool geo_path_root_changed(void)
{
    struct stat now;
    return root_known && stat("/", &now) == 0 &&
           (now.st_dev != root.st_dev || now.st_ino != root.st_ino);
}

void geo_path_set_folder(const char *path)
{
    if (path[0] == '/' && strlen(path) < sizeof(folder)) {
        strcpy(folder, path);
    }
}

const char *geo_path_folder(void)
{
    return folder;
}

static const char *divider(bool relative)
{
    return relative && folder[1] != '\0' ? "/" : ""; /* only the root folder ends with a slash */
}

bool geo_path_absolute(const char *path, char *out, size_t size)
{
    bool relative = path[0] != '/' && folder[0] != '\0';
    int length = snprintf(out, size, "%s%s%s", relative ? folder : "", divider(relative), path);
    return length >= 0 && (size_t)length < size;
}

char *geo_path_copy(const char *path, size_t length)
{
    const bool relative = path[0] != '/' && folder[0] != '\0';
    size_t size = strlen(folder) + 1 + length + 1;
    char *copy = malloc(size);
    if (copy) {
        snprintf(copy, size, "%s%s%.*s", relative ? folder : "", divider(relative), (int)length,
                 path);
    }
    return copy;
}

char *geo_path_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *path = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (path) {
        va_start(args, format);
        vsnprintf(path, (size_t)length + 1, format, args);
        va_end(args);
    }
    return path;
}

char *geo_path_beside(const void *address, const char *entry)
{
    Dl_info file;
    if (!dladdr(address, &file) || !file.dli_fname || !strchr(file.dli_fname, '/')) {
        return NULL;
    }
    char *path = geo_path_copy(file.dli_fname, strlen(file.dli_fname));
    if (path && entry) {
        char *other = geo_path_format("%.*s/%s", (int)(strrchr(path, '/') - path), path, entry);
        free(path);
        return other;
    }
    return path;
}
