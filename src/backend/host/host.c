/* What holds the host runtime together: event operations, fork. See host.h. */
#include "backend/host/host.h"

#include "backend/host/slab.h"
#include "base/fork.h"
#include "exec/fault.h"
#include "exec/job.h"
#include "exec/pool.h"
#include "exec/reactor.h"
#include "exec/slot.h"
#include "exec/stream.h"

/* ---- events ---- */

static void event_signal(struct geo_backend *backend, struct geo_event_ref event)
{
    (void)backend;
    geo_slot_raise(event);
}

static void event_reset(struct geo_backend *backend, struct geo_event_slot *slot)
{
    (void)backend;
    geo_slot_clear(slot);
}

static ze_result_t event_wait(struct geo_backend *backend, const struct geo_event_ref *event,
                              uint64_t timeout_ns)
{
    (void)backend;
    return geo_slot_wait(event, timeout_ns, geo_pool_spin_ns());
}

static ze_result_t event_timestamps(struct geo_backend_device *device, uint64_t *device_ticks,
                                    uint64_t *host_ns)
{
    (void)device;
    *host_ns = geo_now_ns();
    *device_ticks = *host_ns & ((1ull << GEO_TIMESTAMP_BITS) - 1);
    return ZE_RESULT_SUCCESS;
}

const struct geo_event_ops geo_host_event_ops = {
    .signal = event_signal,
    .reset = event_reset,
    .wait = event_wait,
    .timestamps = event_timestamps,
};

/* ---- fork ---- */

static struct geo_fork_handler streams_handler = {
    .order = GEO_FORK_STREAMS,
    .prepare = geo_streams_before_fork,
    .parent = geo_streams_after_fork_parent,
    .child = geo_host_after_fork,
};

static struct geo_fork_handler slabs_handler = {
    .order = GEO_FORK_SLABS,
    .prepare = geo_slab_before_fork,
    .parent = geo_slab_after_fork_parent,
    .child = geo_slab_after_fork_child,
};

void geo_host_open(void)
{
    geo_fork_register(&streams_handler);
    geo_fork_register(&slabs_handler);
}

void geo_host_after_fork(void)
{
    geo_fault_after_fork();
    geo_slot_after_fork();
    geo_job_after_fork();
    geo_guest_after_fork();
    geo_reactor_after_fork();
    geo_pool_after_fork();
    geo_streams_after_fork();
}
