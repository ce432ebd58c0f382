/* API test of the pages behind reserved address ranges: when they are taken, how large they are. */
#include "harness.h"

#include <sys/mman.h>

#define READWRITE ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE

static ze_physical_mem_handle_t physical_make(struct api *api, size_t bytes)
{
    const ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                         .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                         .size = bytes};
    ze_physical_mem_handle_t physical = NULL;
    ze_physical_mem_desc_t copy = desc;
    assert_success(zePhysicalMemCreate(api->context, api->device, &copy, &physical));
    return physical;
}

static size_t page_size(struct api *api, size_t bytes)
{
    size_t page = 0;
    assert_success(zeVirtualMemQueryPageSize(api->context, api->device, bytes, &page));
    return page;
}

/* Returns how many pages of the system in a range of up to 64 have memory. */
static size_t present(const void *base, size_t bytes)
{
    unsigned char pages[64] = {0};
    size_t count = 0;
    assert_int_equal(mincore((void *)(uintptr_t)base, bytes, pages), 0);
    for (size_t i = 0; i < bytes / 4096; i++) {
        count += pages[i] & 1;
    }
    return count;
}

/* VMM-6 */
static void mapped_pages_are_taken_when_they_are_touched(void **state)
{
    enum { BYTES = 64 * 4096 };
    struct api *api = *state;
    char *range = NULL;
    ze_physical_mem_handle_t physical = physical_make(api, BYTES);
    assert_success(zeVirtualMemReserve(api->context, NULL, BYTES, (void **)&range));
    assert_success(zeVirtualMemMap(api->context, range, BYTES, physical, 0, READWRITE));
    assert_int_equal(present(range, BYTES), 0);
    range[9 * 4096] = 1;
    assert_true(present(range, BYTES) >= 1); /* the system may give larger pages */
    assert_success(zeVirtualMemUnmap(api->context, range, BYTES));
    assert_success(zeVirtualMemFree(api->context, range, BYTES));
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* VMM-8: a part of a large reservation is mapped in pages as large as a part of its size has. */
static void parts_have_the_page_size_of_their_own_size(void **state)
{
    static const size_t sizes[] = {4096, 1 << 16, 1 << 20, 4 << 20, 64 << 20};
    struct api *api = *state;
    char *range = NULL;
    const size_t whole_page = page_size(api, (size_t)1 << 30);
    assert_success(zeVirtualMemReserve(api->context, NULL, (size_t)1 << 30, (void **)&range));
    assert_int_equal((uintptr_t)range % whole_page, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const size_t page = page_size(api, sizes[i]), bytes = (sizes[i] + page - 1) / page * page;
        ze_physical_mem_handle_t physical = physical_make(api, bytes);
        assert_success(
            zeVirtualMemMap(api->context, range + 3 * page, bytes, physical, 0, READWRITE));
        range[3 * page + bytes - 1] = 1;
        assert_success(zeVirtualMemUnmap(api->context, range + 3 * page, bytes));
        assert_success(zePhysicalMemDestroy(api->context, physical));
    }
    assert_success(zeVirtualMemFree(api->context, range, (size_t)1 << 30));
}

/* VMM-2: what is no multiple of a page, taken, or not an address of programs at all */
static void hints_are_no_orders(void **state)
{
    struct api *api = *state;
    const size_t page = page_size(api, 4096);
    char *taken = NULL;
    assert_success(zeVirtualMemReserve(api->context, NULL, 4 * page, (void **)&taken));
    const void *hints[] = {taken, taken + 1, (void *)1, (void *)(UINTPTR_MAX - page + 1)};
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        void *base = NULL;
        assert_success(zeVirtualMemReserve(api->context, hints[i], page, &base));
        assert_non_null(base);
        assert_int_equal((uintptr_t)base % page, 0);
        assert_true((char *)base + page <= taken || taken + 4 * page <= (char *)base);
        assert_success(zeVirtualMemFree(api->context, base, page));
    }
    assert_success(zeVirtualMemFree(api->context, taken, 4 * page));
}

/* VMM-4, VAL-7 */
static void more_than_the_device_has_is_refused(void **state)
{
    struct api *api = *state;
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    uint32_t one = 1;
    assert_success(zeDeviceGetMemoryProperties(api->device, &one, &memory));
    const size_t bytes = memory.totalSize + page_size(api, memory.totalSize);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = bytes - bytes % page_size(api, bytes)};
    ze_physical_mem_handle_t physical = NULL;
    assert_result(zePhysicalMemCreate(api->context, api->device, &desc, &physical),
                  ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_null(physical);
}

static const struct api_case cases[] = {
    API_CASE(mapped_pages_are_taken_when_they_are_touched),
    API_CASE(parts_have_the_page_size_of_their_own_size),
    API_CASE(hints_are_no_orders),
    API_CASE(more_than_the_device_has_is_refused),
};

API_MAIN("virtual_pages", cases)
