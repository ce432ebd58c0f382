/* Allocation sweeps (sweep.h) of what other processes and interfaces share, and of recorded graphs.
 * See test_sweep.c for the rest of the driver. */
#include "sweep.h"
#include "unit.h"

#include "ddi/geo_api.h"

#include <sys/eventfd.h>

/* ---- what is there for all operations ---- */

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_command_list_handle_t list;
static ze_event_pool_handle_t pool;
static ze_event_handle_t counter;
static ze_ipc_event_pool_handle_t pool_handle;
static ze_ipc_event_counter_based_handle_t counter_handle;
static ze_graph_handle_t graph;
static int fd;
static void *made;

static ze_result_t record(ze_graph_handle_t *out)
{
    ze_result_t result = geo_zeCommandListBeginGraphCaptureExt(list, NULL);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_zeCommandListAppendBarrier(list, NULL, 0, NULL);
        ze_graph_handle_t ended = NULL;
        ze_result_t end = geo_zeCommandListEndGraphCaptureExt(list, NULL, &ended);
        if (result == ZE_RESULT_SUCCESS && end == ZE_RESULT_SUCCESS) {
            *out = ended;
        } else if (ended) {
            geo_zeGraphDestroyExt(ended);
        }
        result = result == ZE_RESULT_SUCCESS ? end : result;
    }
    return result;
}

/* A page of counters is made with the first one, and kept. */
static ze_result_t counters_make(void)
{
    ze_executable_graph_handle_t first;
    ze_result_t result = geo_zeGraphInstantiateExt(graph, NULL, &first);
    return result ? result : geo_zeExecutableGraphDestroyExt(first);
}

static int setup(void **state)
{
    (void)state;
    uint32_t one = 1;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                           .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_event_pool_desc_t pool_desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_IPC, .count = 4};
    const ze_event_counter_based_desc_t counter_desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
        .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_IPC};
    fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 || geo_zeInit(0) || geo_zeDriverGet(&one, &driver) ||
           geo_zeDeviceGet(driver, &one, &device) || geo_zeContextCreate(driver, &desc, &context) ||
           geo_zeCommandListCreateImmediate(context, device, &queue, &list) ||
           geo_zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool) ||
           geo_zeEventPoolGetIpcHandle(pool, &pool_handle) ||
           geo_zeEventCounterBasedCreate(context, device, &counter_desc, &counter) ||
           geo_zeEventCounterBasedGetIpcHandle(counter, &counter_handle) || record(&graph) ||
           counters_make();
}

/* ---- operations ---- */

static ze_result_t do_open_pool(void)
{
    return geo_zeEventPoolOpenIpcHandle(context, pool_handle, (ze_event_pool_handle_t *)&made);
}

static void undo_open_pool(void)
{
    geo_zeEventPoolCloseIpcHandle(made);
}

static ze_result_t do_open_counter(void)
{
    return geo_zeEventCounterBasedOpenIpcHandle(context, counter_handle,
                                                (ze_event_handle_t *)&made);
}

static void undo_open_counter(void)
{
    geo_zeEventCounterBasedCloseIpcHandle(made);
}

static ze_result_t do_semaphore(void)
{
    const ze_external_semaphore_fd_ext_desc_t by_fd = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC, .fd = fd};
    const ze_external_semaphore_ext_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC,
        .pNext = &by_fd,
        .flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD};
    return geo_zeDeviceImportExternalSemaphoreExt(device, &desc,
                                                  (ze_external_semaphore_ext_handle_t *)&made);
}

static void undo_semaphore(void)
{
    geo_zeDeviceReleaseExternalSemaphoreExt(made);
}

static ze_result_t do_graph(void)
{
    return geo_zeGraphCreateExt(context, NULL, (ze_graph_handle_t *)&made);
}

static ze_result_t do_record(void)
{
    return record((ze_graph_handle_t *)&made);
}

static void undo_graph(void)
{
    geo_zeGraphDestroyExt(made);
}

static ze_result_t do_instantiate(void)
{
    return geo_zeGraphInstantiateExt(graph, NULL, (ze_executable_graph_handle_t *)&made);
}

static void undo_instantiate(void)
{
    geo_zeExecutableGraphDestroyExt(made);
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
    OPERATION("zeEventPoolOpenIpcHandle", do_open_pool, undo_open_pool),
    OPERATION("zeEventCounterBasedOpenIpcHandle", do_open_counter, undo_open_counter),
    OPERATION("zeDeviceImportExternalSemaphoreExt", do_semaphore, undo_semaphore),
    OPERATION("zeGraphCreateExt", do_graph, undo_graph),
    OPERATION("zeCommandListEndGraphCaptureExt", do_record, undo_graph),
    OPERATION("zeGraphInstantiateExt", do_instantiate, undo_instantiate),
};

/* MEM-16, VAL-7 */
static void every_create_path_survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        sweep_run(&operations[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_create_path_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("sweep_shared", tests, setup, NULL);
}
