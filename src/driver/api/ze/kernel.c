/* API functions of kernels: creation, state, properties. program/kernel.h implements kernels. */
#include "driver/program/kernel.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/program/module_complete.h"

#include <string.h>

ze_result_t geo_zeKernelCreate(ze_module_handle_t hModule, const ze_kernel_desc_t *desc,
                               ze_kernel_handle_t *phKernel)
{
    struct geo_module *module;
    struct geo_kernel *kernel;
    GEO_CHECK(geo_module_from(hModule, &module));
    GEO_CHECK(geo_kernel_create(module, desc->pKernelName, &kernel));
    *phKernel = (ze_kernel_handle_t)(void *)kernel;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelDestroy(ze_kernel_handle_t hKernel)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    geo_object_close(&kernel->base);
    return ZE_RESULT_SUCCESS;
}

/* ---- state ---- */

ze_result_t geo_zeKernelSetGroupSize(ze_kernel_handle_t hKernel, uint32_t groupSizeX,
                                     uint32_t groupSizeY, uint32_t groupSizeZ)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    return geo_kernel_set_group_size(kernel, groupSizeX, groupSizeY, groupSizeZ);
}

ze_result_t geo_zeKernelSuggestGroupSize(ze_kernel_handle_t hKernel, uint32_t globalSizeX,
                                         uint32_t globalSizeY, uint32_t globalSizeZ,
                                         uint32_t *groupSizeX, uint32_t *groupSizeY,
                                         uint32_t *groupSizeZ)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    if (!globalSizeX || !globalSizeY || !globalSizeZ) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION,
                        "the global size is %ux%ux%u: no dimension may be 0", globalSizeX,
                        globalSizeY, globalSizeZ);
    }
    /* Callers with one or two dimensions may leave out the others. */
    if ((!groupSizeY && globalSizeY > 1) || (!groupSizeZ && globalSizeZ > 1)) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_NULL_POINTER,
            "groupSizeY or groupSizeZ is null, but the global size in that dimension is above 1");
    }
    const uint32_t global[3] = {globalSizeX, globalSizeY, globalSizeZ};
    uint32_t group[3];
    geo_kernel_suggest_group_size(kernel, global, group);
    *groupSizeX = group[0];
    if (groupSizeY) {
        *groupSizeY = group[1];
    }
    if (groupSizeZ) {
        *groupSizeZ = group[2];
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelSuggestMaxCooperativeGroupCount(ze_kernel_handle_t hKernel,
                                                        uint32_t *totalGroupCount)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    *totalGroupCount = geo_kernel_launch_max_groups(kernel, geo_kernel_device(kernel));
    return ZE_RESULT_SUCCESS;
}

/* Accepts the hint without effect: groups that have begun always end before others begin. */
ze_result_t geo_zeKernelSchedulingHintExp(ze_kernel_handle_t hKernel,
                                          ze_scheduling_hint_exp_desc_t *pHint)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    (void)pHint;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelSetArgumentValue(ze_kernel_handle_t hKernel, uint32_t argIndex,
                                         size_t argSize, const void *pArgValue)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    return geo_kernel_set_argument(kernel, argIndex, argSize, pArgValue);
}

ze_result_t geo_zeKernelSetIndirectAccess(ze_kernel_handle_t hKernel,
                                          ze_kernel_indirect_access_flags_t flags)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    kernel->indirect_access = flags;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelGetIndirectAccess(ze_kernel_handle_t hKernel,
                                          ze_kernel_indirect_access_flags_t *pFlags)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    *pFlags = kernel->indirect_access;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelSetCacheConfig(ze_kernel_handle_t hKernel, ze_cache_config_flags_t flags)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    (void)flags; /* local memory is ordinary cached memory: there is nothing to divide */
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelSetGlobalOffsetExp(ze_kernel_handle_t hKernel, uint32_t offsetX,
                                           uint32_t offsetY, uint32_t offsetZ)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    kernel->global_offset[0] = offsetX;
    kernel->global_offset[1] = offsetY;
    kernel->global_offset[2] = offsetZ;
    return ZE_RESULT_SUCCESS;
}

/* ---- queries ---- */

/* Copies a text or blob by the size protocol: without a buffer *size becomes the total size; a
 * shorter buffer gets the first part. */
static void part_copy(const void *from, size_t bytes, size_t *size, void *to)
{
    if (to && *size) {
        size_t part = *size < bytes ? *size : bytes;
        memcpy(to, from, part);
        *size = part;
    } else {
        *size = bytes;
    }
}

