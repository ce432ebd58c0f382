/* Implementation of device_ze.h. Every buffer lies between two guard zones; with CORPUS_UNALIGNED
 * it is aligned to its element and to nothing more, which is all that a kernel with a scalar
 * pointer may rely on. */
#include "device_ze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "formats.h"

enum { GUARD = 256, GUARD_BYTE = 0x5C };

static bool failed(const struct corpus_ze *ze, ze_result_t result, const char *what, char *text,
                   size_t text_bytes)
{
    const char *words = NULL;
    if (result == ZE_RESULT_SUCCESS) {
        return false;
    }
    if (!ze->driver || zeDriverGetLastErrorDescription(ze->driver, &words) != ZE_RESULT_SUCCESS ||
        !words) {
        words = "";
    }
    snprintf(text, text_bytes, "%s gives 0x%x %s", what, (unsigned)result, words);
    return true;
}

#define TRY(call)                                                                                  \
    if (failed(ze, (call), #call, text, text_bytes)) {                                             \
        return false;                                                                              \
    }

bool corpus_ze_open(struct corpus_ze *ze, char *text, size_t text_bytes)
{
    memset(ze, 0, sizeof(*ze));
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    uint32_t count = 1;
    TRY(zeInitDrivers(&count, &ze->driver, &types));
    count = 1;
    TRY(zeDeviceGet(ze->driver, &count, &ze->device));
    ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    TRY(zeContextCreate(ze->driver, &context, &ze->context));
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    TRY(zeCommandListCreateImmediate(ze->context, ze->device, &queue, &ze->list));
    void *address = NULL;
    if (zeDriverGetExtensionFunctionAddress(ze->driver, "zeKernelSetGlobalOffsetExp", &address) ==
        ZE_RESULT_SUCCESS) {
        memcpy(&ze->set_offset, &address, sizeof(address));
    }
    return true;
}

bool corpus_ze_close(struct corpus_ze *ze, char *text, size_t text_bytes)
{
    TRY(zeCommandListDestroy(ze->list));
    TRY(zeContextDestroy(ze->context));
    return true;
}

static void append_log(ze_module_build_log_handle_t log, char *text, size_t text_bytes)
{
    size_t used = strlen(text), size = 0;
    if (zeModuleBuildLogGetString(log, &size, NULL) != ZE_RESULT_SUCCESS || size == 0) {
        return;
    }
    char *words = calloc(1, size + 1);
    if (words && zeModuleBuildLogGetString(log, &size, words) == ZE_RESULT_SUCCESS) {
        snprintf(text + used, text_bytes - used, "\n%s", words);
    }
    free(words);
}

bool corpus_ze_build(struct corpus_ze *ze, const char *path, const char *flags,
                     ze_module_handle_t *module, char *text, size_t text_bytes)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .pBuildFlags = flags};
    uint8_t *bytes = corpus_file_read(path, &desc.inputSize, text, text_bytes);
    if (!bytes) {
        return false;
    }
    desc.pInputModule = bytes;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(ze->context, ze->device, &desc, module, &log);
    bool good = !failed(ze, result, "zeModuleCreate", text, text_bytes);
    if (!good && log) {
        append_log(log, text, text_bytes);
    }
    if (log) {
        zeModuleBuildLogDestroy(log);
    }
    free(bytes);
    return good;
}

bool corpus_ze_can(const struct corpus_ze *ze, const struct corpus_shape *shape)
{
    return ze->set_offset || (shape->offset[0] | shape->offset[1] | shape->offset[2]) == 0;
}

struct launch {
    struct corpus_ze *ze;
    struct corpus_run *run;
    ze_kernel_handle_t kernel;
    uint8_t *base[CORPUS_MAX_ARGS]; /* of the allocation */
    uint8_t *data[CORPUS_MAX_ARGS]; /* of the argument */
    ze_image_handle_t images[CORPUS_MAX_ARGS];
};

/* ---- images ---- */

static bool image_create(struct launch *launch, size_t arg, char *text, size_t text_bytes)
{
    static const ze_image_type_t types[] = {ZE_IMAGE_TYPE_1D, ZE_IMAGE_TYPE_2D, ZE_IMAGE_TYPE_3D};
    static const ze_image_type_t arrays[] = {ZE_IMAGE_TYPE_1DARRAY, ZE_IMAGE_TYPE_2DARRAY};
    struct corpus_ze *ze = launch->ze;
    const struct corpus_image *image = launch->run->test->args[arg].bytes;
    const ze_image_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = image->array ? arrays[image->dims - 1] : types[image->dims - 1],
        .format = corpus_formats[image->format],
        .width = image->extents[0],
        .height = image->dims > 1 ? image->extents[1] : 1,
        .depth = image->dims > 2 ? image->extents[2] : 1,
        .arraylevels = image->array ? image->extents[image->dims] : 0,
    };
    TRY(zeImageCreate(ze->context, ze->device, &desc, &launch->images[arg]));
    TRY(zeCommandListAppendImageCopyFromMemory(ze->list, launch->images[arg],
                                               launch->run->memory[arg], NULL, NULL, 0, NULL));
    return true;
}

