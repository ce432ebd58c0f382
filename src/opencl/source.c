/* OpenCL C to SPIR-V, by a clang that is found at run time (src/clang).
 *
 * Source and headers are written to a folder, because clang reads files. Results of sources that
 * include nothing are kept in the cache on disk. */
#include "opencl/source.h"

#include "opencl/device_extensions.h"

#include "base/option.h"
#include "cache/cache.h"
#include "clang/clang.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERMIT_HALF                                                                                \
    "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n#line 1\n"
#define FOLDER_BYTES 1024u

/* ---- files ---- */

/* Writes a file below a folder, and the folders in its name. */
static bool file_write(const char *folder, const char *name, const char *text)
{
    char *path = NULL;
    size_t left = strlen(text);
    if (name[0] == '/' || strstr(name, "..") || asprintf(&path, "%s/%s", folder, name) < 0) {
        return false;
    }
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    free(path);
    while (fd >= 0 && left) {
        ssize_t written = write(fd, text, left);
        if (written < 0 && errno != EINTR) {
            break;
        }
        text += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0 && left == 0;
}

/* Removes a file and the folders in its name that are empty then. */
static void file_remove(const char *folder, const char *name)
{
    char *path = NULL;
    if (name[0] == '/' || strstr(name, "..") || asprintf(&path, "%s/%s", folder, name) < 0) {
        return;
    }
    unlink(path);
    for (char *at = strrchr(path, '/'); at > path + strlen(folder); at = strrchr(path, '/')) {
        *at = '\0';
        if (rmdir(path) != 0) {
            break;
        }
    }
    free(path);
}

/* ---- arguments ---- */

/* Adds what the device has: versions, extensions and features. */
static bool device_arguments(const struct _cl_device_id *device, struct geo_ocl_options *options,
                             bool declares_all)
{
    struct geo_strbuf list;
    geo_strbuf_init(&list, 0);
    geo_strbuf_printf(&list, "-cl-ext=-all");
    for (size_t i = 0; i < device->extension_count; i++) {
        geo_strbuf_printf(&list, ",+%s", device->extension_versions[i].name);
    }
    for (size_t i = 0; i < device->feature_count; i++) {
        geo_strbuf_printf(&list, ",+%s", device->features[i].name);
    }
    bool good = !list.truncated && geo_ocl_options_clang(options, "-Xclang") &&
                geo_ocl_options_clang(options, geo_strbuf_text(&list)) &&
                geo_ocl_options_clang(options, "-D__OPENCL_VERSION__=300") &&
                geo_ocl_options_clang(options, "-mllvm") &&
                geo_ocl_options_clang(options, "-spirv-ext=" GEO_OCL_SPIRV_EXTENSIONS);
    geo_strbuf_finish(&list);
    if (good && !options->has_standard) {
        good = geo_ocl_options_clang(options, "-cl-std=CL1.2");
    }
    /* Extensions define macros, also those that clang does not know. */
    for (size_t i = 0; i < device->extension_count && good; i++) {
        char macro[CL_NAME_VERSION_MAX_NAME_SIZE + 8];
        snprintf(macro, sizeof(macro), "-D%s=1", device->extension_versions[i].name);
        good = geo_ocl_options_clang(options, macro);
    }
    /* Features of extensions are macros, too. clang defines those of OpenCL C 3.0 itself. */
    for (size_t i = device->first_extension_feature; i < device->feature_count && good; i++) {
        char macro[CL_NAME_VERSION_MAX_NAME_SIZE + 8];
        snprintf(macro, sizeof(macro), "-D%s=1", device->features[i].name);
        good = geo_ocl_options_clang(options, macro);
    }
    good = good && geo_ocl_options_clang(options, "-Wno-macro-redefined") &&
           geo_ocl_options_clang(options, "-Wno-builtin-macro-redefined");
    /* clang's tables lack the functions of cl_intel_subgroups; its header has them. */
    return good && (!declares_all || (geo_ocl_options_clang(options, "-cl-no-stdinc") &&
                                      geo_ocl_options_clang(options, "-Xclang") &&
                                      geo_ocl_options_clang(options, "-finclude-default-header")));
}

/* ---- cache ---- */

/* Writes what a result depends on. Returns false if that is not known: files that are included. */
static bool key_make(const struct geo_ocl_options *options, const char *clang, const char *text,
                     struct geo_strbuf *key)
{
    struct stat status;
    if (!geo_cache_is_on() || strstr(text, "#include") || strstr(text, "# include") || !clang ||
        stat(clang, &status) != 0) {
        return false;
    }
    geo_strbuf_printf(key, "opencl-c 3\n%s %lld %lld.%09ld %d\n", clang, (long long)status.st_size,
                      (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec, options->optimizes);
    for (size_t i = 0; i < options->clang.count; i++) {
        if (strcmp(options->clang.items[i], "-include") == 0) {
            return false;
        }
        geo_strbuf_printf(key, "%s\n", options->clang.items[i]);
    }
    geo_strbuf_add(key, text, strlen(text));
    return !key->truncated;
}

static bool cache_find(const struct geo_strbuf *key, struct geo_strbuf *log, uint8_t **spirv,
                       size_t *count)
{
    struct geo_cache_value value;
    if (!geo_cache_find((struct geo_cache_bytes){key->text, key->length}, &value)) {
        return false;
    }
    *spirv = malloc(value.count ? value.count : 1);
    if (*spirv) {
        memcpy(*spirv, value.bytes, value.count);
        *count = value.count;
        geo_strbuf_printf(log, "%s", value.text ? value.text : "");
    }
    geo_cache_release(&value);
    return *spirv != NULL;
}

/* ---- compilation ---- */

static cl_int folder_compile(const char *folder, const char *clang,
                             const struct geo_ocl_options *options, struct geo_strbuf *log,
                             uint8_t **spirv, size_t *count)
{
    static const cl_int results[] = {
        [GEO_CLANG_OK] = CL_SUCCESS,
        [GEO_CLANG_FAILED] = CL_BUILD_PROGRAM_FAILURE,
        [GEO_CLANG_MISSING] = CL_COMPILER_NOT_AVAILABLE,
        [GEO_CLANG_FILE] = CL_BUILD_PROGRAM_FAILURE,
        [GEO_CLANG_NO_MEMORY] = CL_OUT_OF_HOST_MEMORY,
    };
    char *path = NULL;
    if (asprintf(&path, "%s/program.cl", folder) < 0) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    const struct geo_clang_source source = {
        .path = path,
        .clang = clang,
        .option = "GEOID_CLANG",
        .prefix = "Geoid: ",
        .optimize = options->optimizes,
        .arguments = (const char *const *)options->clang.items,
        .argument_count = options->clang.count,
    };
    cl_int result = results[geo_clang_compile(&source, log, spirv, count)];
    free(path);
    return result;
}

/* Writes the program. Numbers of type half are permitted without a pragma, as other compilers of
 * OpenCL C do, because programs rely on it. */
static bool program_write(const char *folder, const char *text)
{
    char *whole = NULL;
    if (asprintf(&whole, "%s%s", PERMIT_HALF, text) < 0) {
        return false;
    }
    bool good = file_write(folder, "program.cl", whole);
    free(whole);
    return good;
}

static cl_int files_compile(const char *text, const struct geo_ocl_header *headers,
                            size_t header_count, const char *clang, struct geo_ocl_options *options,
                            struct geo_strbuf *log, uint8_t **spirv, size_t *count)
{
    const char *parent = getenv("TMPDIR");
    char folder[FOLDER_BYTES];
    parent = parent && *parent ? parent : "/tmp";
    int length = snprintf(folder, sizeof(folder), "%s/geoid-opencl.XXXXXX", parent);
    if (length >= (int)sizeof(folder) || !mkdtemp(folder)) {
        geo_strbuf_printf(log, "Geoid: cannot make a folder in %s (TMPDIR names another): %s\n",
                          parent, strerror(errno));
        return CL_BUILD_PROGRAM_FAILURE;
    }
    cl_int result = program_write(folder, text) ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
    if (result != CL_SUCCESS) {
        geo_strbuf_printf(log, "Geoid: cannot write to %s: %s\n", folder, strerror(errno));
    }
    for (size_t i = 0; i < header_count && result == CL_SUCCESS; i++) {
        if (!file_write(folder, headers[i].name, headers[i].text)) {
            geo_strbuf_printf(log, "Geoid: cannot write the header %s\n", headers[i].name);
            result = CL_BUILD_PROGRAM_FAILURE;
        }
    }
    if (result == CL_SUCCESS && header_count) {
        result = geo_ocl_options_clang(options, "-I") && geo_ocl_options_clang(options, folder)
                     ? CL_SUCCESS
                     : CL_OUT_OF_HOST_MEMORY;
    }
    if (result == CL_SUCCESS) {
        result = folder_compile(folder, clang, options, log, spirv, count);
    }
    for (size_t i = 0; i < header_count; i++) {
        file_remove(folder, headers[i].name);
    }
    file_remove(folder, "program.cl");
    rmdir(folder);
    return result;
}

cl_int geo_ocl_source_compile(const struct _cl_device_id *device, const char *text,
                              const struct geo_ocl_header *headers, size_t header_count,
                              struct geo_ocl_options *options, struct geo_strbuf *log,
                              uint8_t **spirv, size_t *count)
{
    const char *named = geo_option_string("GEOID_CLANG");
    struct geo_strbuf key;
    if (!device_arguments(device, options, strstr(text, "intel_sub_group") != NULL)) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    geo_strbuf_init(&key, 0);
    char *clang = geo_clang_find(named);
    bool has_key = header_count == 0 && key_make(options, clang, text, &key);
    cl_int result = CL_SUCCESS;
    if (!has_key || !cache_find(&key, log, spirv, count)) {
        result = files_compile(text, headers, header_count, named, options, log, spirv, count);
        if (has_key && result == CL_SUCCESS) {
            const struct geo_cache_value value = {
                .bytes = *spirv, .count = *count, .text = geo_strbuf_text(log)};
            geo_cache_store((struct geo_cache_bytes){key.text, key.length}, &value);
        }
    }
    free(clang);
    geo_strbuf_finish(&key);
    return result;
}
