/* API test of memory that there is not: sizes and alignments up to the end of numbers, and address
 * space that runs out. Every answer is a result, and what was freed can be had again. */
#include "fault_support.h"

#include <sys/resource.h>

enum { PIECES = 4096 };

static const size_t sizes[] = {
    0,
    1,
    4097,
    (size_t)1 << 41, /* more than machines have */
    (size_t)1 << 47, /* than addresses */
    ((size_t)1 << 47) + 1,
    (size_t)INT64_MAX - 4096,
    (size_t)INT64_MAX,
    (size_t)INT64_MAX + 1,
    SIZE_MAX - ((size_t)1 << 30) - 1,
    SIZE_MAX - 8192,
    SIZE_MAX - 4095,
    SIZE_MAX - 1,
    SIZE_MAX,
};
static const size_t alignments[] = {
    0,
    1,
    3,
    4096,
    4097,
    (size_t)1 << 29,
    (size_t)1 << 30,
    (size_t)1 << 31,
    ((size_t)1 << 62) + 1,
    (size_t)1 << 63,
    SIZE_MAX - 1,
    SIZE_MAX,
};

enum kind {
    KIND_HOST,
    KIND_DEVICE,
    KIND_SHARED,
    KINDS,
};

static ze_result_t allocate(struct api *api, enum kind kind, const void *next, size_t bytes,
                            size_t alignment, void **out)
{
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                         .pNext = next};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = next};
    *out = NULL;
    switch (kind) {
    case KIND_HOST:
        return zeMemAllocHost(api->context, &host, bytes, alignment, out);
    case KIND_DEVICE:
        return zeMemAllocDevice(api->context, &device, bytes, alignment, api->device, out);
    default:
        return zeMemAllocShared(api->context, &device, &host, bytes, alignment, api->device, out);
    }
}

static bool is_refusal(ze_result_t result)
{
    return result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
           result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY ||
           result == ZE_RESULT_ERROR_UNSUPPORTED_SIZE ||
           result == ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
}

/* What can be had is used at both ends and given back. */
static void try_one(struct api *api, enum kind kind, const void *next, size_t bytes,
                    size_t alignment)
{
    void *memory;
    ze_result_t result = allocate(api, kind, next, bytes, alignment, &memory);
    if (result != ZE_RESULT_SUCCESS) {
        assert_true(is_refusal(result));
        assert_null(memory);
        return;
    }
    assert_true(bytes != 0 && bytes < (size_t)1 << 47);
    assert_true(alignment == 0 || (uintptr_t)memory % (alignment & ~(alignment - 1)) == 0);
    ((volatile uint8_t *)memory)[0] = 1;
    ((volatile uint8_t *)memory)[bytes - 1] = 2;
    api_free(api, memory);
}

/* MEM-16 */
static void every_size_and_alignment_has_a_result(void **state)
{
    struct api *api = *state;
    ze_relaxed_allocation_limits_ext_desc_t relaxed = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXT_DESC,
        .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXT_FLAG_MAX_SIZE};
    ze_external_memory_export_desc_t exported = {.stype =
                                                     ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
                                                 .pNext = &relaxed,
                                                 .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    const void *chains[] = {NULL, &relaxed, &exported};
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (size_t a = 0; a < sizeof(alignments) / sizeof(alignments[0]); a++) {
                for (int c = 0; c < 3; c++) {
                    try_one(api, (enum kind)kind, chains[c], sizes[s], alignments[a]);
                }
            }
        }
    }
}

/* VMM-1, VMM-4 */
static void ranges_and_pages_of_every_size_have_a_result(void **state)
{
    struct api *api = *state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                       .size = sizes[i]};
        ze_physical_mem_handle_t physical = NULL;
        void *range = NULL;
        size_t page = 0;
        ze_result_t result = zeVirtualMemReserve(api->context, NULL, sizes[i], &range);
        if (result == ZE_RESULT_SUCCESS) {
            assert_success(zeVirtualMemFree(api->context, range, sizes[i]));
        } else {
            assert_true(is_refusal(result) || result == ZE_RESULT_ERROR_INVALID_SIZE);
        }
        result = zePhysicalMemCreate(api->context, api->device, &desc, &physical);
        if (result == ZE_RESULT_SUCCESS) {
            assert_success(zePhysicalMemDestroy(api->context, physical));
        } else {
            assert_true(is_refusal(result) || result == ZE_RESULT_ERROR_INVALID_SIZE);
            assert_null(physical);
        }
        (void)zeVirtualMemQueryPageSize(api->context, api->device, sizes[i], &page);
    }
}

/* Until address space runs out, with pieces of one size; then what is freed can be had again. */
static void exhaust(struct api *api, const void *argument)
{
    static void *pieces[PIECES];
    const size_t bytes = *(const size_t *)argument;
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    MUST(file && fscanf(file, "%llu", &pages) == 1);
    fclose(file);
    struct rlimit limit;
    MUST(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = pages * 4096 + (600u << 20);
    MUST(setrlimit(RLIMIT_AS, &limit) == 0);
    size_t count = 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    while (count < PIECES) {
        result = allocate(api, (enum kind)(count % KINDS), NULL, bytes, 0, &pieces[count]);
        if (result != ZE_RESULT_SUCCESS) {
            break;
        }
        memset(pieces[count], 1, 4096);
        count++;
    }
    MUST(count > 2 && count < PIECES);
    MUST(result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
         result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    for (int again = 0; again < 3; again++) {
        MUST_WORK(zeMemFree(api->context, pieces[--count]));
    }
    MUST_WORK(allocate(api, KIND_SHARED, NULL, bytes, 0, &pieces[count]));
    memset(pieces[count++], 1, bytes);
    while (count > 0) {
        MUST_WORK(zeMemFree(api->context, pieces[--count]));
    }
}

/* MEM-16: a limit as a container's or a shell's */
static void address_space_runs_out_with_a_result(void **state)
{
    const size_t large = (size_t)40 << 20, medium = (size_t)3 << 20, small = 700 << 10;
#ifdef GEOID_SANITIZED
    skip(); /* it needs all the address space there is */
#endif
    assert_true(run_apart(*state, exhaust, &large));
    assert_true(run_apart(*state, exhaust, &medium));
    assert_true(run_apart(*state, exhaust, &small));
}

static const struct api_case cases[] = {
    API_CASE(every_size_and_alignment_has_a_result),
    API_CASE(ranges_and_pages_of_every_size_have_a_result),
    API_CASE(address_space_runs_out_with_a_result),
};
API_MAIN("exhaustion", cases)
