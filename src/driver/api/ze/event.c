/* API functions of event pools and events on the host. driver/cmd implements the objects. */
#include "driver/event/event.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/graph/capture.h"

#include <string.h>

/* ---- pools ---- */

static ze_result_t pool_devices_check(const struct geo_context *context, uint32_t count,
                                      ze_device_handle_t *handles)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_device *device;
        GEO_CHECK(geo_device_from(handles[i], &device));
        GEO_CHECK(geo_context_check_device(context, device));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventPoolCreate(ze_context_handle_t hContext, const ze_event_pool_desc_t *desc,
                                  uint32_t numDevices, ze_device_handle_t *phDevices,
                                  ze_event_pool_handle_t *phEventPool)
{
    struct geo_context *context;
    struct geo_event_pool *pool;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(pool_devices_check(context, numDevices, phDevices));
    GEO_CHECK(geo_context_check_alive(context));
    GEO_CHECK(geo_event_pool_create(context, desc, &pool));
    *phEventPool = geo_event_pool_handle(pool);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventPoolDestroy(ze_event_pool_handle_t hEventPool)
{
    struct geo_event_pool *pool;
    GEO_CHECK(geo_event_pool_from(hEventPool, &pool));
    if (pool->opened) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "an opened pool must be closed by zeEventPoolCloseIpcHandle");
    }
    geo_object_close(&pool->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventPoolGetIpcHandle(ze_event_pool_handle_t hEventPool,
                                        ze_ipc_event_pool_handle_t *phIpc)
{
    struct geo_event_pool *pool;
    GEO_CHECK(geo_event_pool_from(hEventPool, &pool));
    return geo_event_pool_ipc_get(pool, phIpc);
}

ze_result_t geo_zeEventPoolPutIpcHandle(ze_context_handle_t hContext,
                                        ze_ipc_event_pool_handle_t hIpc)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    (void)hIpc; /* the handle contains the pool's own descriptor, so nothing is released */
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventPoolOpenIpcHandle(ze_context_handle_t hContext,
                                         ze_ipc_event_pool_handle_t hIpc,
                                         ze_event_pool_handle_t *phEventPool)
{
    struct geo_context *context;
    struct geo_event_pool *pool;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(geo_event_pool_ipc_open(context, &hIpc, &pool));
    *phEventPool = geo_event_pool_handle(pool);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventPoolCloseIpcHandle(ze_event_pool_handle_t hEventPool)
{
    struct geo_event_pool *pool;
    GEO_CHECK(geo_event_pool_from(hEventPool, &pool));
    if (!pool->opened) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the pool was not opened by zeEventPoolOpenIpcHandle");
    }
    geo_object_close(&pool->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventPoolGetContextHandle(ze_event_pool_handle_t hEventPool,
                                            ze_context_handle_t *phContext)
{
    struct geo_event_pool *pool;
    GEO_CHECK(geo_event_pool_from(hEventPool, &pool));
    *phContext = geo_context_handle(pool->context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventPoolGetFlags(ze_event_pool_handle_t hEventPool,
                                    ze_event_pool_flags_t *pFlags)
{
    struct geo_event_pool *pool;
    GEO_CHECK(geo_event_pool_from(hEventPool, &pool));
    *pFlags = pool->flags;
    return ZE_RESULT_SUCCESS;
}

/* ---- events ---- */

ze_result_t geo_zeEventCreate(ze_event_pool_handle_t hEventPool, const ze_event_desc_t *desc,
                              ze_event_handle_t *phEvent)
{
    struct geo_event_pool *pool;
    struct geo_event *event;
    GEO_CHECK(geo_event_pool_from(hEventPool, &pool));
    GEO_CHECK(geo_event_create(pool, desc, &event));
    *phEvent = geo_event_handle(event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventCounterBasedCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                          const ze_event_counter_based_desc_t *desc,
                                          ze_event_handle_t *phEvent)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_event *event;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_event_counter_create(context, desc, &event));
    *phEvent = geo_event_handle(event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventDestroy(ze_event_handle_t hEvent)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    if (event->mapping) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "an opened event must be closed by zeEventCounterBasedCloseIpcHandle");
    }
    geo_object_close(&event->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventHostSignal(ze_event_handle_t hEvent)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    return geo_event_host_signal(event);
}

ze_result_t geo_zeEventHostReset(ze_event_handle_t hEvent)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    return geo_event_host_reset(event);
}

ze_result_t geo_zeEventHostSynchronize(ze_event_handle_t hEvent, uint64_t timeout)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    return geo_event_wait(event, timeout);
}

ze_result_t geo_zeEventQueryStatus(ze_event_handle_t hEvent)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    return geo_event_query(event);
}

/* ---- timestamps ---- */

ze_result_t geo_zeEventQueryKernelTimestamp(ze_event_handle_t hEvent,
                                            ze_kernel_timestamp_result_t *dstptr)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    return geo_event_timestamps(event, dstptr);
}

