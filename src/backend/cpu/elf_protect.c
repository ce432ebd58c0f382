/* Makes code executable and constants read-only. See elf_protect.h. */
#include "backend/cpu/elf_protect.h"

#include "backend/cpu/elf_file.h"
#include "base/log.h"
#include "base/memfd.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Replaces the code by a mapping of a private file with the same contents. */
static bool code_map(const struct geo_elf_image *image)
{
    int fd = geo_memfd_create("geoid-code", image->code_bytes);
    if (fd < 0) {
        return false;
    }
    bool mapped = geo_elf_file_write(fd, image->base, image->code_bytes, 0) &&
                  mmap(image->base, image->code_bytes, PROT_READ | PROT_EXEC,
                       MAP_PRIVATE | MAP_FIXED, fd, 0) == image->base;
    int reason = errno;
    close(fd);
    errno = reason;
    return mapped;
}

/* Maps the code from a file, if the user wants that. A failure is a warning: programs run without
 * the file. */
static bool code_file(const struct geo_elf_object *object, const struct geo_elf_image *image)
{
    const char *folder = geo_elf_file_folder();
    if (!folder) {
        return false;
    }
    if (!geo_elf_file_map(object, image, folder)) {
        geo_log("cpu", GEO_LOG_WARN, "GEOID_CODE_FOLDER: no file in %s: %s", folder,
                strerror(errno));
        return false;
    }
    return true;
}

/* Makes the code executable. Some systems refuse to make memory executable that was writable
 * (PR_SET_MDWE, SELinux), but allow executable mappings of files. */
static bool code_protect(const struct geo_elf_object *object, const struct geo_elf_image *image)
{
    return image->code_bytes == 0 || code_file(object, image) ||
           mprotect(image->base, image->code_bytes, PROT_READ | PROT_EXEC) == 0 || code_map(image);
}

static bool constants_protect(const struct geo_elf_image *image)
{
    return image->constant_bytes == 0 ||
           mprotect(image->base + image->code_bytes, image->constant_bytes, PROT_READ) == 0;
}

ze_result_t geo_elf_protect(const struct geo_elf_object *object, const struct geo_elf_image *image,
                            struct geo_strbuf *log)
{
    if (code_protect(object, image) && constants_protect(image)) {
        /* no effect on x86-64, where instruction fetches see earlier stores */
        __builtin___clear_cache((char *)image->base, (char *)image->base + image->code_bytes);
        return ZE_RESULT_SUCCESS;
    }
    bool memory = errno == ENOMEM;
    geo_strbuf_printf(log, "error: the system does not let code be made executable: %s\n",
                      strerror(errno));
    return memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}
