/* API functions of reserved address ranges and physical memory. mem/virtual.h and mem/physical.h
 * implement them. */
#include "driver/mem/virtual.h"
#include "ddi/geo_api.h"
#include "driver/api/ze/external.h"
#include "driver/core/check.h"

ze_result_t geo_zeVirtualMemReserve(ze_context_handle_t hContext, const void *pStart, size_t size,
                                    void **pptr)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_virtual_reserve(context, pStart, size, pptr);
}

ze_result_t geo_zeVirtualMemFree(ze_context_handle_t hContext, const void *ptr, size_t size)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_virtual_free(context, ptr, size);
}

ze_result_t geo_zeVirtualMemQueryPageSize(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                          size_t size, size_t *pagesize)
{
    struct geo_context *context;
    struct geo_device *device;
    uint64_t bytes;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_physical_page_size(context, size, &bytes));
    *pagesize = bytes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zePhysicalMemCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                    ze_physical_mem_desc_t *desc,
                                    ze_physical_mem_handle_t *phPhysicalMemory)
{
    struct geo_context *context;
    struct geo_device *device = NULL;
    struct geo_physical_memory *physical;
    struct geo_external external;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(geo_external_read(GEO_CHAIN_OF(ze_physical_mem_desc_t, desc), &external));
    bool host = desc->flags & ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST;
    if (!host || hDevice) { /* host memory needs no device */
        GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    }
    device = host ? NULL : device;
    if (external.import) {
        GEO_CHECK(geo_physical_memory_import(context, device, desc->size, external.import->fd,
                                             &physical));
    } else {
        GEO_CHECK(geo_physical_memory_create(context, device, desc->size, &physical));
    }
    *phPhysicalMemory = geo_physical_memory_handle(physical);
    return ZE_RESULT_SUCCESS;
}

/* Converts a handle of physical memory and checks that it belongs to the context. */
static ze_result_t physical_from(const struct geo_context *context, ze_physical_mem_handle_t handle,
                                 struct geo_physical_memory **out)
{
    GEO_CHECK(geo_physical_memory_from(handle, out));
    if ((*out)->context != context) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the physical memory belongs to another context");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zePhysicalMemDestroy(ze_context_handle_t hContext,
                                     ze_physical_mem_handle_t hPhysicalMemory)
{
    struct geo_context *context;
    struct geo_physical_memory *physical;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(physical_from(context, hPhysicalMemory, &physical));
    geo_physical_memory_close(physical);
    return ZE_RESULT_SUCCESS;
}

/* Fills the structures in the chain of ze_physical_mem_properties_t. */
static ze_result_t properties_extend(const struct geo_physical_memory *physical, const void *next)
{
    /* Checked first, so that a failed call opens no descriptor. */
    if (GEO_CHAIN_FIND(ze_physical_mem_properties_t, ze_external_memory_export_win32_handle_t,
                       next)) {
        return geo_external_refuse_win32();
    }
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_physical_mem_properties_t, ze_external_memory_export_fd_t, walk)) {
            ze_external_memory_export_fd_t *export = (void *)walk.link;
            GEO_CHECK(geo_external_check_types(export->flags));
            GEO_CHECK(geo_physical_memory_export_fd(physical, export->flags, &export->fd));
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zePhysicalMemGetProperties(ze_context_handle_t hContext,
                                           ze_physical_mem_handle_t hPhysicalMem,
                                           ze_physical_mem_properties_t *pMemProperties)
{
    struct geo_context *context;
    struct geo_physical_memory *physical;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(physical_from(context, hPhysicalMem, &physical));
    GEO_CHECK(
        properties_extend(physical, GEO_CHAIN_OF(ze_physical_mem_properties_t, pMemProperties)));
    pMemProperties->id = physical->id;
    pMemProperties->size = physical->bytes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeVirtualMemMap(ze_context_handle_t hContext, const void *ptr, size_t size,
                                ze_physical_mem_handle_t hPhysicalMemory, size_t offset,
                                ze_memory_access_attribute_t access)
{
    struct geo_context *context;
    struct geo_physical_memory *physical;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(physical_from(context, hPhysicalMemory, &physical));
    return geo_virtual_map(context, ptr, size, physical, offset, access);
}

ze_result_t geo_zeVirtualMemUnmap(ze_context_handle_t hContext, const void *ptr, size_t size)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_virtual_unmap(context, ptr, size);
}

ze_result_t geo_zeVirtualMemSetAccessAttribute(ze_context_handle_t hContext, const void *ptr,
                                               size_t size, ze_memory_access_attribute_t access)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_virtual_set_access(context, ptr, size, access);
}

ze_result_t geo_zeVirtualMemGetAccessAttribute(ze_context_handle_t hContext, const void *ptr,
                                               size_t size, ze_memory_access_attribute_t *access,
                                               size_t *outSize)
{
    struct geo_context *context;
    uint64_t same;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(geo_virtual_get_access(context, ptr, size, access, &same));
    *outSize = same;
    return ZE_RESULT_SUCCESS;
}
