/* API test of event pools of many events: memory is taken as events are created. */
#include "harness.h"

#include <stdio.h>

#define EVENTS   (UINT32_C(1) << 24) /* slots of a GiB in this driver */
#define MOST_MIB 64

/* Pages of the process that have memory, shared ones included, in MiB. */
static long resident_mib(void)
{
    long whole = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &whole, &resident), 2); /* NOLINT(cert-err34-c) */
    fclose(file);
    return resident / (1024 / 4);
}

static void event_use(ze_event_pool_handle_t pool, uint32_t index)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index};
    ze_event_handle_t event;
    assert_success(zeEventCreate(pool, &desc, &event));
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(event));
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventDestroy(event));
}

static void events_take_memory_when_they_are_created(void **state)
{
    struct api *api = *state;
#ifdef GEOID_SANITIZED
    skip(); /* a sanitizer has memory of its own for each allocation */
#endif
    static const ze_event_pool_flags_t flags[] = {
        0, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
        ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        const ze_event_pool_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags[i], .count = EVENTS};
        ze_event_pool_handle_t pool;
        const long before = resident_mib();
        assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &pool));
        event_use(pool, 0);
        event_use(pool, EVENTS / 2);
        event_use(pool, EVENTS - 1);
        assert_in_range(resident_mib() - before + MOST_MIB, 0, 2 * MOST_MIB);
        assert_success(zeEventPoolDestroy(pool));
    }
}

/* More than there is memory for: it may be promised, or refused before anything is written. */
static void pools_beyond_all_memory_are_refused_or_cost_nothing(void **state)
{
    struct api *api = *state;
#ifdef GEOID_SANITIZED
    skip(); /* a sanitizer has memory of its own for each allocation */
#endif
    static const ze_event_pool_flags_t flags[] = {0, ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                                                         ZE_EVENT_POOL_FLAG_IPC};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        const ze_event_pool_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags[i], .count = UINT32_MAX};
        ze_event_pool_handle_t pool = NULL;
        const long before = resident_mib();
        ze_result_t result = zeEventPoolCreate(api->context, &desc, 0, NULL, &pool);
        assert_in_range(resident_mib() - before + MOST_MIB, 0, 2 * MOST_MIB);
        if (result == ZE_RESULT_SUCCESS) {
            event_use(pool, UINT32_MAX - 1);
            assert_success(zeEventPoolDestroy(pool));
        } else {
            assert_result(result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        }
    }
}

static const struct api_case cases[] = {
    API_CASE(events_take_memory_when_they_are_created),
    API_CASE(pools_beyond_all_memory_are_refused_or_cost_nothing),
};

API_MAIN("event_pool", cases)
