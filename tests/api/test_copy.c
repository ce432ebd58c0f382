/* API test of copies, fills and hints through both kinds of list. */
#include "harness.h"

#include <stdlib.h>

static const size_t sizes[] = {1, 7, 4096, (64 << 10) + 3, (1 << 20) + 1};

static void pattern_write(uint8_t *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(i * 31 + seed + (i >> 8));
    }
}

/* CPY-1, CPY-7, MEM-1 */
static void copies_between_all_kinds_of_memory(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    enum { BYTES = 100003 };
    void *memory[4] = {api_alloc_host(api, BYTES), api_alloc_device(api, BYTES),
                       api_alloc_shared(api, BYTES), malloc(BYTES)};
    uint8_t *result = malloc(BYTES), *expected = malloc(BYTES);
    for (int from = 0; from < 4; from++) {
        for (int to = 0; to < 4; to++) {
            if (from == to) {
                continue;
            }
            pattern_write(expected, BYTES, (unsigned)(from * 4 + to));
            assert_success(zeCommandListAppendMemoryCopy(list.list, memory[from], expected, BYTES,
                                                         NULL, 0, NULL));
            assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
            assert_success(zeCommandListAppendMemoryCopy(list.list, memory[to], memory[from], BYTES,
                                                         NULL, 0, NULL));
            assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
            assert_success(
                zeCommandListAppendMemoryCopy(list.list, result, memory[to], BYTES, NULL, 0, NULL));
            api_list_run(api, &list);
            assert_memory_equal(result, expected, BYTES);
        }
    }
    for (int i = 0; i < 3; i++) {
        api_free(api, memory[i]);
    }
    free(memory[3]);
    free(result);
    free(expected);
    api_list_destroy(&list);
}

/* CPY-1 */
static void large_copies_are_exact_at_any_alignment(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    enum { LARGE = (16 << 20) + 77, AROUND = 64 };
    static const size_t offsets[][2] = {{0, 0}, {1, 0}, {0, 3}, {63, 17}};
    uint8_t *from = api_alloc_shared(api, LARGE + AROUND);
    uint8_t *to = api_alloc_shared(api, LARGE + 2 * AROUND);
    pattern_write(from, LARGE + AROUND, 5);
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        uint8_t *begin = to + offsets[i][0], *source = from + offsets[i][1];
        memset(to, 0xaa, LARGE + 2 * AROUND);
        assert_success(
            zeCommandListAppendMemoryCopy(list.list, begin, source, LARGE, NULL, 0, NULL));
        api_list_run(api, &list);
        assert_memory_equal(begin, source, LARGE);
        for (const uint8_t *at = to; at < to + LARGE + 2 * AROUND; at++) {
            at = at == begin ? begin + LARGE : at;
            assert_int_equal(*at, 0xaa);
        }
    }
    api_free(api, from);
    api_free(api, to);
    api_list_destroy(&list);
}

/* CPY-2 */
static void fills_repeat_the_pattern(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t pattern_bytes = 1; pattern_bytes <= 128; pattern_bytes *= 2) {
            size_t bytes = sizes[s] / pattern_bytes * pattern_bytes;
            uint8_t pattern[128], *memory = api_alloc_shared(api, bytes + 1);
            pattern_write(pattern, sizeof(pattern), (unsigned)s);
            memory[bytes] = 0xaa;
            assert_success(zeCommandListAppendMemoryFill(list.list, memory, pattern, pattern_bytes,
                                                         bytes, NULL, 0, NULL));
            api_list_run(api, &list);
            for (size_t i = 0; i < bytes; i++) {
                if (memory[i] != pattern[i % pattern_bytes]) {
                    fail_msg("byte %zu of %zu, pattern of %zu", i, bytes, pattern_bytes);
                }
            }
            assert_int_equal(memory[bytes], 0xaa);
            api_free(api, memory);
        }
    }
    api_list_destroy(&list);
}

/* KRN-5 for fills: what is copied at append */
static void a_fill_keeps_its_pattern(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint32_t *memory = api_alloc_shared(api, 4096), pattern = 7;
    assert_success(zeCommandListAppendMemoryFill(list.list, memory, &pattern, sizeof(pattern), 4096,
                                                 NULL, 0, NULL));
    pattern = 9;
    api_list_run(api, &list);
    assert_int_equal(memory[0], 7);
    assert_int_equal(memory[1023], 7);
    api_free(api, memory);
    api_list_destroy(&list);
}

