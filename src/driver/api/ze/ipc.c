/* API functions of IPC handles of memory and of shared atomic access attributes. They check
 * arguments; mem/ipc.h transfers descriptors. */
#include "driver/mem/ipc.h"
#include "ddi/geo_api.h"
#include "driver/api/ze/external.h"
#include "driver/core/check.h"
#include "driver/mem/atomics.h"

#include <limits.h>

ze_result_t geo_zeMemGetIpcHandle(ze_context_handle_t hContext, const void *ptr,
                                  ze_ipc_mem_handle_t *pIpcHandle)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_ipc_memory_get(context, ptr, pIpcHandle);
}

/* Makes an IPC handle. `ptr` may also be the handle of physical memory, mapped or not. */
ze_result_t geo_zeMemGetIpcHandleWithProperties(ze_context_handle_t hContext, const void *ptr,
                                                void *pNext, ze_ipc_mem_handle_t *pIpcHandle)
{
    const ze_ipc_mem_handle_type_ext_desc_t *type =
        GEO_CHAIN_FIND(zeMemGetIpcHandleWithProperties, ze_ipc_mem_handle_type_ext_desc_t, pNext);
    GEO_CHECK(type ? geo_external_check_reach(type) : ZE_RESULT_SUCCESS);
    struct geo_context *context;
    struct geo_physical_memory *physical;
    GEO_CHECK(geo_context_from(hContext, &context));
    if (geo_physical_memory_known(context, ptr, &physical)) {
        return geo_ipc_physical_memory_get(physical, pIpcHandle);
    }
    return geo_zeMemGetIpcHandle(hContext, ptr, pIpcHandle);
}

ze_result_t geo_zeMemPutIpcHandle(ze_context_handle_t hContext, ze_ipc_mem_handle_t handle)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_ipc_memory_put(context, &handle);
}

ze_result_t geo_zeMemOpenIpcHandle(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                   ze_ipc_mem_handle_t handle, ze_ipc_memory_flags_t flags,
                                   void **pptr)
{
    struct geo_context *context;
    struct geo_device *device;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    (void)flags; /* the flags choose caching, and all memory is cached */
    return geo_ipc_memory_open(context, device, &handle, pptr);
}

ze_result_t geo_zeMemCloseIpcHandle(ze_context_handle_t hContext, const void *ptr)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_memory_free(context, ptr, 1u << GEO_ORIGIN_OPENED, GEO_FREE_NOW);
}

ze_result_t geo_zeMemGetIpcHandleFromFileDescriptorExp(ze_context_handle_t hContext,
                                                       uint64_t handle,
                                                       ze_ipc_mem_handle_t *pIpcHandle)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_ipc_memory_from_fd(context, handle <= INT_MAX ? (int)handle : -1, pIpcHandle);
}

ze_result_t geo_zeMemGetFileDescriptorFromIpcHandleExp(ze_context_handle_t hContext,
                                                       ze_ipc_mem_handle_t ipcHandle,
                                                       uint64_t *pHandle)
{
    struct geo_context *context;
    int fd;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(geo_ipc_memory_fd(&ipcHandle, &fd));
    *pHandle = (uint64_t)fd;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeMemSetAtomicAccessAttributeExp(ze_context_handle_t hContext,
                                                 ze_device_handle_t hDevice, const void *ptr,
                                                 size_t size,
                                                 ze_memory_atomic_attr_exp_flags_t attr)
{
    struct geo_context *context;
    struct geo_device *device;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    return geo_atomics_set(context, device, ptr, size, attr);
}

ze_result_t geo_zeMemGetAtomicAccessAttributeExp(ze_context_handle_t hContext,
                                                 ze_device_handle_t hDevice, const void *ptr,
                                                 size_t size,
                                                 ze_memory_atomic_attr_exp_flags_t *pAttr)
{
    struct geo_context *context;
    struct geo_device *device;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    return geo_atomics_get(context, device, ptr, size, pAttr);
}