static bool image_read(struct launch *launch, size_t arg, char *text, size_t text_bytes)
{
    struct corpus_ze *ze = launch->ze;
    TRY(zeCommandListAppendImageCopyToMemory(ze->list, launch->run->memory[arg],
                                             launch->images[arg], NULL, NULL, 0, NULL));
    return true;
}

/* ---- buffers ---- */

static bool buffer_create(struct launch *launch, size_t arg, char *text, size_t text_bytes)
{
    struct corpus_ze *ze = launch->ze;
    struct corpus_run *run = launch->run;
    size_t shift =
        run->test->flags & CORPUS_UNALIGNED ? corpus_type_bytes(run->test->args[arg].type) : 0;
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    size_t bytes = run->bytes[arg] + 2 * GUARD + shift;
    void *pointer = NULL;
    TRY(zeMemAllocShared(ze->context, &device, &host, bytes, 128, ze->device, &pointer));
    memset(pointer, GUARD_BYTE, bytes);
    launch->base[arg] = pointer;
    launch->data[arg] = launch->base[arg] + GUARD + shift;
    memcpy(launch->data[arg], run->memory[arg], run->bytes[arg]);
    return true;
}

static bool buffer_check(const struct launch *launch, size_t arg, char *text, size_t text_bytes)
{
    const uint8_t *base = launch->base[arg], *data = launch->data[arg];
    const uint8_t *end = data + launch->run->bytes[arg];
    for (const uint8_t *at = base; at < end + GUARD; at++) {
        at = at == data ? end : at;
        if (*at != GUARD_BYTE) {
            snprintf(text, text_bytes,
                     "argument %zu: a byte %s the buffer was written, %td from its %s", arg,
                     at < data ? "before" : "after", at < data ? data - at : at - end,
                     at < data ? "start" : "end");
            return false;
        }
    }
    return true;
}

static bool set_argument(struct launch *launch, size_t index, char *text, size_t text_bytes)
{
    struct corpus_ze *ze = launch->ze;
    struct corpus_run *run = launch->run;
    const struct corpus_arg *arg = &run->test->args[index];
    uint32_t number = (uint32_t)index;
    switch (arg->kind) {
    case ARG_VALUE:
        TRY(zeKernelSetArgumentValue(launch->kernel, number, run->bytes[index], &arg->value));
        return true;
    case ARG_STRUCT:
        TRY(zeKernelSetArgumentValue(launch->kernel, number, run->bytes[index], arg->bytes));
        return true;
    case ARG_LOCAL:
        TRY(zeKernelSetArgumentValue(launch->kernel, number, run->bytes[index], NULL));
        return true;
    case ARG_IMAGE:
        if (!image_create(launch, index, text, text_bytes)) {
            return false;
        }
        TRY(zeKernelSetArgumentValue(launch->kernel, number, sizeof(ze_image_handle_t),
                                     &launch->images[index]));
        return true;
    default:
        if (!buffer_create(launch, index, text, text_bytes)) {
            return false;
        }
        TRY(zeKernelSetArgumentValue(launch->kernel, number, sizeof(void *), &launch->data[index]));
        return true;
    }
}

static bool execute(struct launch *launch, char *text, size_t text_bytes)
{
    struct corpus_ze *ze = launch->ze;
    const struct corpus_shape *shape = launch->run->shape;
    for (size_t i = 0; i < launch->run->count; i++) {
        if (!set_argument(launch, i, text, text_bytes)) {
            return false;
        }
    }
    TRY(zeKernelSetGroupSize(launch->kernel, shape->local[0], shape->local[1], shape->local[2]));
    if (ze->set_offset) {
        TRY(ze->set_offset(launch->kernel, shape->offset[0], shape->offset[1], shape->offset[2]));
    }
    ze_group_count_t groups = {shape->groups[0], shape->groups[1], shape->groups[2]};
    TRY(zeCommandListAppendLaunchKernel(ze->list, launch->kernel, &groups, NULL, 0, NULL));
    for (size_t i = 0; i < launch->run->count; i++) {
        if (launch->images[i] && !image_read(launch, i, text, text_bytes)) {
            return false;
        }
        if (!launch->base[i]) {
            continue;
        }
        if (!buffer_check(launch, i, text, text_bytes)) {
            return false;
        }
        memcpy(launch->run->memory[i], launch->data[i], launch->run->bytes[i]);
    }
    return true;
}

bool corpus_ze_run(struct corpus_ze *ze, ze_module_handle_t module, struct corpus_run *run,
                   char *text, size_t text_bytes)
{
    struct launch launch = {.ze = ze, .run = run};
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                             .pKernelName = run->test->kernel};
    TRY(zeKernelCreate(module, &desc, &launch.kernel));
    bool good = execute(&launch, text, text_bytes);
    for (size_t i = 0; i < run->count; i++) {
        if (launch.base[i]) {
            zeMemFree(ze->context, launch.base[i]);
        }
        if (launch.images[i]) {
            zeImageDestroy(launch.images[i]);
        }
    }
    TRY(good ? zeKernelDestroy(launch.kernel) : ZE_RESULT_SUCCESS);
    return good;
}
