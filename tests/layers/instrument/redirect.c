/* A layer that redirects calls, as tools do that replace code. It is written against the public
 * headers, and used by one thread. */
#include "redirect.h"

#include <geoid/layer.h>

#define PAIR_COUNT 16

static enum redirect_mode mode;
static ze_module_handle_t tool;
static unsigned redirected;

static ze_module_dditable_t modules;
static ze_kernel_dditable_t kernels;
static ze_command_list_dditable_t lists;

/* Kernels of the program with kernels of the tool. */
static struct {
    ze_kernel_handle_t program, tool;
} pairs[PAIR_COUNT];
static unsigned pair_count;

unsigned redirect_set(enum redirect_mode next_mode, ze_module_handle_t next_tool)
{
    const unsigned count = redirected;
    mode = next_mode;
    tool = next_tool;
    redirected = 0;
    pair_count = 0;
    return count;
}

static ze_kernel_handle_t partner(ze_kernel_handle_t kernel)
{
    for (unsigned i = 0; i < pair_count; i++) {
        if (pairs[i].program == kernel) {
            return pairs[i].tool;
        }
    }
    return NULL;
}

/* Returns the kernel to launch. */
static ze_kernel_handle_t launched(ze_kernel_handle_t kernel)
{
    ze_kernel_handle_t other = mode == REDIRECT_LAUNCHES ? partner(kernel) : NULL;
    redirected += other != NULL;
    return other ? other : kernel;
}

/* ---- modules and kernels ---- */

static ze_result_t ZE_APICALL module_create(ze_context_handle_t context, ze_device_handle_t device,
                                            const ze_module_desc_t *desc,
                                            ze_module_handle_t *module,
                                            ze_module_build_log_handle_t *log)
{
    ze_module_desc_t changed = *desc;
    size_t size = 0;
    uint8_t binary[1 << 16];
    if (mode == REDIRECT_MODULES &&
        modules.pfnGetNativeBinary(tool, &size, NULL) == ZE_RESULT_SUCCESS &&
        size <= sizeof(binary) &&
        modules.pfnGetNativeBinary(tool, &size, binary) == ZE_RESULT_SUCCESS) {
        changed.format = ZE_MODULE_FORMAT_NATIVE;
        changed.inputSize = size;
        changed.pInputModule = binary;
        redirected++;
    }
    return modules.pfnCreate(context, device, &changed, module, log);
}

static ze_result_t ZE_APICALL function_pointer(ze_module_handle_t module, const char *name,
                                               void **function)
{
    if (mode != REDIRECT_FUNCTIONS) {
        return modules.pfnGetFunctionPointer(module, name, function);
    }
    redirected++;
    return modules.pfnGetFunctionPointer(tool, "twice", function);
}

static ze_result_t ZE_APICALL kernel_create(ze_module_handle_t module, const ze_kernel_desc_t *desc,
                                            ze_kernel_handle_t *kernel)
{
    redirected += mode == REDIRECT_KERNELS;
    ze_result_t result = kernels.pfnCreate(mode == REDIRECT_KERNELS ? tool : module, desc, kernel);
    if (result == ZE_RESULT_SUCCESS && mode == REDIRECT_LAUNCHES && pair_count < PAIR_COUNT) {
        pairs[pair_count].program = *kernel;
        result = kernels.pfnCreate(tool, desc, &pairs[pair_count++].tool);
    }
    return result;
}

static ze_result_t ZE_APICALL kernel_destroy(ze_kernel_handle_t kernel)
{
    ze_kernel_handle_t other = partner(kernel);
    if (other) {
        kernels.pfnDestroy(other);
    }
    return kernels.pfnDestroy(kernel);
}

static ze_result_t ZE_APICALL set_argument(ze_kernel_handle_t kernel, uint32_t index, size_t size,
                                           const void *value)
{
    ze_kernel_handle_t other = partner(kernel);
    if (other) {
        kernels.pfnSetArgumentValue(other, index, size, value);
    }
    return kernels.pfnSetArgumentValue(kernel, index, size, value);
}

static ze_result_t ZE_APICALL set_group_size(ze_kernel_handle_t kernel, uint32_t x, uint32_t y,
                                             uint32_t z)
{
    ze_kernel_handle_t other = partner(kernel);
    if (other) {
        kernels.pfnSetGroupSize(other, x, y, z);
    }
    return kernels.pfnSetGroupSize(kernel, x, y, z);
}

/* ---- launches ---- */

