/* API functions of memory allocations. They convert descriptors and their chains to requests for
 * mem/memory.h. */
#include "driver/mem/memory.h"
#include "base/log.h"
#include "ddi/geo_api.h"
#include "driver/api/ze/external.h"
#include "driver/core/check.h"
#include "driver/core/device_properties.h"
#include "driver/mem/ipc.h"

#include <unistd.h>

/* The structures found in the chain of an allocation descriptor. */
struct allocation_chain {
    struct geo_memory_request *request;
    const ze_external_memory_import_fd_t *import;
    const ze_external_memmap_sysmem_ext_desc_t *system;
};

static ze_result_t link_read(struct allocation_chain *chain, const ze_base_properties_t *link)
{
    switch ((uint32_t)link->stype) {
    case GEO_LINK_STYPE(ze_device_mem_alloc_desc_t, ze_relaxed_allocation_limits_ext_desc_t):
        chain->request->relaxed_limits =
            ((const ze_relaxed_allocation_limits_ext_desc_t *)link)->flags != 0;
        return ZE_RESULT_SUCCESS;
    case GEO_LINK_STYPE(ze_device_mem_alloc_desc_t, ze_relaxed_allocation_limits_exp_desc_t):
        chain->request->relaxed_limits =
            ((const ze_relaxed_allocation_limits_exp_desc_t *)link)->flags != 0;
        return ZE_RESULT_SUCCESS;
    case GEO_LINK_STYPE(ze_host_mem_alloc_desc_t, ze_external_memmap_sysmem_ext_desc_t):
        chain->system = (const ze_external_memmap_sysmem_ext_desc_t *)link;
        return ZE_RESULT_SUCCESS;
    default: /* hints without effect, and unknown extensions */
        return ZE_RESULT_SUCCESS;
    }
}

static ze_result_t chain_read(struct allocation_chain *chain, const void *next)
{
    struct geo_external external;
    GEO_CHECK(geo_external_read(next, &external));
    chain->request->exportable = chain->request->exportable || external.exportable;
    chain->import = external.import ? external.import : chain->import;
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        GEO_CHECK(link_read(chain, walk.link));
    }
    return ZE_RESULT_SUCCESS;
}

/* Warns once per process that the ordinal selects no memory of the device, which has one. It is not
 * an error: the specification names none, and programs (including the public conformance tests)
 * request a second memory without checking their number. */
static void ordinal_tell(uint32_t ordinal)
{
    static _Atomic bool told;
    if (ordinal >= GEO_DEVICE_MEMORIES && !atomic_exchange(&told, true)) {
        geo_log("driver", GEO_LOG_WARN,
                "ze_device_mem_alloc_desc_t: ordinal %u is out of range: the device has %u memory "
                "(zeDeviceGetMemoryProperties), which is used instead (reported once)",
                ordinal, GEO_DEVICE_MEMORIES);
    }
}

static ze_result_t device_desc_read(struct allocation_chain *chain,
                                    const ze_device_mem_alloc_desc_t *desc)
{
    ordinal_tell(desc->ordinal);
    return chain_read(chain, GEO_CHAIN_OF(ze_device_mem_alloc_desc_t, desc));
}

static ze_result_t host_desc_read(struct allocation_chain *chain,
                                  const ze_host_mem_alloc_desc_t *desc)
{
    return chain_read(chain, GEO_CHAIN_OF(ze_host_mem_alloc_desc_t, desc));
}

/* Registers host memory that the application already has, at its own address. */
static ze_result_t system_register(struct allocation_chain *chain, void **pptr)
{
    uintptr_t base = (uintptr_t)chain->system->pSystemMemory;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (base % page) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "pSystemMemory is not page aligned");
    }
    if (chain->system->size == 0 || chain->system->size % page ||
        chain->system->size > UINTPTR_MAX - base) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "%llu bytes are not whole pages",
                        (unsigned long long)chain->system->size);
    }
    chain->request->bytes = chain->system->size;
    GEO_CHECK(geo_memory_register(chain->request, chain->system->pSystemMemory));
    *pptr = chain->system->pSystemMemory;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t chain_allocate(struct allocation_chain *chain, void **pptr)
{
    if (chain->import) {
        return geo_memory_import(chain->request, GEO_ORIGIN_IMPORTED, chain->import->fd, 0, false,
                                 pptr);
    }
    return geo_memory_allocate(chain->request, pptr);
}

ze_result_t geo_zeMemAllocDevice(ze_context_handle_t hContext,
                                 const ze_device_mem_alloc_desc_t *device_desc, size_t size,
                                 size_t alignment, ze_device_handle_t hDevice, void **pptr)
{
    struct geo_memory_request request = {
        .kind = GEO_MEMORY_DEVICE, .bytes = size, .alignment = alignment};
    struct allocation_chain chain = {.request = &request};
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &request.context, &request.device));
    GEO_CHECK(device_desc_read(&chain, device_desc));
    return chain_allocate(&chain, pptr);
}

ze_result_t geo_zeMemAllocHost(ze_context_handle_t hContext,
                               const ze_host_mem_alloc_desc_t *host_desc, size_t size,
                               size_t alignment, void **pptr)
{
    struct geo_memory_request request = {
        .kind = GEO_MEMORY_HOST, .bytes = size, .alignment = alignment};
    struct allocation_chain chain = {.request = &request};
    GEO_CHECK(geo_context_from(hContext, &request.context));
    GEO_CHECK(host_desc_read(&chain, host_desc));
    return chain.system ? system_register(&chain, pptr) : chain_allocate(&chain, pptr);
}

