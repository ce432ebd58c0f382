/* API test of hints on memory: what the system says of its pages after a prefetch, after advice and
 * after an eviction. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 8 << 20, PAGE = 4096 };

/* How many pages of a range have memory. */
static size_t present(const void *memory, size_t bytes)
{
    static unsigned char pages[BYTES / PAGE];
    size_t count = 0;
    assert_int_equal(mincore((void *)(uintptr_t)memory, bytes, pages), 0);
    for (size_t i = 0; i < bytes / PAGE; i++) {
        count += pages[i] & 1;
    }
    return count;
}

/* Kilobytes of the mapping at an address that were touched lately, as the system knows it. */
static long touched_kib(const void *memory)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    char line[256];
    long kib = -1;
    bool here = false;
    while (file && fgets(line, sizeof(line), file)) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2) {
            here = begin <= (unsigned long)memory && (unsigned long)memory < end;
        } else if (here && sscanf(line, "Referenced: %ld kB", &kib) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return kib;
}

static bool all_are(const uint8_t *memory, uint8_t value)
{
    size_t equal = 0;
    for (size_t i = 0; i < BYTES; i++) {
        equal += memory[i] == value;
    }
    return equal == BYTES;
}

/* MEM-14 */
static void prefetched_memory_is_present(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *shared = api_alloc_shared(api, BYTES), *device = api_alloc_device(api, BYTES);
    assert_int_equal(present(shared, BYTES), 0);
    assert_success(zeCommandListAppendMemoryPrefetch(list.list, shared + 5, BYTES / 2));
    assert_success(zeCommandListAppendMemoryPrefetch(list.list, device, BYTES));
    api_list_run(api, &list);
    assert_true(present(shared, BYTES / 2 + PAGE) == BYTES / 2 / PAGE + 1);
    assert_true(present(shared, BYTES) < BYTES / PAGE);
    assert_int_equal(present(device, BYTES), BYTES / PAGE);
    assert_success(zeCommandListAppendMemoryPrefetch(list.list, shared, BYTES)); /* and again */
    assert_success(zeCommandListAppendMemoryPrefetch(list.list, shared, BYTES));
    api_list_run(api, &list);
    assert_int_equal(present(shared, BYTES), BYTES / PAGE);
    assert_true(all_are(shared, 0) && all_are(device, 0));
    api_free(api, shared);
    api_free(api, device);
    api_list_destroy(&list);
}

/* MEM-14: advice says how memory will be used, and uses nothing itself. */
static void advice_takes_no_pages(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *shared = api_alloc_shared(api, BYTES);
    for (uint32_t advice = 0; advice <= 9; advice++) {
        assert_success(zeCommandListAppendMemAdvise(list.list, api->device, shared, BYTES,
                                                    (ze_memory_advice_t)advice));
    }
    api_list_run(api, &list);
    assert_int_equal(present(shared, BYTES), 0);
    api_free(api, shared);
    api_list_destroy(&list);
}

/* MEM-14: hints about what cannot be had, or is not there, are no errors and change nothing. */
static void impossible_hints_are_ignored(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const size_t far = (size_t)1 << 42; /* more than the machine has */
    uint8_t *reserved =
        mmap(NULL, far, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint8_t *hole = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(hole != MAP_FAILED);
    munmap(hole, BYTES);
    const struct {
        const void *start;
        size_t bytes;
    } odd[] = {{hole, BYTES},
               {(void *)(uintptr_t)-PAGE, PAGE},
               {(void *)(uintptr_t)-PAGE, SIZE_MAX},
               {list.list, SIZE_MAX},
               {list.list, 0},
               {reserved == MAP_FAILED ? hole : reserved, reserved == MAP_FAILED ? BYTES : far}};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        assert_success(zeCommandListAppendMemoryPrefetch(list.list, odd[i].start, odd[i].bytes));
        for (uint32_t advice = 0; advice <= 9; advice++) {
            assert_success(zeCommandListAppendMemAdvise(list.list, api->device, odd[i].start,
                                                        odd[i].bytes, (ze_memory_advice_t)advice));
        }
    }
    api_list_run(api, &list);
    if (reserved != MAP_FAILED) {
        assert_int_equal(present(reserved, BYTES), 0);
        munmap(reserved, far);
    }
    api_list_destroy(&list);
}

/* RES-4, RES-5: what was evicted is what the system gives up first; it is there all the same, and
 * comes back by being used. */
static void evicted_memory_is_not_touched_lately(void **state)
{
    struct api *api = *state;
    uint8_t *memory = api_alloc_device(api, BYTES);
    memset(memory, 0x5a, BYTES);
    long before = touched_kib(memory);
    if (before < BYTES / 1024) {
        print_message("the system does not tell\n");
        skip();
    }
    assert_success(zeContextEvictMemory(api->context, api->device, memory, BYTES));
    assert_true(touched_kib(memory) <= before / 2); /* pages on their way to a list stay */
    assert_true(all_are(memory, 0x5a));
    assert_true(touched_kib(memory) >= before);
    assert_success(zeContextMakeMemoryResident(api->context, api->device, memory, BYTES));
    api_free(api, memory);
}

/* Nobody's program is to run out of memory that it has not touched. */
static void resident_memory_takes_no_pages(void **state)
{
    struct api *api = *state;
    uint8_t *memory = api_alloc_device(api, BYTES);
    assert_success(zeContextMakeMemoryResident(api->context, api->device, memory, BYTES));
    assert_int_equal(present(memory, BYTES), 0);
    api_free(api, memory);
}

/* Nothing of a cache can be reserved; to end what is not there, and to use the rest, is fine. */
static void no_cache_is_reserved(void **state)
{
    struct api *api = *state;
    uint8_t *memory = api_alloc_device(api, BYTES);
    const char *text = NULL;
    for (size_t level = 0; level < 4; level++) {
        assert_success(zeDeviceReserveCacheExt(api->device, level, 0));
        assert_result(zeDeviceReserveCacheExt(api->device, level, 1),
                      ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    assert_non_null(strstr(text, "maxCacheReservationSize is 0"));
    assert_success(
        zeDeviceSetCacheAdviceExt(api->device, memory, BYTES, ZE_CACHE_EXT_REGION_DEFAULT));
    assert_success(
        zeDeviceSetCacheAdviceExt(api->device, memory, BYTES, ZE_CACHE_EXT_REGION_NON_RESERVED));
    assert_result(
        zeDeviceSetCacheAdviceExt(api->device, memory, BYTES, ZE_CACHE_EXT_REGION_RESERVED),
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_result(zeDeviceSetCacheAdviceExt(api->device, memory, BYTES, (ze_cache_ext_region_t)7),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    api_free(api, memory);
}

static const struct api_case cases[] = {
    API_LIST_CASE(prefetched_memory_is_present), API_LIST_CASE(advice_takes_no_pages),
    API_LIST_CASE(impossible_hints_are_ignored), API_CASE(evicted_memory_is_not_touched_lately),
    API_CASE(resident_memory_takes_no_pages),    API_CASE(no_cache_is_reserved),
};
API_MAIN("hint", cases)
