/* Shares counter-based events with other processes. A handle names the slot of a shared counter and
 * a value; an event opened from it waits for that value. Later changes to either event do not
 * affect the other, so each process may signal or destroy its own at any time. See event.h. */
#include "driver/event/event.h"

#include "base/assert.h"
#include "base/log.h"
#include "driver/core/check.h"
#include "driver/mem/ipc.h"
#include "driver/mem/share.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ze_result_t check_shareable(const struct geo_event *event)
{
    if (!event->counter_based) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "a regular event is shared with its whole pool (zeEventPoolGetIpcHandle)");
    }
    if (event->mapping || !event->shared) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            event->mapping
                ? "the event was opened by IPC: only the process that created it can share it"
                : "the event was created without ZE_EVENT_COUNTER_BASED_FLAG_IPC");
    }
    if (atomic_load(&event->external)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the event's counter lies in memory of the application");
    }
    return ZE_RESULT_SUCCESS;
}

/* Returns the counter, with a reference for the caller, and the value that the event refers to now;
 * *out may be set on failure, too. An event that was never signalled is complete, so it gets a new
 * counter with its present value. */
static ze_result_t counter_need(struct geo_event *event, struct geo_counter **out, uint64_t *value)
{
    struct geo_event_ref ref = geo_event_recorded(event, out);
    if (*out && !(*out)->page) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the event is signalled by a graph that was not executed yet");
    }
    if (*out) {
        *value = ref.value & GEO_EVENT_RELATIVE
                     ? geo_command_event_above(ref, geo_counter_base(*out)).value
                     : ref.value;
        return ZE_RESULT_SUCCESS;
    }
    struct geo_counter *counter = geo_counter_acquire(event->base.driver, true);
    if (!counter) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a counter");
    }
    *out = counter;
    *value = geo_counter_base(counter);
    geo_event_bind_counter(event, counter, *value);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t handle_fill(const struct geo_counter *counter, uint64_t value,
                               ze_ipc_event_counter_based_handle_t *handle)
{
    struct geo_ipc_payload payload;
    GEO_ASSERT(value <= GEO_EVENT_VALUE_MAX);
    const struct geo_allocation *memory = &counter->page->allocation;
    uint64_t offset = (uint64_t)((uint8_t *)counter->slot - (uint8_t *)memory->base);
    GEO_ASSERT(offset < GEO_COUNTER_PAGE_BYTES);
    int own = geo_share_own(&memory->fd);
    if (own < 0) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    GEO_CHECK(geo_ipc_describe(&payload, GEO_IPC_COUNTER, own, memory->fd_offset + offset,
                               sizeof(*counter->slot)));
    payload.detail = (uint32_t)value;
    payload.detail2 = (uint32_t)(value >> 32);
    memcpy(handle->data, &payload, sizeof(payload));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_event_ipc_get(struct geo_event *event, ze_ipc_event_counter_based_handle_t *handle)
{
    struct geo_counter *counter = NULL;
    uint64_t value = 0;
    GEO_CHECK(check_shareable(event));
    ze_result_t result = counter_need(event, &counter, &value);
    if (result == ZE_RESULT_SUCCESS) {
        result = handle_fill(counter, value, handle);
    }
    geo_counter_unref(counter);
    return result;
}

static uint64_t payload_value(const struct geo_ipc_payload *payload)
{
    return (uint64_t)payload->detail2 << 32 | payload->detail;
}

static bool payload_sane(const struct geo_ipc_payload *payload)
{
    return payload->bytes == sizeof(struct geo_event_slot) &&
           payload->offset % sizeof(struct geo_event_slot) == 0 &&
           payload_value(payload) <= GEO_EVENT_VALUE_MAX;
}

static ze_result_t page_map(struct geo_event *event, const struct geo_ipc_payload *payload)
{
    struct geo_driver *driver = event->base.driver;
    uint64_t within = payload->offset % GEO_COUNTER_PAGE_BYTES;
    struct geo_allocation mapping;
    int fd;
    GEO_CHECK(geo_ipc_open(payload, GEO_IPC_COUNTER, &fd));
    ze_result_t result =
        driver->ops->memory->import(driver->backend, NULL, fd, payload->offset - within,
                                    GEO_COUNTER_PAGE_BYTES, false, &mapping);
    close(fd);
    if (result != ZE_RESULT_SUCCESS) {
        return geo_fail(result, "the event of process %d cannot be opened: %s", payload->pid,
                        result == ZE_RESULT_ERROR_INVALID_ARGUMENT
                            ? "the file that its handle names is not an event's memory"
                            : "no memory or address range to map it");
    }
    event->mapping = malloc(sizeof(mapping));
    if (!event->mapping) {
        driver->ops->memory->release(driver->backend, &mapping);
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an event");
    }
    *event->mapping = mapping;
    atomic_store(&event->value, payload_value(payload));
    atomic_store(&event->slot, (struct geo_event_slot *)((uint8_t *)mapping.base + within));
    return ZE_RESULT_SUCCESS;
}

/* Warns once per process about the meaning of an opened event. Programs may expect later signals of
 * the other process's event and wait repeatedly, which returns at once. */
static void snapshot_tell(void)
{
    static _Atomic bool told;
    if (!atomic_exchange(&told, true)) {
        geo_log("driver", GEO_LOG_WARN,
                "zeEventCounterBasedOpenIpcHandle: the opened event stands for the signal that the "
                "other process's event had when it made the handle. Later signals do not change "
                "it: share a new handle after each signal (reported once)");
    }
}

ze_result_t geo_event_ipc_open(struct geo_context *context,
                               const ze_ipc_event_counter_based_handle_t *handle,
                               struct geo_event **out)
{
    struct geo_ipc_payload payload;
    memcpy(&payload, handle->data, sizeof(payload));
    if (!payload_sane(&payload)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the IPC handle is not that of an event");
    }
    struct geo_event *event = geo_event_new(context, NULL);
    if (!event) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an event");
    }
    event->counter_based = true;
    event->counter_flags = ZE_EVENT_COUNTER_BASED_FLAG_IPC;
    ze_result_t result = page_map(event, &payload);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_unref(&event->base);
        return result;
    }
    snapshot_tell();
    GEO_ASSERT(geo_event_is_valid(event) && event->mapping);
    *out = event;
    return ZE_RESULT_SUCCESS;
}
