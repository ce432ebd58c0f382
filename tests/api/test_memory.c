/* API test of memory allocations: the three kinds, their checks and queries. */
#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static ze_memory_allocation_properties_t properties_of(struct api *api, const void *pointer,
                                                       ze_device_handle_t *device)
{
    ze_memory_allocation_properties_t p;
    memset(&p, 0xa5, sizeof(p));
    p.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    p.pNext = NULL;
    assert_success(zeMemGetAllocProperties(api->context, pointer, &p, device));
    return p;
}

/* MEM-1, MEM-2, MEM-17 */
static void host_memory_is_the_hosts(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_host(api, 10000);
    ze_device_handle_t device = api->device;
    for (size_t i = 0; i < 10000; i++) {
        pointer[i] = (char)i;
    }
    ze_memory_allocation_properties_t p = properties_of(api, pointer, &device);
    assert_int_equal(p.type, ZE_MEMORY_TYPE_HOST);
    assert_int_not_equal(p.id, 0);
    assert_null(device);
    assert_int_equal(pointer[9999], (char)9999);
    api_free(api, pointer);
}

/* MEM-3, MEM-17 */
static void device_memory_belongs_to_its_device(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 100);
    ze_device_handle_t device = NULL;
    ze_memory_allocation_properties_t p = properties_of(api, pointer + 99, &device);
    assert_int_equal(p.type, ZE_MEMORY_TYPE_DEVICE);
    assert_ptr_equal(device, api->device);
    api_free(api, pointer);
}

/* MEM-4, MEM-5, MEM-17 */
static void shared_memory_may_have_a_device_or_none(void **state)
{
    struct api *api = *state;
    char *with = api_alloc_shared(api, 5000), *without = NULL;
    ze_device_handle_t device = NULL;
    assert_success(
        zeMemAllocShared(api->context, &device_desc, &host_desc, 5000, 0, NULL, (void **)&without));
    memset(with, 1, 5000);
    memset(without, 2, 5000);
    assert_int_equal(properties_of(api, with, &device).type, ZE_MEMORY_TYPE_SHARED);
    assert_ptr_equal(device, api->device);
    assert_int_equal(properties_of(api, without, &device).type, ZE_MEMORY_TYPE_SHARED);
    assert_null(device);
    assert_int_not_equal(properties_of(api, with, NULL).id, properties_of(api, without, NULL).id);
    api_free(api, with);
    api_free(api, without);
}