ze_result_t geo_zeEventQueryTimestampsExp(ze_event_handle_t hEvent, ze_device_handle_t hDevice,
                                          uint32_t *pCount,
                                          ze_kernel_timestamp_result_t *pTimestamps)
{
    struct geo_event *event;
    struct geo_device *device;
    GEO_CHECK(geo_event_from(hEvent, &event));
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    if (geo_count_protocol(pCount, 1, pTimestamps) == 0) {
        return ZE_RESULT_SUCCESS;
    }
    return geo_event_timestamps(event, pTimestamps);
}

/* Copies the timestamps. The device's timer is the host's clock (CLOCK_MONOTONIC_RAW in
 * nanoseconds), so both have the same values. */
static void timestamps_synchronize(const ze_kernel_timestamp_result_t *from,
                                   ze_synchronized_timestamp_result_ext_t *to)
{
    to->global.kernelStart = from->global.kernelStart;
    to->global.kernelEnd = from->global.kernelEnd;
    to->context.kernelStart = from->context.kernelStart;
    to->context.kernelEnd = from->context.kernelEnd;
}

ze_result_t geo_zeEventQueryKernelTimestampsExt(
    ze_event_handle_t hEvent, ze_device_handle_t hDevice, uint32_t *pCount,
    ze_event_query_kernel_timestamps_results_ext_properties_t *pResults)
{
    struct geo_event *event;
    struct geo_device *device;
    ze_kernel_timestamp_result_t result;
    GEO_CHECK(geo_event_from(hEvent, &event));
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    if (geo_count_protocol(pCount, 1, pResults) == 0) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_event_timestamps(event, &result));
    if (pResults->pKernelTimestampsBuffer) {
        *pResults->pKernelTimestampsBuffer = result;
    }
    if (pResults->pSynchronizedTimestampsBuffer) {
        bool mapped = event->pool
                          ? event->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP
                          : event->counter_flags & ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;
        if (!mapped) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "the event was created without timestamps in host time");
        }
        timestamps_synchronize(&result, pResults->pSynchronizedTimestampsBuffer);
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- getters ---- */

ze_result_t geo_zeEventGetEventPool(ze_event_handle_t hEvent, ze_event_pool_handle_t *phEventPool)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    if (!event->pool) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event has no pool");
    }
    *phEventPool = geo_event_pool_handle(event->pool);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventGetSignalScope(ze_event_handle_t hEvent,
                                      ze_event_scope_flags_t *pSignalScope)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    *pSignalScope = event->signal_scope;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventGetWaitScope(ze_event_handle_t hEvent, ze_event_scope_flags_t *pWaitScope)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    *pWaitScope = event->wait_scope;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventGetCounterBasedFlags(ze_event_handle_t hEvent,
                                            ze_event_counter_based_flags_t *pFlags)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    *pFlags = event->counter_flags; /* 0 for regular events */
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventCounterBasedGetDeviceAddress(ze_event_handle_t hEvent,
                                                    uint64_t *completionValue,
                                                    uint64_t *deviceAddress)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    GEO_CHECK(geo_capture_check_event(event));
    struct geo_event_ref ref = geo_event_on_device(event, geo_event_reference(event));
    if (!event->counter_based || !ref.slot) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the event is not counter-based, or was never signalled");
    }
    *completionValue = ref.value & GEO_EVENT_VALUE_MAX;
    *deviceAddress = (uint64_t)(uintptr_t)ref.slot; /* the value is the first field of the slot */
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventCounterBasedGetIpcHandle(ze_event_handle_t hEvent,
                                                ze_ipc_event_counter_based_handle_t *phIpc)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    GEO_CHECK(geo_capture_check_event(event));
    return geo_event_ipc_get(event, phIpc);
}

ze_result_t geo_zeEventCounterBasedOpenIpcHandle(ze_context_handle_t hContext,
                                                 ze_ipc_event_counter_based_handle_t hIpc,
                                                 ze_event_handle_t *phEvent)
{
    struct geo_context *context;
    struct geo_event *event;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(geo_event_ipc_open(context, &hIpc, &event));
    *phEvent = geo_event_handle(event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeEventCounterBasedCloseIpcHandle(ze_event_handle_t hEvent)
{
    struct geo_event *event;
    GEO_CHECK(geo_event_from(hEvent, &event));
    if (!event->mapping) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "the event was not opened by zeEventCounterBasedOpenIpcHandle");
    }
    geo_object_close(&event->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetCounterBasedEventMaxValue(ze_device_handle_t hDevice, uint64_t *maxValue)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    *maxValue = GEO_EVENT_VALUE_MAX;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetAggregatedCopyOffloadIncrementValue(ze_device_handle_t hDevice,
                                                               uint32_t *incrementValue)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    *incrementValue = 1; /* one signal per append: a copy is never split between queues */
    return ZE_RESULT_SUCCESS;
}
