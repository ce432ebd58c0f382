/* Builds kernels of a linked module apart from it, and loads them. See module_kernels.h. */
#include "driver/program/module_kernels.h"

#include "driver/program/link.h"

#include <stdlib.h>

/* Returns whether a binary has the code of exactly these kernels, and finds their numbers. */
static bool has_kernels(const struct geo_module_binary *binary, uint32_t count,
                        const char *const *names, uint32_t *numbers)
{
    bool good = binary->view.header->kernel_count == count && !geo_module_binary_defers(binary);
    for (uint32_t i = 0; i < count && good; i++) {
        good = geo_module_binary_kernel(binary, names[i], &numbers[i]);
    }
    return good;
}

/* Loads the code of kernels and binds it to the variables of its units. */
static ze_result_t kernels_bind(struct geo_link *link, const struct geo_link_member *member,
                                struct geo_module_binary *native)
{
    ze_result_t result = geo_module_code_part_init(member->part, member->module->binary);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_module_code_part_load(member->part, native, link->log);
    }
    return result == ZE_RESULT_SUCCESS ? geo_module_link_bind(link, member) : result;
}

ze_result_t geo_module_kernels_build(struct geo_module *module, enum geo_module_kernels_code code,
                                     uint32_t count, const char *const *names,
                                     struct geo_module_code **set, uint32_t *numbers,
                                     struct geo_strbuf *log)
{
    *set = geo_module_code_create(module->base.driver->ops->program, module->device->backend_device,
                                  1);
    if (!*set) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a kernel");
    }
    struct geo_link link = {.set = *set, .log = log};
    struct geo_link_member member = {.module = module, .part = &(*set)->parts[0]};
    struct geo_module_binary *native = NULL;
    ze_result_t result = geo_module_link_build_again(&link, &member, code, count, names, &native);
    if (result == ZE_RESULT_SUCCESS && !has_kernels(native, count, names, numbers)) {
        geo_strbuf_printf(log, "error: internal: the build has no code of kernel %s\n", names[0]);
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = kernels_bind(&link, &member, native);
    }
    geo_module_binary_unref(native);
    free(member.units);
    if (result != ZE_RESULT_SUCCESS) {
        geo_module_code_unref(*set);
        *set = NULL;
    }
    return result;
}

bool geo_module_kernels_is_final(ze_result_t result)
{
    return result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ||
           result == ZE_RESULT_ERROR_MODULE_LINK_FAILURE ||
           result == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY ||
           result == ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