/* CPY-2: each queue group takes patterns up to what it reports */
static void groups_have_limits_for_patterns(void **state)
{
    enum { BYTES = 1 << 20 };
    struct api *api = *state;
    ze_command_queue_group_properties_t groups[8];
    uint32_t count = 8;
    uint8_t *memory = api_alloc_shared(api, BYTES), *pattern = malloc(BYTES);
    memset(groups, 0, sizeof(groups));
    for (uint32_t i = 0; i < count; i++) {
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    }
    assert_success(zeDeviceGetCommandQueueGroupProperties(api->device, &count, groups));
    pattern_write(pattern, BYTES, 5);
    for (uint32_t i = 0; i < count; i++) {
        ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                        .ordinal = i,
                                        .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
        ze_command_list_handle_t list;
        size_t limit = groups[i].maxMemoryFillPatternSize;
        assert_true(limit >= 16);
        assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
        for (size_t bytes = 1; bytes <= BYTES; bytes *= 2) {
            ze_result_t result =
                zeCommandListAppendMemoryFill(list, memory, pattern, bytes, BYTES, NULL, 0, NULL);
            assert_result(result,
                          bytes <= limit ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_SIZE);
            if (bytes <= limit) {
                assert_memory_equal(memory, pattern, bytes);
                assert_memory_equal(memory + BYTES - bytes, pattern, bytes);
            }
        }
        assert_success(zeCommandListDestroy(list));
    }
    free(pattern);
    api_free(api, memory);
}

