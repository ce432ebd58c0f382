/* Signals events from the host, and waits for them. See event.h. */
#include "backend/cuda/compute/event.h"

#include "backend/cuda/compute/poll.h"
#include "backend/cuda/compute/slot.h"
#include "backend/cuda/compute/stream.h"

static void event_signal(struct geo_backend *backend, struct geo_event_ref event)
{
    (void)backend;
    geo_compute_slot_raise(event);
}

static void event_reset(struct geo_backend *backend, struct geo_event_slot *slot)
{
    (void)backend;
    geo_compute_slot_reset(slot);
}

/* A GPU's error appears only in calls of CUDA, so the stream that should raise the event is asked
 * now and then. */
static ze_result_t event_wait(struct geo_backend *backend, const struct geo_event_wait *wait)
{
    struct geo_compute_poll poll = geo_compute_poll_begin(wait->timeout_ns);
    (void)backend;
    for (bool more = true; !geo_command_event_reached(&wait->event);) {
        bool check = false;
        if (wait->lost && atomic_load_explicit(wait->lost, memory_order_acquire) != 0) {
            return ZE_RESULT_ERROR_DEVICE_LOST;
        }
        if (!more) {
            return ZE_RESULT_NOT_READY;
        }
        more = geo_compute_poll_pause(&poll, &check);
        if (check && wait->stream && geo_compute_stream_check(wait->stream) != ZE_RESULT_SUCCESS) {
            return ZE_RESULT_ERROR_DEVICE_LOST;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* The GPU's timer is read by kernels, which do not run yet. */
static ze_result_t event_timestamps(struct geo_backend_device *device, uint64_t *device_ticks,
                                    uint64_t *host_ns)
{
    (void)device;
    (void)device_ticks;
    (void)host_ns;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

const struct geo_event_ops geo_compute_event_ops = {
    .signal = event_signal,
    .reset = event_reset,
    .wait = event_wait,
    .timestamps = event_timestamps,
};
