/* External memory in the chains of descriptors, for API functions that allocate or create memory.
 * See external.h. */
#include "driver/api/ze/external.h"

#include "driver/core/check.h"

#define FD_TYPES (ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF)

ze_result_t geo_external_check_types(ze_external_memory_type_flags_t flags)
{
    if (!(flags & FD_TYPES) || (flags & ~(uint32_t)FD_TYPES)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                        "external memory can only be shared by file descriptor, not by type 0x%x",
                        flags);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_external_check_reach(const ze_ipc_mem_handle_type_ext_desc_t *type)
{
    if (type->typeFlags & ZE_IPC_MEM_HANDLE_TYPE_FLAG_FABRIC_ACCESSIBLE) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "IPC handles can only be used by processes of this machine");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_external_refuse_win32(void)
{
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                    "memory cannot be shared by Win32 handles on this system");
}

/* Reads one structure. The structures are the same in the chains of all these descriptors. */
static ze_result_t link_read(struct geo_external *external, const ze_base_properties_t *link)
{
    switch ((uint32_t)link->stype) {
    case GEO_LINK_STYPE(ze_physical_mem_desc_t, ze_external_memory_export_desc_t):
        external->exportable = true;
        return geo_external_check_types(((const ze_external_memory_export_desc_t *)link)->flags);
    case GEO_LINK_STYPE(ze_physical_mem_desc_t, ze_external_memory_import_fd_t):
        external->import = (const ze_external_memory_import_fd_t *)link;
        return geo_external_check_types(external->import->flags);
    case GEO_LINK_STYPE(ze_physical_mem_desc_t, ze_external_memory_import_win32_handle_t):
        return geo_external_refuse_win32();
    case GEO_LINK_STYPE(ze_physical_mem_desc_t, ze_ipc_mem_handle_type_ext_desc_t):
        return geo_external_check_reach((const ze_ipc_mem_handle_type_ext_desc_t *)link);
    default:
        return ZE_RESULT_SUCCESS;
    }
}

ze_result_t geo_external_read(const void *next, struct geo_external *out)
{
    struct geo_external external = {.exportable = false};
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        GEO_CHECK(link_read(&external, walk.link));
    }
    *out = external;
    return ZE_RESULT_SUCCESS;
}