/* CPY-2, VAL-11 */
static void a_bad_fill_is_refused(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *memory = api_alloc_shared(api, 64), pattern[64] = {0};
    const size_t bad[] = {0, 3, 12, (size_t)1 << 40};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_result(
            zeCommandListAppendMemoryFill(list.list, memory, pattern, bad[i], 64, NULL, 0, NULL),
            ZE_RESULT_ERROR_INVALID_SIZE);
    }
    assert_result(zeCommandListAppendMemoryFill(list.list, memory, pattern, 16, 24, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeCommandListAppendMemoryFill(list.list, memory, pattern, 12, 24, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeCommandListAppendMemoryFill(list.list, NULL, pattern, 4, 64, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandListAppendMemoryFill(list.list, memory, NULL, 4, 64, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    api_list_run(api, &list);
    api_free(api, memory);
    api_list_destroy(&list);
}

/* CPY-3 */
static void region_copies_move_boxes(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    enum { PITCH = 128, ROWS = 40, SLICES = 6, SLICE = PITCH * ROWS, BYTES = SLICE * SLICES };
    uint8_t *from = api_alloc_shared(api, BYTES), *to = api_alloc_shared(api, BYTES);
    ze_copy_region_t source = {3, 2, 1, 50, 20, 4}, target = {60, 11, 0, 50, 20, 4};
    pattern_write(from, BYTES, 1);
    memset(to, 0, BYTES);
    assert_success(zeCommandListAppendMemoryCopyRegion(list.list, to, &target, PITCH, SLICE, from,
                                                       &source, PITCH, SLICE, NULL, 0, NULL));
    api_list_run(api, &list);
    size_t touched = 0;
    for (uint32_t z = 0; z < 4; z++) {
        for (uint32_t y = 0; y < 20; y++) {
            assert_memory_equal(to + z * SLICE + (y + 11) * PITCH + 60,
                                from + (z + 1) * SLICE + (y + 2) * PITCH + 3, 50);
            touched += 50;
        }
    }
    size_t changed = 0;
    for (size_t i = 0; i < BYTES; i++) {
        changed += to[i] != 0;
    }
    assert_true(changed <= touched);
    api_free(api, from);
    api_free(api, to);
    api_list_destroy(&list);
}

/* CPY-3: depth 0 is two-dimensional, slice pitches do not count */
static void flat_region_copies_ignore_slices(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t from[64], *to = api_alloc_shared(api, 64);
    ze_copy_region_t region = {1, 1, 77, 4, 3, 0};
    pattern_write(from, sizeof(from), 5);
    memset(to, 0, 64);
    assert_success(zeCommandListAppendMemoryCopyRegion(list.list, to, &region, 16, 1, from, &region,
                                                       16, 1, NULL, 0, NULL));
    api_list_run(api, &list);
    for (int y = 1; y < 4; y++) {
        assert_memory_equal(to + y * 16 + 1, from + y * 16 + 1, 4);
    }
    assert_int_equal(to[0], 0);
    api_free(api, to);
    api_list_destroy(&list);
}

/* VAL-11, CPY-3 */
static void bad_regions_are_refused(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *memory = api_alloc_shared(api, 4096);
    ze_copy_region_t a = {0, 0, 0, 16, 8, 0}, b = {8, 0, 0, 16, 8, 0}, c = {16, 0, 0, 16, 8, 0};
    ze_copy_region_t narrow = {32, 0, 0, 8, 8, 0};
    assert_result(zeCommandListAppendMemoryCopyRegion(list.list, memory, &a, 64, 0, memory, &b, 64,
                                                      0, NULL, 0, NULL),
                  ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    /* side by side in the same rows: not one byte in common */
    assert_success(zeCommandListAppendMemoryCopyRegion(list.list, memory, &a, 64, 0, memory, &c, 64,
                                                       0, NULL, 0, NULL));
    assert_result(zeCommandListAppendMemoryCopyRegion(list.list, memory, &a, 64, 0, memory, &narrow,
                                                      64, 0, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeCommandListAppendMemoryCopyRegion(list.list, memory, &a, 8, 0, memory + 2048,
                                                      &a, 64, 0, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeCommandListAppendMemoryCopyRegion(list.list, memory, NULL, 64, 0, memory, &a,
                                                      64, 0, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    api_list_run(api, &list);
    api_free(api, memory);
    api_list_destroy(&list);
}

/* CPY-7, GEN-25 */
static void null_pointers_and_wait_lists_are_checked(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *memory = api_alloc_shared(api, 64);
    ze_event_handle_t foreign = api_foreign_handle();
    assert_result(zeCommandListAppendMemoryCopy(list.list, NULL, memory, 8, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandListAppendMemoryCopy(list.list, memory, NULL, 8, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandListAppendMemoryCopy(list.list, memory, memory + 32, 8, NULL, 1, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(
        zeCommandListAppendMemoryCopy(list.list, memory, memory + 32, 8, NULL, 1, &foreign),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(
        zeCommandListAppendMemoryCopy(list.list, memory, memory + 32, 8, foreign, 0, NULL),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListAppendMemoryCopy(list.list, memory, memory + 32, 0, NULL, 0, NULL));
    api_list_run(api, &list);
    api_free(api, memory);
    api_list_destroy(&list);
}

/* VAL-11 */
static void hints_are_accepted_for_any_memory(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *memory = api_alloc_shared(api, 4096), system[64];
    for (int advice = 0; advice <= 9; advice++) {
        assert_success(zeCommandListAppendMemAdvise(list.list, api->device, memory, 4096,
                                                    (ze_memory_advice_t)advice));
    }
    assert_success(zeCommandListAppendMemoryPrefetch(list.list, memory, 4096));
    assert_success(zeCommandListAppendMemoryPrefetch(list.list, system, sizeof(system)));
    assert_result(
        zeCommandListAppendMemAdvise(list.list, api->device, memory, 4096, (ze_memory_advice_t)10),
        ZE_RESULT_ERROR_INVALID_ENUMERATION);
    api_list_run(api, &list);
    api_free(api, memory);
    api_list_destroy(&list);
}

/* CTX-1, CPY-1 */
static void memory_of_another_context_can_be_copied_from(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_context_desc_t desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
    struct api other = *api;
    assert_success(zeContextCreate(api->driver, &desc, &other.context));
    uint32_t *from = api_alloc_shared(&other, 64), *to = api_alloc_shared(api, 64);
    from[0] = 42;
    to[0] = 0;
    assert_success(zeCommandListAppendMemoryCopyFromContext(list.list, to, other.context, from, 64,
                                                            NULL, 0, NULL));
    api_list_run(api, &list);
    if (api->executes) {
        assert_int_equal(to[0], 42);
    }
    api_free(&other, from);
    api_free(api, to);
    api_list_destroy(&list);
    assert_success(zeContextDestroy(other.context));
}

/* The null device touches no memory; its commands complete. */
static void the_null_device_leaves_memory_alone(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *memory = api_alloc_shared(api, 64), one = 1;
    memset(memory, 0, 64);
    assert_success(zeCommandListAppendMemoryFill(list.list, memory, &one, 1, 64, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(memory[0], api->executes);
    api_free(api, memory);
    api_list_destroy(&list);
}

static const struct api_case cases[] = {
    API_RUN_CASE(copies_between_all_kinds_of_memory),
    API_RUN_CASE(large_copies_are_exact_at_any_alignment),
    API_RUN_CASE(fills_repeat_the_pattern),
    API_RUN_CASE(a_fill_keeps_its_pattern),
    API_RUN_CASE(groups_have_limits_for_patterns),
    API_LIST_CASE(a_bad_fill_is_refused),
    API_RUN_CASE(region_copies_move_boxes),
    API_RUN_CASE(flat_region_copies_ignore_slices),
    API_LIST_CASE(bad_regions_are_refused),
    API_LIST_CASE(null_pointers_and_wait_lists_are_checked),
    API_LIST_CASE(hints_are_accepted_for_any_memory),
    API_LIST_CASE(memory_of_another_context_can_be_copied_from),
    API_LIST_CASE(the_null_device_leaves_memory_alone),
};

API_MAIN("copy", cases)
