/* Absolute paths. See path.h. The dynamic linker may know this library by a relative path, too. */
#include "base/path.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[GEO_PATH_BYTES];

__attribute__((constructor(101))) static void folder_read(void) /* before all that read options */
{
    if (!getcwd(folder, sizeof(folder)) || folder[0] != '/') {
        folder[0] = '\0';
    }
}

const char *geo_path_folder(void)
{
    return folder;
}

bool geo_path_absolute(const char *path, char *out, size_t size)
{
    bool relative = path[0] != '/' && folder[0] != '\0';
    int length = snprintf(out, size, "%s%s%s", relative ? folder : "", relative ? "/" : "", path);
    return length >= 0 && (size_t)length < size;
}

bool geo_path_beside(const void *address, const char *entry, char *out, size_t size)
{
    Dl_info file;
    char path[GEO_PATH_BYTES];
    if (!dladdr(address, &file) || !file.dli_fname || !strchr(file.dli_fname, '/') ||
        !geo_path_absolute(file.dli_fname, path, sizeof(path))) {
        return false;
    }
    const char *slash = strrchr(path, '/');
    int length = entry ? snprintf(out, size, "%.*s/%s", (int)(slash - path), path, entry)
                       : snprintf(out, size, "%s", path);
    return length >= 0 && (size_t)length < size;
}