/* MEM-6, MEM-17 */
static void unknown_pointers_are_of_unknown_type(void **state)
{
    struct api *api = *state;
    int local = 0;
    void *heap = malloc(64);
    ze_device_handle_t device = api->device;
    assert_int_equal(properties_of(api, &local, &device).type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_null(device);
    assert_int_equal(properties_of(api, heap, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_int_equal(properties_of(api, (void *)1, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_int_equal(properties_of(api, (void *)UINTPTR_MAX, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
    void *base = api;
    assert_result(zeMemGetAddressRange(api->context, heap, &base, NULL),
                  ZE_RESULT_ERROR_ADDRESS_NOT_FOUND);
    assert_ptr_equal(base, api);
    free(heap);
}

/* MEM-11 */
static void allocations_own_whole_pages(void **state)
{
    struct api *api = *state;
    char *pointers[16];
    for (int i = 0; i < 16; i++) {
        pointers[i] = i % 2 ? api_alloc_device(api, 1) : api_alloc_shared(api, 1);
        ze_memory_allocation_properties_t p = properties_of(api, pointers[i], NULL);
        assert_true(p.pageSize >= 4096 && (p.pageSize & (p.pageSize - 1)) == 0);
        assert_int_equal((uintptr_t)pointers[i] % p.pageSize, 0);
        for (int k = 0; k < i; k++) {
            assert_int_not_equal((uintptr_t)pointers[i] / p.pageSize,
                                 (uintptr_t)pointers[k] / p.pageSize);
        }
    }
    for (int i = 0; i < 16; i++) {
        api_free(api, pointers[i]);
    }
}

/* MEM-16 */
static void alignment_is_a_minimum(void **state)
{
    struct api *api = *state;
    for (size_t alignment = 1; alignment <= 4u << 20; alignment *= 2) {
        void *host, *device, *shared;
        assert_success(zeMemAllocHost(api->context, &host_desc, 100, alignment, &host));
        assert_success(
            zeMemAllocDevice(api->context, &device_desc, 100, alignment, api->device, &device));
        assert_success(zeMemAllocShared(api->context, &device_desc, &host_desc, 100, alignment,
                                        api->device, &shared));
        assert_int_equal((uintptr_t)host % alignment, 0);
        assert_int_equal((uintptr_t)device % alignment, 0);
        assert_int_equal((uintptr_t)shared % alignment, 0);
        api_free(api, host);
        api_free(api, device);
        api_free(api, shared);
    }
}

/* MEM-16 */
static void alignment_that_is_no_power_of_two_is_rounded_up(void **state)
{
    struct api *api = *state;
    static const struct {
        size_t asked, given;
    } cases[] = {{3, 4}, {48, 64}, {5000, 8192}, {(1 << 20) + 1, 2 << 20}, {3 << 20, 4 << 20}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        void *host, *device, *shared;
        size_t asked = cases[i].asked, given = cases[i].given;
        assert_success(zeMemAllocHost(api->context, &host_desc, 100, asked, &host));
        assert_success(
            zeMemAllocDevice(api->context, &device_desc, 100, asked, api->device, &device));
        assert_success(zeMemAllocShared(api->context, &device_desc, &host_desc, 100, asked,
                                        api->device, &shared));
        assert_int_equal((uintptr_t)host % given, 0);
        assert_int_equal((uintptr_t)device % given, 0);
        assert_int_equal((uintptr_t)shared % given, 0);
        api_free(api, host);
        api_free(api, device);
        api_free(api, shared);
    }
}

/* MEM-16, VAL-12 */
static void bad_sizes_and_alignments_are_refused(void **state)
{
    struct api *api = *state;
    void *untouched = state, *pointer = untouched;
    assert_result(zeMemAllocHost(api->context, &host_desc, 0, 0, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeMemAllocDevice(api->context, &device_desc, 0, 0, api->device, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeMemAllocShared(api->context, &device_desc, &host_desc, 0, 0, NULL, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeMemAllocHost(api->context, &host_desc, 64, SIZE_MAX, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_result(
        zeMemAllocDevice(api->context, &device_desc, 64, (size_t)1 << 62, api->device, &pointer),
        ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_result(zeMemAllocDevice(api->context, &device_desc, api->properties.maxMemAllocSize + 1,
                                   0, api->device, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeMemAllocHost(api->context, &host_desc, SIZE_MAX, 0, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_ptr_equal(pointer, untouched);
}

/* MEM-13, VAL-12 */
static void flags_are_checked(void **state)
{
    struct api *api = *state;
    void *pointer = NULL;
    ze_device_mem_alloc_desc_t device = device_desc;
    ze_host_mem_alloc_desc_t host = host_desc;
    device.flags = ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED;
    host.flags =
        ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED | ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
    assert_success(zeMemAllocShared(api->context, &device, &host, 64, 0, api->device, &pointer));
    api_free(api, pointer);
    device.flags = 1u << 20;
    assert_result(zeMemAllocDevice(api->context, &device, 64, 0, api->device, &pointer),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    host.flags = 1u << 20;
    assert_result(zeMemAllocHost(api->context, &host, 64, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    device = device_desc;
    device.ordinal = 1; /* the device has one memory: any ordinal means it */
    pointer = NULL;
    assert_success(zeMemAllocDevice(api->context, &device, 64, 0, api->device, &pointer));
    api_free(api, pointer);
    assert_success(
        zeMemAllocShared(api->context, &device, &host_desc, 64, 0, api->device, &pointer));
    api_free(api, pointer);
    assert_result(zeMemAllocDevice(api->context, &device_desc, 64, 0, NULL, &pointer),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* MEM-18 */
static void address_range_gives_base_and_size(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 12345);
    void *base = NULL;
    size_t size = 0;
    assert_success(zeMemGetAddressRange(api->context, pointer + 12344, &base, &size));
    assert_ptr_equal(base, pointer);
    assert_int_equal(size, 12345);
    assert_success(zeMemGetAddressRange(api->context, pointer + 5, NULL, &size));
    assert_success(zeMemGetAddressRange(api->context, pointer + 5, &base, NULL));
    assert_success(zeMemGetAddressRange(api->context, pointer + 5, NULL, NULL));
    assert_result(zeMemGetAddressRange(api->context, NULL, &base, &size),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    api_free(api, pointer);
}

/* MEM-19 */
static void free_wants_the_base_of_a_living_allocation(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_host(api, 8192);
    int local = 0;
    assert_result(zeMemFree(api->context, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeMemFree(api->context, pointer + 4096), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeMemFree(api->context, &local), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    api_free(api, pointer);
    assert_result(zeMemFree(api->context, pointer), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(properties_of(api, pointer, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
}

/* MEM-19 */
static void free_policies_are_accepted(void **state)
{
    struct api *api = *state;
    static const ze_driver_memory_free_policy_ext_flags_t policies[] = {
        0, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE,
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    for (int i = 0; i < 3; i++) {
        void *pointer = api_alloc_device(api, 4096);
        ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                          .freePolicy = policies[i]};
        assert_success(zeMemFreeExt(api->context, &desc, pointer));
        assert_int_equal(properties_of(api, pointer, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
    }
    ze_memory_free_ext_desc_t bad = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                     .freePolicy = 0x100};
    void *pointer = api_alloc_device(api, 4096);
    assert_result(zeMemFreeExt(api->context, &bad, pointer), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeMemFreeExt(api->context, NULL, pointer), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    api_free(api, pointer);
}

/* MEM-16, VAL-12 */
static void too_much_memory_is_a_result(void **state)
{
    struct api *api = *state;
    ze_relaxed_allocation_limits_exp_desc_t relaxed = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
        .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    ze_device_mem_alloc_desc_t device = device_desc;
    ze_host_mem_alloc_desc_t host = host_desc;
    void *pointer = NULL;
    device.pNext = &relaxed;
    host.pNext = &relaxed;
    ze_result_t result =
        zeMemAllocDevice(api->context, &device, (size_t)1 << 46, 0, api->device, &pointer);
    assert_true(result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY ||
                result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    result = zeMemAllocHost(api->context, &host, (size_t)1 << 46, 0, &pointer);
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_null(pointer);
    pointer = api_alloc_host(api, 64); /* and life goes on */
    api_free(api, pointer);
}

static void many_allocations_are_found_quickly(void **state)
{
    struct api *api = *state;
    enum { COUNT = 3000 };
    char **pointers = calloc(COUNT, sizeof(char *));
    assert_non_null(pointers);
    for (int i = 0; i < COUNT; i++) {
        pointers[i] = api_alloc_host(api, 100 + (size_t)(i % 7) * 4096);
    }
    for (int i = 0; i < COUNT; i += 3) { /* holes */
        api_free(api, pointers[i]);
        pointers[i] = NULL;
    }
    for (int i = 0; i < COUNT; i++) {
        void *base;
        size_t size;
        if (pointers[i]) {
            assert_success(zeMemGetAddressRange(api->context, pointers[i] + 99, &base, &size));
            assert_ptr_equal(base, pointers[i]);
            assert_int_equal(size, 100 + (size_t)(i % 7) * 4096);
        }
    }
    for (int i = 0; i < COUNT; i += 3) {
        pointers[i] = api_alloc_device(api, 64);
    }
    for (int i = 0; i < COUNT; i++) {
        api_free(api, pointers[i]);
    }
    free(pointers);
}

static void sub_allocations_list_the_allocation_itself(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 9000);
    uint32_t count = 0;
    ze_sub_allocation_t part = {0};
    ze_memory_sub_allocations_exp_properties_t parts = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_SUB_ALLOCATIONS_EXP_PROPERTIES, .pCount = &count};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                           .pNext = &parts};
    assert_success(zeMemGetAllocProperties(api->context, pointer, &p, NULL));
    assert_int_equal(count, 1);
    parts.pSubAllocations = &part;
    assert_success(zeMemGetAllocProperties(api->context, pointer, &p, NULL));
    assert_ptr_equal(part.base, pointer);
    assert_int_equal(part.size, 9000);
    api_free(api, pointer);
}

/* MEM-7 */
static void atomic_attributes_are_kept_for_shared_memory(void **state)
{
    struct api *api = *state;
    char *shared = api_alloc_shared(api, 8192), *host = api_alloc_host(api, 64);
    ze_memory_atomic_attr_exp_flags_t flags = 77;
    assert_success(zeMemGetAtomicAccessAttributeExp(api->context, api->device, shared, 64, &flags));
    assert_int_equal(flags, 0);
    assert_success(zeMemSetAtomicAccessAttributeExp(api->context, api->device, shared, 8192,
                                                    ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS));
    assert_success(
        zeMemGetAtomicAccessAttributeExp(api->context, api->device, shared + 100, 64, &flags));
    assert_int_equal(flags, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS);
    assert_result(zeMemSetAtomicAccessAttributeExp(api->context, api->device, shared, 64, 1u << 30),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeMemSetAtomicAccessAttributeExp(api->context, api->device, shared, 9000, 0),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeMemSetAtomicAccessAttributeExp(api->context, api->device, host, 64, 0),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const ze_memory_atomic_attr_exp_flags_t odd[] = {
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS |
            ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_HOST_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS |
            ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_DEVICE_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS |
            ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_SYSTEM_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS | ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS,
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        assert_result(
            zeMemSetAtomicAccessAttributeExp(api->context, api->device, shared, 64, odd[i]),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    assert_success(
        zeMemSetAtomicAccessAttributeExp(api->context, api->device, shared, 64,
                                         ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS |
                                             ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_HOST_ATOMICS));
    api_free(api, shared);
    api_free(api, host);
}

/* MEM-6, MEM-7: it has no allocation, so what was said of a range is known of what lies in it. */
static void atomic_attributes_are_kept_for_system_memory(void **state)
{
    struct api *api = *state;
    const ze_memory_atomic_attr_exp_flags_t own = ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS,
                                            none = ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS;
    ze_memory_atomic_attr_exp_flags_t flags = 77;
    char *memory = calloc(1, 1000);
    assert_success(zeMemGetAtomicAccessAttributeExp(api->context, api->device, memory, 9, &flags));
    assert_int_equal(flags, 0);
    assert_success(zeMemSetAtomicAccessAttributeExp(api->context, api->device, memory, 1000, own));
    assert_success(
        zeMemSetAtomicAccessAttributeExp(api->context, api->device, memory + 10, 10, none));
    assert_success(
        zeMemGetAtomicAccessAttributeExp(api->context, api->device, memory, 1000, &flags));
    assert_int_equal(flags, own);
    assert_success(
        zeMemGetAtomicAccessAttributeExp(api->context, api->device, memory + 12, 8, &flags));
    assert_int_equal(flags, none);
    assert_success(
        zeMemGetAtomicAccessAttributeExp(api->context, api->device, memory + 12, 9, &flags));
    assert_int_equal(flags, own);
    assert_success(
        zeMemGetAtomicAccessAttributeExp(api->context, api->device, memory, 1001, &flags));
    assert_int_equal(flags, 0);
    assert_result(
        zeMemSetAtomicAccessAttributeExp(api->context, api->device, memory, SIZE_MAX, own),
        ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeMemSetAtomicAccessAttributeExp(api->context, api->device, memory, 0, own),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_success(zeMemSetAtomicAccessAttributeExp(api->context, api->device, memory, 1000, 0));
    free(memory);
}

/* MEM-17 */
static void libraries_may_ask_about_pointers_of_other_contexts(void **state)
{
    struct api *api = *state;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t other;
    assert_success(zeContextCreate(api->driver, &desc, &other));
    void *pointer = api_alloc_device(api, 64);
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_success(zeMemGetAllocProperties(other, pointer, &p, NULL));
    assert_int_equal(p.type, ZE_MEMORY_TYPE_DEVICE);
    assert_success(zeContextDestroy(other));
    api_free(api, pointer);
}

/* EXM-2, EXM-3, EXM-4 */
static void exported_memory_can_be_imported(void **state)
{
    struct api *api = *state;
    ze_external_memory_export_desc_t export_desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_device_mem_alloc_desc_t device = device_desc;
    device.pNext = &export_desc;
    char *first = NULL, *second = NULL;
    assert_success(zeMemAllocDevice(api->context, &device, 20000, 0, api->device, (void **)&first));
    ze_external_memory_export_fd_t export_fd = {.stype =
                                                    ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                                .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                                .fd = -1};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                           .pNext = &export_fd};
    assert_success(zeMemGetAllocProperties(api->context, first, &p, NULL));
    assert_true(export_fd.fd >= 0);

    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = export_fd.fd};
    device.pNext = &import;
    assert_success(
        zeMemAllocDevice(api->context, &device, 20000, 0, api->device, (void **)&second));
    close(export_fd.fd); /* the descriptor is the application's */
    assert_ptr_not_equal(first, second);
    strcpy(first + 19000, "through the descriptor");
    assert_string_equal(second + 19000, "through the descriptor");
    api_free(api, first);
    assert_string_equal(second + 19000, "through the descriptor");
    api_free(api, second);
}

/* EXM-2, EXM-4 */
static void bad_imports_are_refused(void **state)
{
    struct api *api = *state;
    int fd = memfd_create("test", MFD_ALLOW_SEALING);
    assert_true(fd >= 0 && ftruncate(fd, 8192) == 0);
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = fd};
    ze_host_mem_alloc_desc_t host = host_desc;
    void *pointer = NULL;
    host.pNext = &import;
    assert_result(zeMemAllocHost(api->context, &host, 12288, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* longer than the file */
    assert_result(zeMemAllocHost(api->context, &host, 0, 0, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    import.fd = -1;
    assert_result(zeMemAllocHost(api->context, &host, 4096, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    import.fd = fd;
    import.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D12_HEAP;
    assert_result(zeMemAllocHost(api->context, &host, 4096, 0, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    import.flags = 1u << 30;
    assert_result(zeMemAllocHost(api->context, &host, 4096, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    import.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
    assert_success(zeMemAllocHost(api->context, &host, 4096, 0, &pointer));
    api_free(api, pointer);
    close(fd);
}

/* EXM-3: an allocation without an export descriptor can be exported, too (docs/decisions/memory.md,
 * "Any allocation can be exported"). Other pointers cannot. */
static void any_allocation_can_be_exported(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 5000);
    memset(pointer, 'x', 5000);
    ze_external_memory_export_fd_t export_fd = {.stype =
                                                    ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                                .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
                                                .fd = -5};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                           .pNext = &export_fd};
    assert_result(zeMemGetAllocProperties(api->context, pointer + 64, &p, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeMemGetAllocProperties(api->context, &p, &p, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_external_memory_export_win32_handle_t handle = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_WIN32};
    export_fd.pNext = &handle; /* a failed call leaves no descriptor open */
    assert_result(zeMemGetAllocProperties(api->context, pointer, &p, NULL),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    export_fd.pNext = NULL;
    assert_int_equal(export_fd.fd, -5);
    assert_success(zeMemGetAllocProperties(api->context, pointer, &p, NULL));
    assert_true(export_fd.fd >= 0);
    assert_int_equal(lseek(export_fd.fd, 0, SEEK_END), 8192); /* its pages and no others */
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
                                             .fd = export_fd.fd};
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                         .pNext = &import};
    char *same = NULL;
    assert_success(zeMemAllocDevice(api->context, &device, 5000, 0, api->device, (void **)&same));
    close(export_fd.fd);
    assert_int_equal(same[4999], 'x');
    pointer[4999] = 'y';
    assert_int_equal(same[4999], 'y');
    api_free(api, same);
    api_free(api, pointer);
}

/* MEM-6, EXM-6 */
static void system_memory_can_be_made_known(void **state)
{
    struct api *api = *state;
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    ze_external_memmap_sysmem_ext_desc_t system = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC,
        .pSystemMemory = pages,
        .size = 2 * 4096};
    ze_host_mem_alloc_desc_t host = host_desc;
    host.pNext = &system;
    void *pointer = NULL;
    assert_success(zeMemAllocHost(api->context, &host, 2 * 4096, 0, &pointer));
    assert_ptr_equal(pointer, pages);
    assert_int_equal(properties_of(api, pages + 5000, NULL).type, ZE_MEMORY_TYPE_HOST_IMPORTED);
    assert_int_equal(properties_of(api, pages + 2 * 4096, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_result(zeMemAllocHost(api->context, &host, 2 * 4096, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* known already */
    system.pSystemMemory = pages + 4096;
    assert_result(zeMemAllocHost(api->context, &host, 2 * 4096, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* part of it is */
    system.pSystemMemory = pages + 100;
    assert_result(zeMemAllocHost(api->context, &host, 4096, 0, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    system.pSystemMemory = pages;
    system.size = 100;
    assert_result(zeMemAllocHost(api->context, &host, 100, 0, &pointer),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    api_free(api, pages);
    pages[0] = 1; /* still the application's */
    munmap(pages, 3 * 4096);
}

typedef ze_result_t (*import_fn)(ze_driver_handle_t driver, void *pointer, size_t bytes);
typedef ze_result_t (*release_fn)(ze_driver_handle_t driver, void *pointer);
typedef ze_result_t (*base_fn)(ze_driver_handle_t driver, void *pointer, void **base);

/* MEM-6, INI-9 */
static void host_pointers_are_imported_and_released(void **state)
{
    struct api *api = *state;
    import_fn import;
    release_fn release;
    base_fn base_of;
    assert_success(zeDriverGetExtensionFunctionAddress(
        api->driver, "zexDriverImportExternalPointer", (void **)&import));
    assert_success(zeDriverGetExtensionFunctionAddress(
        api->driver, "zexDriverReleaseImportedPointer", (void **)&release));
    assert_success(zeDriverGetExtensionFunctionAddress(
        api->driver, "zexDriverGetHostPointerBaseAddress", (void **)&base_of));
    char *heap = malloc(10000);
    void *base = NULL;
    assert_non_null(heap);
    assert_success(import(api->driver, heap + 3, 9000));
    assert_int_equal(properties_of(api, heap + 9002, NULL).type, ZE_MEMORY_TYPE_HOST_IMPORTED);
    assert_int_equal(properties_of(api, heap + 9003, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_success(base_of(api->driver, heap + 500, &base));
    assert_ptr_equal(base, heap + 3);
    assert_int_equal(import(api->driver, heap, 100), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(import(api->driver, heap, 0), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(import(api->driver, heap, SIZE_MAX), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(release(api->driver, heap), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(release(api->driver, heap + 3));
    assert_int_equal(base_of(api->driver, heap + 500, &base), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    free(heap);
}

/* EXN-7, MEM-13 */
static void unknown_descriptors_in_a_chain_are_ignored(void **state)
{
    struct api *api = *state;
    ze_base_desc_t unknown = {(ze_structure_type_t)0x0003001b, NULL};
    ze_memory_compression_hints_ext_desc_t hint = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC, .pNext = &unknown};
    ze_device_mem_alloc_desc_t device = device_desc;
    device.pNext = &hint;
    void *pointer = NULL;
    assert_success(zeMemAllocDevice(api->context, &device, 64, 0, api->device, &pointer));
    api_free(api, pointer);
}

/* EXN-7, EXN-8 */
static void structures_of_what_is_not_reported_are_skipped(void **state)
{
    struct api *api = *state;
    ze_raytracing_mem_alloc_ext_desc_t rays = {.stype =
                                                   ZE_STRUCTURE_TYPE_RAYTRACING_MEM_ALLOC_EXT_DESC};
    ze_device_mem_alloc_desc_t device = device_desc;
    device.pNext = &rays;
    void *pointer = NULL;
    assert_success(zeMemAllocDevice(api->context, &device, 64, 0, api->device, &pointer));
    api_free(api, pointer);
}

/* ---- frees while work is under way ---- */

/* A list whose work waits for an event of the host, then fills the memory. */
struct pending {
    struct api_list list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
};

static struct pending pending_start(struct api *api, void *memory, size_t bytes)
{
    static const uint8_t pattern = 0x5b;
    struct pending pending = {.list = api_list_create(api)};
    ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = 1};
    ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    assert_success(zeEventPoolCreate(api->context, &pool, 1, &api->device, &pending.pool));
    assert_success(zeEventCreate(pending.pool, &event, &pending.event));
    assert_success(zeCommandListAppendMemoryFill(pending.list.list, memory, &pattern, 1, bytes,
                                                 NULL, 1, &pending.event));
    if (pending.list.queue) {
        assert_success(zeCommandListClose(pending.list.list));
        assert_success(
            zeCommandQueueExecuteCommandLists(pending.list.queue, 1, &pending.list.list, NULL));
    }
    return pending;
}

static void pending_end(struct pending *pending)
{
    assert_success(zeEventDestroy(pending->event));
    assert_success(zeEventPoolDestroy(pending->pool));
    api_list_destroy(&pending->list);
}

static void *signal_later(void *event)
{
    usleep(50000);
    return zeEventHostSignal(event) == ZE_RESULT_SUCCESS ? NULL : event;
}

/* MEM-19 */
static void a_deferred_free_waits_for_the_work(void **state)
{
    struct api *api = *state;
    const size_t bytes = 8 << 20;
    void *memory = api_alloc_device(api, bytes);
    struct pending pending = pending_start(api, memory, bytes);
    ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                      .freePolicy =
                                          ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    assert_success(zeMemFreeExt(api->context, &desc, memory)); /* does not wait */
    assert_int_equal(properties_of(api, memory, NULL).type, ZE_MEMORY_TYPE_UNKNOWN);
    for (int i = 0; i < 20; i++) { /* the pages are not given to anybody else meanwhile */
        char *other = api_alloc_device(api, bytes);
        assert_true(other + bytes <= (char *)memory || (char *)memory + bytes <= other);
        api_free(api, other);
    }
    assert_success(zeEventHostSignal(pending.event));
    assert_success(zeDeviceSynchronize(api->device)); /* the fill ran: its pages were there */
    api_free(api, api_alloc_device(api, 64));         /* and are given back now */
    pending_end(&pending);
}

/* MEM-19 */
static void a_blocking_free_returns_after_the_work(void **state)
{
    struct api *api = *state;
    pthread_t thread;
    void *memory = api_alloc_device(api, 1 << 20), *failed;
    struct pending pending = pending_start(api, memory, 1 << 20);
    ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                      .freePolicy =
                                          ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
    assert_int_equal(pthread_create(&thread, NULL, signal_later, pending.event), 0);
    assert_success(zeMemFreeExt(api->context, &desc, memory));
    assert_success(zeEventQueryStatus(pending.event)); /* it was signalled before we came back */
    pthread_join(thread, &failed);
    assert_null(failed);
    pending_end(&pending);
}

static const struct api_case cases[] = {
    API_CASE(host_memory_is_the_hosts),
    API_CASE(device_memory_belongs_to_its_device),
    API_CASE(shared_memory_may_have_a_device_or_none),
    API_CASE(unknown_pointers_are_of_unknown_type),
    API_CASE(allocations_own_whole_pages),
    API_CASE(alignment_is_a_minimum),
    API_CASE(alignment_that_is_no_power_of_two_is_rounded_up),
    API_CASE(bad_sizes_and_alignments_are_refused),
    API_CASE(flags_are_checked),
    API_CASE(address_range_gives_base_and_size),
    API_CASE(free_wants_the_base_of_a_living_allocation),
    API_CASE(free_policies_are_accepted),
    API_CASE(too_much_memory_is_a_result),
    API_CASE(many_allocations_are_found_quickly),
    API_CASE(sub_allocations_list_the_allocation_itself),
    API_CASE(atomic_attributes_are_kept_for_shared_memory),
    API_CASE(atomic_attributes_are_kept_for_system_memory),
    API_CASE(libraries_may_ask_about_pointers_of_other_contexts),
    API_CASE(exported_memory_can_be_imported),
    API_CASE(bad_imports_are_refused),
    API_CASE(any_allocation_can_be_exported),
    API_CASE(system_memory_can_be_made_known),
    API_CASE(host_pointers_are_imported_and_released),
    API_CASE(unknown_descriptors_in_a_chain_are_ignored),
    API_CASE(structures_of_what_is_not_reported_are_skipped),
    API_LIST_CASE(a_deferred_free_waits_for_the_work),
    API_LIST_CASE(a_blocking_free_returns_after_the_work),
};

API_MAIN("memory", cases)