ze_result_t geo_zeKernelGetName(ze_kernel_handle_t hKernel, size_t *pSize, char *pName)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    const char *name = geo_native_string(&geo_kernel_binary(kernel)->view, kernel->native->name);
    part_copy(name, strlen(name) + 1, pSize, pName);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelGetSourceAttributes(ze_kernel_handle_t hKernel, uint32_t *pSize,
                                            char **pString)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    const char *text =
        geo_native_string(&geo_kernel_binary(kernel)->view, kernel->native->attributes);
    size_t size = *pSize;
    part_copy(text, strlen(text) + 1, &size, pString ? *pString : NULL);
    *pSize = (uint32_t)size;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeKernelGetBinaryExp(ze_kernel_handle_t hKernel, size_t *pSize,
                                     uint8_t *pKernelBinary)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    const struct geo_module_binary *binary = geo_kernel_binary(kernel);
    if (kernel->module->complete) { /* its own code cannot be loaded without the module's */
        GEO_CHECK(geo_module_complete_binary(kernel->module, &binary));
    }
    part_copy(binary->bytes, binary->size, pSize, pKernelBinary);
    return ZE_RESULT_SUCCESS;
}

/* Fills in an identifier that is unique for the kernel and its module in this process. */
static void uuid_fill(const struct geo_kernel *kernel, ze_kernel_uuid_t *uuid)
{
    uint64_t module = kernel->module->id, index = kernel->index;
    memset(uuid, 0, sizeof(*uuid));
    memcpy(uuid->kid, &module, sizeof(module));
    memcpy(uuid->kid + 8, &index, sizeof(index));
    memcpy(uuid->mid, &module, sizeof(module));
    memcpy(uuid->mid + 8, "Geoid", 5);
}

static void properties_extend(const struct geo_kernel *kernel, const void *next)
{
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_kernel_properties_t, ze_kernel_preferred_group_size_properties_t,
                        walk)) {
            ((ze_kernel_preferred_group_size_properties_t *)(void *)walk.link)->preferredMultiple =
                kernel->native->preferred_multiple;
        } else if (GEO_LINK_IS(ze_kernel_properties_t, ze_kernel_max_group_size_properties_ext_t,
                               walk)) {
            ((ze_kernel_max_group_size_properties_ext_t *)(void *)walk.link)->maxGroupSize =
                geo_kernel_max_items(kernel);
        }
    }
}

static uint32_t clamp32(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

ze_result_t geo_zeKernelGetProperties(ze_kernel_handle_t hKernel,
                                      ze_kernel_properties_t *pKernelProperties)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    const struct geo_native_kernel *native = kernel->native;
    uint32_t items = geo_kernel_max_items(kernel);
    pKernelProperties->numKernelArgs = native->argument_count;
    pKernelProperties->requiredGroupSizeX = native->required_size[0];
    pKernelProperties->requiredGroupSizeY = native->required_size[1];
    pKernelProperties->requiredGroupSizeZ = native->required_size[2];
    pKernelProperties->requiredNumSubGroups = 0;
    pKernelProperties->requiredSubgroupSize = native->required_subgroup_size;
    pKernelProperties->maxSubgroupSize = native->subgroup_size;
    pKernelProperties->maxNumSubgroups =
        (items + native->subgroup_size - 1) / native->subgroup_size;
    pKernelProperties->localMemSize = clamp32(native->local_bytes);
    pKernelProperties->privateMemSize = clamp32(native->private_bytes);
    pKernelProperties->spillMemSize = clamp32(native->spill_bytes);
    uuid_fill(kernel, &pKernelProperties->uuid);
    properties_extend(kernel, GEO_CHAIN_OF(ze_kernel_properties_t, pKernelProperties));
    return ZE_RESULT_SUCCESS;
}

/* Lists the allocations that arguments point at, one entry per pointer into memory of this
 * driver. */
ze_result_t
geo_zeKernelGetAllocationPropertiesExp(ze_kernel_handle_t hKernel, uint32_t *pCount,
                                       ze_kernel_allocation_exp_properties_t *pAllocationProperties)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    uint32_t available = geo_kernel_list_allocations(kernel, 0, NULL);
    uint32_t count = geo_count_protocol(pCount, available, pAllocationProperties);
    (void)geo_kernel_list_allocations(kernel, count, pAllocationProperties);
    return ZE_RESULT_SUCCESS;
}
