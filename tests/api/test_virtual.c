/* API test of reserved address ranges, physical memory, mappings. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page_size(struct api *api, size_t bytes)
{
    size_t page = 0;
    assert_success(zeVirtualMemQueryPageSize(api->context, api->device, bytes, &page));
    assert_true(page >= 4096 && (page & (page - 1)) == 0);
    return page;
}

static ze_physical_mem_handle_t physical_make(struct api *api, size_t bytes)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = bytes};
    ze_physical_mem_handle_t physical = NULL;
    assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &physical));
    return physical;
}

static char *reserve(struct api *api, size_t bytes)
{
    void *base = NULL;
    assert_success(zeVirtualMemReserve(api->context, NULL, bytes, &base));
    assert_non_null(base);
    return base;
}

#define READWRITE ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE
#define READONLY  ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY

/* What the pages at an address allow, as the system says: it takes a byte from there, or puts one
 * there (the one that it has). */
static bool may(char *address, bool put)
{
    char byte = 0;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    ssize_t taken = write(pipes[1], address, 1), moved = taken;
    if (put) {
        if (taken != 1) {
            assert_int_equal(write(pipes[1], &byte, 1), 1);
        }
        moved = read(pipes[0], address, 1);
    }
    assert_true(moved == 1 || errno == EFAULT);
    close(pipes[0]);
    close(pipes[1]);
    return moved == 1;
}

static void expect_access(char *address, ze_memory_access_attribute_t access)
{
    assert_int_equal(may(address, false), access != ZE_MEMORY_ACCESS_ATTRIBUTE_NONE);
    assert_int_equal(may(address, true), access == ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE);
}

static uint64_t usable_bytes(struct api *api, uint64_t *total)
{
    ze_device_usablemem_size_ext_properties_t usable = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                         .pNext = &usable};
    assert_success(zeDeviceGetProperties(api->device, &properties));
    *total = properties.maxMemAllocSize;
    return usable.currUsableMemSize;
}

/* Nothing touches the pages, so the system lacks none. */
static void physical_memory_runs_out_like_allocations(void **state)
{
    struct api *api = *state;
    uint64_t most, before = usable_bytes(api, &most);
    const size_t page = page_size(api, 4096), bytes = most / 4 / page * page;
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = bytes};
    ze_physical_mem_handle_t parts[8];
    ze_result_t result = ZE_RESULT_SUCCESS;
    uint32_t count = 0;
    while (count < 8 && (result = zePhysicalMemCreate(api->context, api->device, &desc,
                                                      &parts[count])) == ZE_RESULT_SUCCESS) {
        count++;
    }
    uint64_t after = usable_bytes(api, &most);
    assert_in_range(count, 3, 4); /* other cases of the process may have a little */
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_true(after <= most - count * bytes);
    assert_true(after < before);
    while (count > 0) {
        assert_success(zePhysicalMemDestroy(api->context, parts[--count]));
    }
    parts[0] = physical_make(api, bytes); /* there is room again */
    assert_success(zePhysicalMemDestroy(api->context, parts[0]));
}

