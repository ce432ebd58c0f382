/* Allocation sweeps (sweep.h) of the command side: queues, lists, events, fences, appends and
 * submissions. See test_sweep.c for the rest of the driver. */
#include "sweep.h"
#include "unit.h"

#include "ddi/geo_api.h"

#include <dlfcn.h>
#include <pthread.h>

/* Whether a submission finds a worker idle or starts one more depends on what else the machine
 * does; what the C library allocates for a thread is not the submission's. With a sanitizer only
 * the driver's own allocations are counted anyway. */
static bool steady;

#ifndef GEOID_SANITIZED
__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
                                                          const pthread_attr_t *restrict attributes,
                                                          void *(*run)(void *),
                                                          void *restrict argument)
{
    typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static create_fn create;
    if (!create) {
        create = (create_fn)dlsym(RTLD_NEXT, "pthread_create");
    }
    allocations_pause(steady);
    int result = create(thread, attributes, run, argument);
    allocations_pause(false);
    return result;
}
#endif

/* ---- what is there for all operations ---- */

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_command_queue_handle_t queue;
static ze_command_list_handle_t closed, cloneable;
static ze_event_pool_handle_t pool;
static ze_event_handle_t event;
static void *made;

static const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                   .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                                   .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
static const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};

static int list_make(ze_command_list_flags_t flags, ze_command_list_handle_t *list)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .flags = flags};
    return geo_zeCommandListCreate(context, device, &desc, list) ||
           geo_zeCommandListAppendBarrier(*list, event, 0, NULL) || geo_zeCommandListClose(*list);
}

static int setup(void **state)
{
    (void)state;
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 4};
    return geo_zeInit(0) || geo_zeDriverGet(&one, &driver) ||
           geo_zeDeviceGet(driver, &one, &device) || geo_zeContextCreate(driver, &desc, &context) ||
           geo_zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool) ||
           geo_zeEventCreate(pool, &event_desc, &event) ||
           geo_zeCommandQueueCreate(context, device, &queue_desc, &queue) ||
           list_make(0, &closed) || list_make(ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE, &cloneable);
}

/* ---- operations ---- */

static ze_result_t do_queue(void)
{
    return geo_zeCommandQueueCreate(context, device, &queue_desc,
                                    (ze_command_queue_handle_t *)&made);
}

static void undo_queue(void)
{
    geo_zeCommandQueueDestroy(made);
}

static ze_result_t do_list(void)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    return geo_zeCommandListCreate(context, device, &desc, (ze_command_list_handle_t *)&made);
}

static ze_result_t do_immediate(void)
{
    return geo_zeCommandListCreateImmediate(context, device, &queue_desc,
                                            (ze_command_list_handle_t *)&made);
}

static ze_result_t do_clone(void)
{
    return geo_zeCommandListCreateCloneExp(cloneable, (ze_command_list_handle_t *)&made);
}

static void undo_list(void)
{
    geo_zeCommandListDestroy(made);
}

static ze_result_t do_pool(void)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 100};
    return geo_zeEventPoolCreate(context, &desc, 1, &device, (ze_event_pool_handle_t *)&made);
}

static ze_result_t do_shared_pool(void)
{
    ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_IPC, .count = 100};
    return geo_zeEventPoolCreate(context, &desc, 0, NULL, (ze_event_pool_handle_t *)&made);
}

static void undo_pool(void)
{
    geo_zeEventPoolDestroy(made);
}

static ze_result_t do_event(void)
{
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    return geo_zeEventCreate(pool, &desc, (ze_event_handle_t *)&made);
}

static ze_result_t do_counter_event(void)
{
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC};
    return geo_zeEventCounterBasedCreate(context, device, &desc, (ze_event_handle_t *)&made);
}

static void undo_event(void)
{
    geo_zeEventDestroy(made);
}

static ze_result_t do_fence(void)
{
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    return geo_zeFenceCreate(queue, &desc, (ze_fence_handle_t *)&made);
}

static void undo_fence(void)
{
    geo_zeFenceDestroy(made);
}

static void nothing_made(void)
{
    assert_null(made);
}

static void forget(void)
{
    made = NULL;
}

#define OPERATION(text, run_, undo_)                                                               \
    {.name = text, .run = run_, .undo = undo_, .failed = nothing_made, .settle = forget}

static const struct sweep operations[] = {
    OPERATION("zeCommandQueueCreate", do_queue, undo_queue),
    OPERATION("zeCommandListCreate", do_list, undo_list),
    OPERATION("zeCommandListCreateImmediate", do_immediate, undo_list),
    OPERATION("zeCommandListCreateCloneExp", do_clone, undo_list),
    OPERATION("zeEventPoolCreate", do_pool, undo_pool),
    OPERATION("zeEventPoolCreate, shared", do_shared_pool, undo_pool),
    OPERATION("zeEventCreate", do_event, undo_event),
    OPERATION("zeEventCounterBasedCreate", do_counter_event, undo_event),
    OPERATION("zeFenceCreate", do_fence, undo_fence),
};