ze_result_t geo_zeMemAllocShared(ze_context_handle_t hContext,
                                 const ze_device_mem_alloc_desc_t *device_desc,
                                 const ze_host_mem_alloc_desc_t *host_desc, size_t size,
                                 size_t alignment, ze_device_handle_t hDevice, void **pptr)
{
    struct geo_memory_request request = {
        .kind = GEO_MEMORY_SHARED, .bytes = size, .alignment = alignment};
    struct allocation_chain chain = {.request = &request};
    GEO_CHECK(geo_context_from(hContext, &request.context));
    if (hDevice) {
        GEO_CHECK(geo_context_device_from(hContext, hDevice, &request.context, &request.device));
    }
    GEO_CHECK(device_desc_read(&chain, device_desc));
    GEO_CHECK(host_desc_read(&chain, host_desc));
    return chain_allocate(&chain, pptr);
}

#define FREEABLE                                                                                   \
    ((1u << GEO_ORIGIN_ALLOCATED) | (1u << GEO_ORIGIN_IMPORTED) | (1u << GEO_ORIGIN_SYSTEM))

ze_result_t geo_zeMemFree(ze_context_handle_t hContext, void *ptr)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_memory_free(context, ptr, FREEABLE, GEO_FREE_NOW);
}

ze_result_t geo_zeMemFreeExt(ze_context_handle_t hContext,
                             const ze_memory_free_ext_desc_t *pMemFreeDesc, void *ptr)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    enum geo_free_policy policy =
        pMemFreeDesc->freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE
            ? GEO_FREE_DEFERRED
        : pMemFreeDesc->freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE
            ? GEO_FREE_BLOCKING
            : GEO_FREE_NOW;
    return geo_memory_free(context, ptr, FREEABLE, policy);
}

/* Fills the structures in the chain of ze_memory_allocation_properties_t. */
static ze_result_t properties_extend(const void *ptr, const struct geo_memory_info *info,
                                     const void *next)
{
    /* Checked first, so that a failed call opens no descriptor. */
    if (GEO_CHAIN_FIND(ze_memory_allocation_properties_t, ze_external_memory_export_win32_handle_t,
                       next)) {
        return geo_external_refuse_win32();
    }
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_memory_allocation_properties_t, ze_external_memory_export_fd_t, walk)) {
            ze_external_memory_export_fd_t *export = (void *)walk.link;
            GEO_CHECK(geo_external_check_types(export->flags));
            if (!info || info->base != (uintptr_t)ptr) {
                return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                "%p is not the start of memory of this driver", ptr);
            }
            GEO_CHECK(geo_ipc_memory_export_fd(ptr, export->flags, &export->fd));
        } else if (GEO_LINK_IS(ze_memory_allocation_properties_t,
                               ze_memory_sub_allocations_exp_properties_t, walk)) {
            ze_memory_sub_allocations_exp_properties_t *parts = (void *)walk.link;
            if (geo_count_protocol(parts->pCount, info ? 1 : 0, parts->pSubAllocations)) {
                parts->pSubAllocations[0].base = (void *)info->base;
                parts->pSubAllocations[0].size = info->bytes;
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Finds memory of the context's driver, in any of its contexts: libraries query pointers of the
 * program that they serve. A pointer of another driver or to unknown memory is UNKNOWN (MEM-17). */
static bool memory_find(const struct geo_context *context, const void *ptr,
                        struct geo_memory_info *info)
{
    return geo_memory_find(ptr, info) && info->driver == context->base.driver;
}

ze_result_t geo_zeMemGetAllocProperties(ze_context_handle_t hContext, const void *ptr,
                                        ze_memory_allocation_properties_t *pMemAllocProperties,
                                        ze_device_handle_t *phDevice)
{
    struct geo_context *context;
    struct geo_memory_info info;
    GEO_CHECK(geo_context_from(hContext, &context));
    bool found = memory_find(context, ptr, &info);
    GEO_CHECK(
        properties_extend(ptr, found ? &info : NULL,
                          GEO_CHAIN_OF(ze_memory_allocation_properties_t, pMemAllocProperties)));
    pMemAllocProperties->type = found ? info.type : ZE_MEMORY_TYPE_UNKNOWN;
    pMemAllocProperties->id = found ? info.id : 0;
    pMemAllocProperties->pageSize = found ? info.page_bytes : 0;
    if (phDevice) {
        *phDevice = found && info.device ? geo_device_handle(info.device) : NULL;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeMemGetAddressRange(ze_context_handle_t hContext, const void *ptr, void **pBase,
                                     size_t *pSize)
{
    struct geo_context *context;
    struct geo_memory_info info;
    GEO_CHECK(geo_context_from(hContext, &context));
    if (!memory_find(context, ptr, &info)) {
        return geo_fail(ZE_RESULT_ERROR_ADDRESS_NOT_FOUND, "%p is not in memory of this driver",
                        ptr);
    }
    if (pBase) {
        *pBase = (void *)info.base;
    }
    if (pSize) {
        *pSize = info.bytes;
    }
    return ZE_RESULT_SUCCESS;
}