static ze_result_t ZE_APICALL launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                     const ze_group_count_t *groups, ze_event_handle_t signal,
                                     uint32_t count, ze_event_handle_t *waits)
{
    return lists.pfnAppendLaunchKernel(list, launched(kernel), groups, signal, count, waits);
}

static ze_result_t ZE_APICALL launch_cooperative(ze_command_list_handle_t list,
                                                 ze_kernel_handle_t kernel,
                                                 const ze_group_count_t *groups,
                                                 ze_event_handle_t signal, uint32_t count,
                                                 ze_event_handle_t *waits)
{
    return lists.pfnAppendLaunchCooperativeKernel(list, launched(kernel), groups, signal, count,
                                                  waits);
}

static ze_result_t ZE_APICALL launch_indirect(ze_command_list_handle_t list,
                                              ze_kernel_handle_t kernel,
                                              const ze_group_count_t *groups,
                                              ze_event_handle_t signal, uint32_t count,
                                              ze_event_handle_t *waits)
{
    return lists.pfnAppendLaunchKernelIndirect(list, launched(kernel), groups, signal, count,
                                               waits);
}

static ze_result_t ZE_APICALL launch_several(ze_command_list_handle_t list, uint32_t kernel_count,
                                             ze_kernel_handle_t *all, const uint32_t *counts,
                                             const ze_group_count_t *groups,
                                             ze_event_handle_t signal, uint32_t count,
                                             ze_event_handle_t *waits)
{
    ze_kernel_handle_t others[PAIR_COUNT];
    for (uint32_t i = 0; i < kernel_count && i < PAIR_COUNT; i++) {
        others[i] = launched(all[i]);
    }
    return lists.pfnAppendLaunchMultipleKernelsIndirect(list, kernel_count,
                                                        kernel_count <= PAIR_COUNT ? others : all,
                                                        counts, groups, signal, count, waits);
}

static ze_result_t ZE_APICALL launch_parameters(ze_command_list_handle_t list,
                                                ze_kernel_handle_t kernel,
                                                const ze_group_count_t *groups, const void *next,
                                                ze_event_handle_t signal, uint32_t count,
                                                ze_event_handle_t *waits)
{
    return lists.pfnAppendLaunchKernelWithParameters(list, launched(kernel), groups, next, signal,
                                                     count, waits);
}

static ze_result_t ZE_APICALL launch_arguments(ze_command_list_handle_t list,
                                               ze_kernel_handle_t kernel,
                                               const ze_group_count_t groups,
                                               const ze_group_size_t sizes, void **arguments,
                                               const void *next, ze_event_handle_t signal,
                                               uint32_t count, ze_event_handle_t *waits)
{
    return lists.pfnAppendLaunchKernelWithArguments(list, launched(kernel), groups, sizes,
                                                    arguments, next, signal, count, waits);
}

/* ---- tables ---- */

/* The functions of 1.14 are replaced too, so that older tables do not do. */
static ze_result_t version_check(ze_api_version_t version)
{
    return version == ZE_API_VERSION_CURRENT ? ZE_RESULT_SUCCESS
                                             : ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zeGetModuleProcAddrTable(ze_api_version_t version,
                                                             ze_module_dditable_t *table)
{
    if (version_check(version) == ZE_RESULT_SUCCESS) {
        modules = *table;
        table->pfnCreate = module_create;
        table->pfnGetFunctionPointer = function_pointer;
    }
    return version_check(version);
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zeGetKernelProcAddrTable(ze_api_version_t version,
                                                             ze_kernel_dditable_t *table)
{
    if (version_check(version) == ZE_RESULT_SUCCESS) {
        kernels = *table;
        table->pfnCreate = kernel_create;
        table->pfnDestroy = kernel_destroy;
        table->pfnSetArgumentValue = set_argument;
        table->pfnSetGroupSize = set_group_size;
    }
    return version_check(version);
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zeGetCommandListProcAddrTable(ze_api_version_t version,
                                                                  ze_command_list_dditable_t *table)
{
    if (version_check(version) == ZE_RESULT_SUCCESS) {
        lists = *table;
        table->pfnAppendLaunchKernel = launch;
        table->pfnAppendLaunchCooperativeKernel = launch_cooperative;
        table->pfnAppendLaunchKernelIndirect = launch_indirect;
        table->pfnAppendLaunchMultipleKernelsIndirect = launch_several;
        table->pfnAppendLaunchKernelWithParameters = launch_parameters;
        table->pfnAppendLaunchKernelWithArguments = launch_arguments;
    }
    return version_check(version);
}