/* VAL-7, VAL-12 */
static void every_create_path_survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        sweep_run(&operations[i]);
    }
}

/* Appends whatever it takes until a number of commands is in the list; failures in between leave
 * the list as it was. Returns how many appends failed. */
static uint32_t append_with_failures(ze_command_list_handle_t list, ze_event_handle_t signal,
                                     uint32_t commands)
{
    uint32_t done = 0, failures = 0;
    long at = 1;
    while (done < commands) {
        allocations_fail(at, false);
        ze_result_t result = geo_zeCommandListAppendBarrier(list, signal, 1, &event);
        bool failed = allocations_end();
        if (result == ZE_RESULT_SUCCESS) {
            done++;
            at = 1;
        } else {
            assert_true(failed);
            assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
            failures++;
            at = 1 + failures % 2; /* the same again, or one further */
        }
    }
    return failures;
}

/* CMQ-12, CMQ-18 */
static void appends_survive_failing_allocations(void **state)
{
    (void)state;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_event_counter_based_desc_t counter_desc = {.stype =
                                                      ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC};
    ze_event_handle_t counter;
    ze_command_list_handle_t list;
    assert_int_equal(geo_zeEventHostSignal(event), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_zeEventCounterBasedCreate(context, device, &counter_desc, &counter),
                     ZE_RESULT_SUCCESS);
    for (int immediate = 0; immediate < 2; immediate++) {
        assert_int_equal(immediate
                             ? geo_zeCommandListCreateImmediate(context, device, &queue_desc, &list)
                             : geo_zeCommandListCreate(context, device, &desc, &list),
                         ZE_RESULT_SUCCESS);
        assert_true(append_with_failures(list, counter, 3000) > 0);
        if (immediate) {
            assert_int_equal(geo_zeCommandListHostSynchronize(list, UINT64_MAX), ZE_RESULT_SUCCESS);
        } else {
            assert_int_equal(geo_zeCommandListClose(list), ZE_RESULT_SUCCESS);
            assert_int_equal(geo_zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL),
                             ZE_RESULT_SUCCESS);
            assert_int_equal(geo_zeCommandQueueSynchronize(queue, UINT64_MAX), ZE_RESULT_SUCCESS);
        }
        assert_int_equal(geo_zeEventQueryStatus(counter), ZE_RESULT_SUCCESS);
        assert_int_equal(geo_zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    }
    assert_int_equal(geo_zeEventDestroy(counter), ZE_RESULT_SUCCESS);
}

/* CMQ-6, VAL-8: in the steady state a submission allocates nothing */
static void submissions_survive_failing_allocations_and_then_need_none(void **state)
{
    (void)state;
    ze_command_queue_handle_t fresh;
    ze_command_list_handle_t outer;
    assert_int_equal(geo_zeCommandQueueCreate(context, device, &queue_desc, &fresh),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(geo_zeCommandListCreateImmediate(context, device, &queue_desc, &outer),
                     ZE_RESULT_SUCCESS);
    allocations_fail(1, false);
    assert_int_equal(geo_zeCommandQueueExecuteCommandLists(fresh, 1, &closed, NULL),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    for (long at = 1; at <= 4; at++) {
        allocations_fail(at, false);
        ze_result_t result =
            geo_zeCommandListImmediateAppendCommandListsExp(outer, 1, &closed, NULL, 0, NULL);
        assert_true(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    }
    allocations_end();
    for (int i = 0; i < 3; i++) { /* warm */
        assert_int_equal(geo_zeCommandQueueExecuteCommandLists(fresh, 1, &closed, NULL),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(geo_zeCommandQueueSynchronize(fresh, UINT64_MAX), ZE_RESULT_SUCCESS);
        assert_int_equal(geo_zeCommandListAppendBarrier(outer, event, 0, NULL), ZE_RESULT_SUCCESS);
        assert_int_equal(geo_zeCommandListHostSynchronize(outer, UINT64_MAX), ZE_RESULT_SUCCESS);
    }
    long before = allocations_living();
    steady = true;
    allocations_fail(1, true); /* any allocation would fail */
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(geo_zeCommandQueueExecuteCommandLists(fresh, 1, &closed, NULL),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(geo_zeCommandQueueSynchronize(fresh, UINT64_MAX), ZE_RESULT_SUCCESS);
        assert_int_equal(geo_zeCommandListAppendBarrier(outer, event, 0, NULL), ZE_RESULT_SUCCESS);
        assert_int_equal(geo_zeCommandListHostSynchronize(outer, UINT64_MAX), ZE_RESULT_SUCCESS);
        assert_int_equal(allocations_count(), 0);
    }
    allocations_end();
    steady = false;
    assert_int_equal(allocations_living(), before);
    assert_int_equal(geo_zeCommandListDestroy(outer), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_zeCommandQueueDestroy(fresh), ZE_RESULT_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_create_path_survives_failing_allocations),
        cmocka_unit_test(appends_survive_failing_allocations),
        cmocka_unit_test(submissions_survive_failing_allocations_and_then_need_none),
    };
    return cmocka_run_group_tests_name("sweep_commands", tests, setup, NULL);
}
