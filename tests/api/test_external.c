/* API test of external memory: host memory by descriptor, which types there are. */
#include "harness.h"

#include <unistd.h>

static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static ze_external_memory_export_fd_t export_of(struct api *api, const void *memory)
{
    ze_external_memory_export_fd_t exported = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                               .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                               .fd = -1};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                           .pNext = &exported};
    assert_success(zeMemGetAllocProperties(api->context, memory, &p, NULL));
    assert_true(exported.fd >= 0);
    return exported;
}

/* EXM-2, EXM-3, EXM-4 */
static void host_memory_is_shared_by_descriptor(void **state)
{
    struct api *api = *state;
    ze_external_memory_export_desc_t export_desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_host_mem_alloc_desc_t host = host_desc;
    host.pNext = &export_desc;
    char *first = NULL, *second = NULL;
    assert_success(zeMemAllocHost(api->context, &host, 20000, 0, (void **)&first));
    const ze_external_memory_export_fd_t exported = export_of(api, first);
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = exported.fd};
    host.pNext = &import;
    assert_success(zeMemAllocHost(api->context, &host, 20000, 0, (void **)&second));
    close(exported.fd);
    assert_ptr_not_equal(first, second);
    first[19999] = 'x';
    assert_int_equal(second[19999], 'x');
    api_free(api, first);
    assert_int_equal(second[19999], 'x');
    api_free(api, second);
}

/* EXM-3, EXM-4: what is not told is refused, at the export, the query and the import */
static void types_that_the_device_does_not_tell_are_refused(void **state)
{
    struct api *api = *state;
    ze_device_external_memory_properties_t told = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    assert_success(zeDeviceGetExternalMemoryProperties(api->device, &told));
    void *memory = api_alloc_device(api, 4096), *none = NULL;
    ze_external_memory_export_fd_t exported = export_of(api, memory);
    const int fd = exported.fd;
    for (uint32_t type = 1; type <= ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D12_RESOURCE; type *= 2) {
        ze_external_memory_export_desc_t export_desc = {
            .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, .flags = type};
        ze_external_memory_import_fd_t import = {
            .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, .flags = type, .fd = fd};
        ze_memory_allocation_properties_t p = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = &exported};
        ze_host_mem_alloc_desc_t host = host_desc;
        if ((told.memoryAllocationExportTypes | told.memoryAllocationImportTypes) & type) {
            continue;
        }
        host.pNext = &export_desc;
        assert_result(zeMemAllocHost(api->context, &host, 4096, 0, &none),
                      ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
        exported.flags = type;
        assert_result(zeMemGetAllocProperties(api->context, memory, &p, NULL),
                      ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
        host.pNext = &import;
        assert_result(zeMemAllocHost(api->context, &host, 4096, 0, &none),
                      ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    }
    assert_null(none);
    close(fd);
    api_free(api, memory);
}

static const struct api_case cases[] = {
    API_CASE(host_memory_is_shared_by_descriptor),
    API_CASE(types_that_the_device_does_not_tell_are_refused),
};

API_MAIN("external", cases)
