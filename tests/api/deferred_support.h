/* Modules whose kernels are built when they are created, in API tests. The number of builds is that
 * of the files which GEOID_DUMP writes. */
#ifndef TESTS_API_DEFERRED_SUPPORT_H
#define TESTS_API_DEFERRED_SUPPORT_H

#include "harness.h"
#include "patience.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 64, LOG_BYTES = 8192, NAMES_MAX = 32 };

/* Reads a module of tests/api/kernels. OpNops behind the header make it at least as large as
 * `least` bytes. The caller frees it. */
static inline uint8_t *spirv_pad(const char *name, size_t least, size_t *size)
{
    enum { HEADER_BYTES = 20 };
    char path[256];
    size_t read;
    snprintf(path, sizeof(path), "tests/%s.spv", name);
    uint8_t *file = api_read_file(path, &read);
    *size = read < least ? least : read;
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, file, HEADER_BYTES);
    for (size_t at = HEADER_BYTES; at < *size; at += 4) {
        memcpy(bytes + at, &(uint32_t){1u << 16}, 4);
    }
    memcpy(bytes + *size - (read - HEADER_BYTES), file + HEADER_BYTES, read - HEADER_BYTES);
    free(file);
    return bytes;
}

static inline void build_kernels(const char *kernels)
{
    kernels ? setenv("GEOID_BUILD_KERNELS", kernels, 1) : unsetenv("GEOID_BUILD_KERNELS");
}

/* Creates a module of at least `least` bytes with GEOID_BUILD_KERNELS set. */
static inline ze_result_t module_pad(struct api *api, const char *name, const char *kernels,
                                     size_t least, ze_module_handle_t *module,
                                     ze_module_build_log_handle_t *log)
{
    size_t size;
    uint8_t *bytes = spirv_pad(name, least, &size);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes};
    build_kernels(kernels);
    ze_result_t result = zeModuleCreate(api->context, api->device, &desc, module, log);
    build_kernels(NULL);
    free(bytes);
    return result;
}

static inline ze_result_t module_try(struct api *api, const char *name, const char *kernels,
                                     ze_module_handle_t *module, ze_module_build_log_handle_t *log)
{
    return module_pad(api, name, kernels, 0, module, log);
}

static inline ze_module_handle_t module_build(struct api *api, const char *name,
                                              const char *kernels)
{
    ze_module_handle_t module = NULL;
    assert_success(module_try(api, name, kernels, &module, NULL));
    return module;
}

static inline ze_result_t kernel_try(ze_module_handle_t module, const char *name,
                                     ze_kernel_handle_t *kernel)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    *kernel = NULL;
    return zeKernelCreate(module, &desc, kernel);
}

/* Runs a kernel with one argument over ITEMS items in groups of 8. */
static inline void kernel_run(struct api *api, ze_kernel_handle_t kernel, size_t size,
                              const void *value)
{
    struct api_list list = api_list_create(api);
    const ze_group_count_t groups = {ITEMS / 8, 1, 1};
    assert_success(zeKernelSetGroupSize(kernel, 8, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, size, value));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
}

static inline void run(struct api *api, ze_module_handle_t module, const char *name, size_t size,
                       const void *value)
{
    ze_kernel_handle_t kernel = api_kernel(module, name);
    kernel_run(api, kernel, size, value);
    assert_success(zeKernelDestroy(kernel));
}

static inline void run_on_value(struct api *api, ze_module_handle_t module, const char *name,
                                int value)
{
    run(api, module, name, sizeof(value), &value);
}

static inline int *global_of(ze_module_handle_t module, const char *name)
{
    void *address = NULL;
    assert_success(zeModuleGetGlobalPointer(module, name, NULL, &address));
    return address;
}

/* ---- builds that were made ---- */

static char folder[256];

/* Calls back for each file in the folder of dumps that has this ending, and counts them. */
static inline unsigned dumps_visit(const char *ending, void (*visit)(const char *path))
{
    unsigned count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] != '.' && dot && (!ending || strcmp(dot, ending) == 0)) {
            char path[600];
            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
            visit ? visit(path) : (void)0;
            count++;
        }
    }
    closedir(directory);
    return count;
}

static inline void dumps_begin(void)
{
    snprintf(folder, sizeof(folder), "%s/deferred-XXXXXX", getenv("GEOID_BUILD_DIR"));
    assert_non_null(mkdtemp(folder));
    setenv("GEOID_DUMP", folder, 1);
}

static inline unsigned builds_made(void)
{
    return dumps_visit(".spv", NULL);
}

static inline void file_remove(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

/* Removes the folder. A build that has begun may still write files. */
static inline void dumps_end(void)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    unsetenv("GEOID_DUMP");
    dumps_visit(NULL, file_remove);
    for (unsigned ms = 0; rmdir(folder) != 0; ms += 5) {
        assert_int_equal(errno, ENOTEMPTY);
        assert_true(ms < 1000 * patience_s());
        nanosleep(&nap, NULL);
        dumps_visit(NULL, file_remove);
    }
}

static inline void *binary_of(ze_module_handle_t module, size_t *size)
{
    *size = 0;
    assert_success(zeModuleGetNativeBinary(module, size, NULL));
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_success(zeModuleGetNativeBinary(module, size, bytes));
    return bytes;
}

#endif