/* VMM-1 */
static void reservations_are_whole_pages(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    void *base = state;
    char *range = reserve(api, 4 * page);
    assert_int_equal((uintptr_t)range % page, 0);
    assert_true(page_size(api, 0) <= page); /* a size is asked for, but 0 does no harm */
    assert_result(zeVirtualMemReserve(api->context, NULL, page + 1, &base),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeVirtualMemReserve(api->context, NULL, 0, &base),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeVirtualMemReserve(api->context, NULL, page, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ptr_equal(base, state);
    assert_success(zeVirtualMemFree(api->context, range, 4 * page));
}

/* VMM-2 */
static void an_impossible_hint_still_succeeds(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    char *first = reserve(api, 4 * page);
    void *second = NULL;
    assert_success(zeVirtualMemReserve(api->context, first, 4 * page, &second));
    assert_ptr_not_equal(second, first);
    assert_success(zeVirtualMemFree(api->context, first, 4 * page));
    assert_success(zeVirtualMemFree(api->context, second, 4 * page));
}

/* VMM-3, VMM-4, VMM-5 */
static void a_reservation_grows_by_mapping_its_pages_again(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    ze_physical_mem_handle_t first = physical_make(api, page), second = physical_make(api, page);
    char *small = reserve(api, page), *large = reserve(api, 2 * page);
    assert_success(zeVirtualMemMap(api->context, small, page, first, 0, READWRITE));
    strcpy(small, "contents survive");
    assert_success(zeVirtualMemUnmap(api->context, small, page));
    assert_success(zeVirtualMemFree(api->context, small, page));
    assert_success(zeVirtualMemMap(api->context, large, page, first, 0, READWRITE));
    assert_success(zeVirtualMemMap(api->context, large + page, page, second, 0, READWRITE));
    assert_string_equal(large, "contents survive");
    memset(large + page - 8, 1, 16); /* across both physical objects */
    assert_success(zeVirtualMemUnmap(api->context, large, 2 * page));
    assert_success(zeVirtualMemFree(api->context, large, 2 * page));
    assert_success(zePhysicalMemDestroy(api->context, first));
    assert_success(zePhysicalMemDestroy(api->context, second));
}

/* VMM-4 */
static void physical_memory_has_its_size(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    ze_physical_mem_handle_t physical = physical_make(api, 3 * page);
    ze_physical_mem_properties_t p = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES};
    assert_success(zePhysicalMemGetProperties(api->context, physical, &p));
    assert_int_equal(p.size, 3 * page);
    assert_int_not_equal(p.id, 0);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = page + 5};
    ze_physical_mem_handle_t bad = NULL;
    assert_result(zePhysicalMemCreate(api->context, api->device, &desc, &bad),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    desc.size = 0;
    assert_result(zePhysicalMemCreate(api->context, api->device, &desc, &bad),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    desc.size = page;
    desc.flags = 0x40;
    assert_result(zePhysicalMemCreate(api->context, api->device, &desc, &bad),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(bad);
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* VMM-5, VMM-8, MEM-17 */
static void parts_of_a_reservation_are_mapped_apart(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    char *range = reserve(api, 8 * page);
    ze_physical_mem_handle_t physical = physical_make(api, 4 * page);
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_success(zeVirtualMemMap(api->context, range + page, page, physical, 0, READWRITE));
    assert_success(
        zeVirtualMemMap(api->context, range + 5 * page, 2 * page, physical, 2 * page, READWRITE));
    memset(range + page, 3, page);
    memset(range + 5 * page, 4, 2 * page);
    assert_int_equal(range[page], 3);
    assert_success(zeMemGetAllocProperties(api->context, range + page, &p, NULL));
    assert_int_equal(p.type, ZE_MEMORY_TYPE_DEVICE);
    assert_success(zeMemGetAllocProperties(api->context, range + 3 * page, &p, NULL));
    assert_int_equal(p.type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_success(zeVirtualMemUnmap(api->context, range + 6 * page, page)); /* a part */
    memset(range + 5 * page, 5, page);
    assert_success(zeMemGetAllocProperties(api->context, range + 6 * page, &p, NULL));
    assert_int_equal(p.type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_success(zeVirtualMemFree(api->context, range, 8 * page)); /* with what is mapped */
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* VMM-7 */
static void access_attributes_belong_to_pages(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096), same = 0;
    char *range = reserve(api, 8 * page);
    ze_physical_mem_handle_t physical = physical_make(api, 6 * page);
    ze_memory_access_attribute_t access = (ze_memory_access_attribute_t)99;
    assert_success(zeVirtualMemMap(api->context, range, 6 * page, physical, 0, READWRITE));
    range[2 * page] = 42;
    assert_success(
        zeVirtualMemSetAccessAttribute(api->context, range + 2 * page, 2 * page, READONLY));
    assert_int_equal(range[2 * page], 42);
    range[4 * page] = 1; /* its neighbour is writable */

    assert_success(zeVirtualMemGetAccessAttribute(api->context, range, 8 * page, &access, &same));
    assert_int_equal(access, READWRITE);
    assert_int_equal(same, 2 * page);
    assert_success(
        zeVirtualMemGetAccessAttribute(api->context, range + 3 * page, 5 * page, &access, &same));
    assert_int_equal(access, READONLY);
    assert_int_equal(same, page);
    assert_success(
        zeVirtualMemGetAccessAttribute(api->context, range + 6 * page, 2 * page, &access, &same));
    assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE);
    assert_int_equal(same, 2 * page);

    assert_success(
        zeVirtualMemSetAccessAttribute(api->context, range + 2 * page, 2 * page, READWRITE));
    range[2 * page] = 43;
    assert_success(zeVirtualMemGetAccessAttribute(api->context, range, 8 * page, &access, &same));
    assert_int_equal(same, 6 * page); /* runs join again */
    assert_result(
        zeVirtualMemSetAccessAttribute(api->context, range + 5 * page, 2 * page, READONLY),
        ZE_RESULT_ERROR_INVALID_ARGUMENT); /* partly unmapped: nothing changes */
    range[5 * page] = 1;
    assert_result(
        zeVirtualMemSetAccessAttribute(api->context, range, page, (ze_memory_access_attribute_t)9),
        ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_success(zeVirtualMemUnmap(api->context, range, 6 * page));
    assert_success(zeVirtualMemFree(api->context, range, 8 * page));
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* VMM-7: asked of the system, not of the driver */
static void access_attributes_are_applied(void **state)
{
    struct api *api = *state;
    static const ze_memory_access_attribute_t all[] = {ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, READWRITE,
                                                       READONLY};
    size_t page = page_size(api, 4096);
    char *range = reserve(api, 4 * page);
    ze_physical_mem_handle_t physical = physical_make(api, 4 * page);
    expect_access(range, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE); /* reserved only */
    for (size_t i = 0; i < 9; i++) {
        ze_memory_access_attribute_t first = all[i / 3], second = all[i % 3];
        assert_success(zeVirtualMemMap(api->context, range, 4 * page, physical, 0, first));
        expect_access(range, first);
        expect_access(range + 4 * page - 1, first);
        assert_success(
            zeVirtualMemSetAccessAttribute(api->context, range + page, 2 * page, second));
        expect_access(range, first);
        expect_access(range + page, second);
        expect_access(range + 3 * page - 1, second);
        expect_access(range + 3 * page, first);
        assert_success(zeVirtualMemUnmap(api->context, range, 4 * page));
        expect_access(range, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE);
    }
    assert_success(zeVirtualMemFree(api->context, range, 4 * page));
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* ---- sharing ---- */

/* A descriptor of all of the physical memory, the caller's. */
static int export_of(struct api *api, ze_physical_mem_handle_t physical,
                     ze_external_memory_type_flags_t type)
{
    ze_external_memory_export_fd_t export_fd = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, .flags = type, .fd = -5};
    ze_physical_mem_properties_t p = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
                                      .pNext = &export_fd};
    assert_success(zePhysicalMemGetProperties(api->context, physical, &p));
    assert_true(export_fd.fd >= 0);
    assert_true(lseek(export_fd.fd, 0, SEEK_END) >= (off_t)p.size);
    return export_fd.fd;
}

static ze_result_t import_of(struct api *api, int fd, size_t bytes, ze_physical_mem_handle_t *out)
{
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = fd};
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .pNext = &import,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = bytes};
    return zePhysicalMemCreate(api->context, api->device, &desc, out);
}

/* EXM-3, EXM-4, VMM-4, VMM-7 */
static void physical_memory_is_exported_and_imported(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    ze_external_memory_export_desc_t export_desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_physical_mem_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .pNext = &export_desc, .size = 4 * page};
    ze_physical_mem_handle_t first = NULL, second = NULL;
    assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &first));
    int fd = export_of(api, first, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD);
    assert_int_equal(lseek(fd, 0, SEEK_END), 4 * page);
    assert_success(import_of(api, fd, 3 * page, &second)); /* a part is fine */
    close(fd);                                             /* the application's */
    char *a = reserve(api, 4 * page), *b = reserve(api, 4 * page);
    assert_success(zeVirtualMemMap(api->context, a, 4 * page, first, 0, READWRITE));
    assert_success(zeVirtualMemMap(api->context, b, 2 * page, second, page, READONLY));
    assert_result(zeVirtualMemMap(api->context, b + 2 * page, 2 * page, second, 2 * page, READONLY),
                  ZE_RESULT_ERROR_INVALID_SIZE); /* has three pages */
    a[page] = 77;
    assert_int_equal(b[0], 77);
    expect_access(b, READONLY);
    assert_success(zeVirtualMemSetAccessAttribute(api->context, b, page, READWRITE));
    b[0] = 78;
    assert_int_equal(a[page], 78);
    expect_access(b + page, READONLY);
    /* the maker goes first; what was imported stays */
    assert_success(zeVirtualMemUnmap(api->context, a, 4 * page));
    assert_success(zePhysicalMemDestroy(api->context, first));
    assert_int_equal(b[0], 78);
    int again = export_of(api, second, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF);
    close(again);
    assert_success(zePhysicalMemDestroy(api->context, second));
    assert_int_equal(b[0], 78); /* mapped still */
    assert_success(zeVirtualMemUnmap(api->context, b, 2 * page));
    assert_success(zeVirtualMemFree(api->context, a, 4 * page));
    assert_success(zeVirtualMemFree(api->context, b, 4 * page));
}

/* EXM-1, EXM-4: of another process; an allocation's descriptor is one too */
static void physical_memory_is_imported_from_another_process(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    ze_physical_mem_handle_t physical = physical_make(api, 2 * page);
    char *range = reserve(api, 2 * page);
    int fd = export_of(api, physical, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD);
    assert_success(zeVirtualMemMap(api->context, range, 2 * page, physical, 0, READWRITE));
    range[page] = 'p';
    pid_t child = fork(); /* inherits the descriptor; it is not closed by fork */
    assert_true(child >= 0);
    if (child == 0) {
        ze_physical_mem_handle_t theirs = NULL;
        void *at = NULL;
        int failed = import_of(api, fd, 2 * page, &theirs) != ZE_RESULT_SUCCESS ||
                     zeVirtualMemReserve(api->context, NULL, 2 * page, &at) != ZE_RESULT_SUCCESS ||
                     zeVirtualMemMap(api->context, at, 2 * page, theirs, 0, READWRITE) !=
                         ZE_RESULT_SUCCESS ||
                     ((char *)at)[page] != 'p';
        if (!failed) {
            ((char *)at)[page] = 'c';
        }
        _exit(failed);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(range[page], 'c');
    close(fd);
    assert_success(zeVirtualMemFree(api->context, range, 2 * page));
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* EXM-4, VMM-4 */
static void hostile_descriptors_make_no_physical_memory(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    ze_physical_mem_handle_t physical = physical_make(api, 2 * page), out = NULL;
    int good = export_of(api, physical, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD), pipes[2];
    char name[32];
    assert_int_equal(pipe(pipes), 0);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", good);
    int read_only = open(name, O_RDONLY | O_CLOEXEC);
    assert_true(read_only >= 0);
    assert_result(import_of(api, good, 3 * page, &out), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(import_of(api, good, (size_t)INT64_MAX / page * page, &out),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(import_of(api, -1, page, &out), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(import_of(api, 99999, page, &out), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(import_of(api, pipes[0], page, &out), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(import_of(api, read_only, page, &out), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(import_of(api, good, 0, &out), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(import_of(api, good, page + 1, &out), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_null(out);
    ze_external_memory_export_fd_t export_fd = {.stype =
                                                    ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                                .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D12_HEAP,
                                                .fd = -5};
    ze_physical_mem_properties_t p = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
                                      .pNext = &export_fd};
    assert_result(zePhysicalMemGetProperties(api->context, physical, &p),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    ze_external_memory_export_win32_handle_t handle = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_WIN32};
    export_fd.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
    export_fd.pNext = &handle; /* a failed call leaves no descriptor open */
    assert_result(zePhysicalMemGetProperties(api->context, physical, &p),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    assert_int_equal(export_fd.fd, -5);
    ze_external_memory_export_desc_t export_desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_WIN32};
    ze_physical_mem_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .pNext = &export_desc, .size = page};
    assert_result(zePhysicalMemCreate(api->context, api->device, &desc, &out),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    ze_ipc_mem_handle_type_ext_desc_t reach = {
        .stype = ZE_STRUCTURE_TYPE_IPC_MEM_HANDLE_TYPE_EXT_DESC,
        .typeFlags = ZE_IPC_MEM_HANDLE_TYPE_FLAG_FABRIC_ACCESSIBLE};
    desc.pNext = &reach;
    assert_result(zePhysicalMemCreate(api->context, api->device, &desc, &out),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_null(out);
    close(read_only);
    close(good);
    close(pipes[0]);
    close(pipes[1]);
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* VMM-5, VMM-8 */
static void any_pages_of_a_reservation_can_be_unmapped(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    char *range = reserve(api, 4 * page);
    ze_physical_mem_handle_t physical = physical_make(api, page);
    ze_memory_access_attribute_t access = READONLY;
    size_t same = 0;
    assert_success(zeVirtualMemUnmap(api->context, range, 4 * page)); /* nothing is mapped yet */
    assert_success(zeVirtualMemMap(api->context, range + page, page, physical, 0, READWRITE));
    range[page] = 1;
    assert_success(zeVirtualMemUnmap(api->context, range, 4 * page));
    assert_success(zeVirtualMemUnmap(api->context, range + page, page)); /* once more */
    assert_success(zeVirtualMemGetAccessAttribute(api->context, range, 4 * page, &access, &same));
    assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE);
    assert_int_equal(same, 4 * page);
    assert_success(zeVirtualMemMap(api->context, range, page, physical, 0, READWRITE));
    assert_int_equal(range[0], 1); /* the same physical page */
    assert_success(zeVirtualMemFree(api->context, range, 4 * page));
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* VMM-4, VMM-5 */
static void physical_memory_of_the_host_needs_no_device(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST,
                                   .size = 2 * page};
    ze_physical_mem_handle_t physical = NULL;
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_success(zePhysicalMemCreate(api->context, NULL, &desc, &physical));
    char *range = reserve(api, 2 * page);
    assert_success(zeVirtualMemMap(api->context, range, 2 * page, physical, 0, READWRITE));
    memset(range, 7, 2 * page);
    assert_success(zeMemGetAllocProperties(api->context, range + page, &p, NULL));
    assert_int_equal(p.type, ZE_MEMORY_TYPE_HOST);
    assert_success(zeVirtualMemFree(api->context, range, 2 * page));
    assert_success(zePhysicalMemDestroy(api->context, physical));
    desc.flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE;
    assert_result(zePhysicalMemCreate(api->context, NULL, &desc, &physical),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* VMM-5, VMM-9, VAL-12 */
static void bad_mappings_are_refused(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    char *range = reserve(api, 4 * page);
    ze_physical_mem_handle_t physical = physical_make(api, 2 * page);
    void *memory = api_alloc_device(api, page);
    assert_result(zeVirtualMemMap(api->context, memory, page, physical, 0, READWRITE),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* no reservation */
    assert_result(zeVirtualMemMap(api->context, range + 3 * page, 2 * page, physical, 0, READWRITE),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* past its end */
    assert_result(zeVirtualMemMap(api->context, range + 1, page, physical, 0, READWRITE),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_result(zeVirtualMemMap(api->context, range, page + 1, physical, 0, READWRITE),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeVirtualMemMap(api->context, range, 0, physical, 0, READWRITE),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeVirtualMemMap(api->context, range, 2 * page, physical, page, READWRITE),
                  ZE_RESULT_ERROR_INVALID_SIZE); /* more than there is behind it */
    assert_result(zeVirtualMemMap(api->context, range, page, physical, 7, READWRITE),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_result(zeVirtualMemMap(api->context, range, page, NULL, 0, READWRITE),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeVirtualMemUnmap(api->context, memory, page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeVirtualMemUnmap(api->context, range, 5 * page),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* past the end of the reservation */
    assert_success(zeVirtualMemMap(api->context, range, 2 * page, physical, 0, READWRITE));
    assert_result(zeVirtualMemMap(api->context, range + page, page, physical, 0, READWRITE),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* mapped already */
    assert_result(zeVirtualMemFree(api->context, range, page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeVirtualMemFree(api->context, range + page, page),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zePhysicalMemDestroy(api->context, physical)); /* the mapping keeps it */
    memset(range, 1, 2 * page);
    assert_success(zeVirtualMemFree(api->context, range, 4 * page));
    assert_result(zeVirtualMemFree(api->context, range, 4 * page),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    api_free(api, memory);
}

/* VMM-6, RES-4 */
static void mapped_pages_take_part_in_residency(void **state)
{
    struct api *api = *state;
    size_t page = page_size(api, 4096);
    char *range = reserve(api, 2 * page);
    ze_physical_mem_handle_t physical = physical_make(api, 2 * page);
    assert_success(zeVirtualMemMap(api->context, range, 2 * page, physical, 0, READWRITE));
    assert_success(zeContextMakeMemoryResident(api->context, api->device, range, 2 * page));
    assert_success(zeContextEvictMemory(api->context, api->device, range, page));
    range[0] = 1;
    assert_success(zeVirtualMemUnmap(api->context, range, 2 * page));
    assert_success(zeVirtualMemFree(api->context, range, 2 * page));
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* VMM-8, CTX-1 */
static void a_context_takes_its_reservations_with_it(void **state)
{
    struct api *api = *state;
    struct api other = *api;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    assert_success(zeContextCreate(api->driver, &desc, &other.context));
    size_t page = page_size(&other, 4096);
    char *first = reserve(&other, 4 * page), *second = reserve(&other, 2 * page);
    ze_physical_mem_handle_t physical = physical_make(&other, 4 * page);
    assert_success(zeVirtualMemMap(other.context, first, 4 * page, physical, 0, READWRITE));
    assert_success(zeVirtualMemSetAccessAttribute(other.context, first + page, page, READONLY));
    (void)second;
    assert_success(zeContextDestroy(other.context));
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_success(zeMemGetAllocProperties(api->context, first, &p, NULL));
    assert_int_equal(p.type, ZE_MEMORY_TYPE_UNKNOWN);
}

static const struct api_case cases[] = {
    API_CASE(reservations_are_whole_pages),
    API_CASE(an_impossible_hint_still_succeeds),
    API_CASE(a_reservation_grows_by_mapping_its_pages_again),
    API_CASE(physical_memory_has_its_size),
    API_CASE(physical_memory_runs_out_like_allocations),
    API_CASE(parts_of_a_reservation_are_mapped_apart),
    API_CASE(access_attributes_belong_to_pages),
    API_CASE(access_attributes_are_applied),
    API_CASE(physical_memory_is_exported_and_imported),
    API_CASE(physical_memory_is_imported_from_another_process),
    API_CASE(hostile_descriptors_make_no_physical_memory),
    API_CASE(any_pages_of_a_reservation_can_be_unmapped),
    API_CASE(physical_memory_of_the_host_needs_no_device),
    API_CASE(bad_mappings_are_refused),
    API_CASE(mapped_pages_take_part_in_residency),
    API_CASE(a_context_takes_its_reservations_with_it),
};

API_MAIN("virtual", cases)
