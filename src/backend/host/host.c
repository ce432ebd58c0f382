/* Devices, streams, events and semaphores of backends that execute on this machine's CPUs. Uses the
 * executor to implement the operations of the backend interface that these backends share. See
 * host.h. */
#include "backend/host/host.h"

#include "backend/host/census.h"
#include "backend/host/slab.h"
#include "backend/host/usage.h"
#include "backend/host/watchdog.h"
#include "base/fork.h"
#include "exec/record/execute.h"
#include "exec/record/semaphore.h"
#include "exec/stream/fork.h"
#include "exec/stream/stream.h"
#include "exec/wait/slot.h"

/* ---- devices ---- */

uint32_t geo_host_device_count(struct geo_backend *backend)
{
    return backend->device_count;
}

struct geo_backend_device *geo_host_device(struct geo_backend *backend, uint32_t index)
{
    return index < backend->device_count ? &backend->devices[index] : NULL;
}

const struct geo_device_info *geo_host_device_info(struct geo_backend_device *device)
{
    return &device->info;
}

/* Creates the executor at the first call. Two threads may each create one; one of the two is
 * discarded. */
struct geo_executor *geo_host_executor(struct geo_backend_device *device)
{
    struct geo_executor *executor = atomic_load_explicit(&device->executor, memory_order_acquire);
    if (executor) {
        return executor;
    }
    struct geo_executor *made = geo_executor_create(&device->crew);
    if (made && !atomic_compare_exchange_strong(&device->executor, &executor, made)) {
        geo_executor_destroy(made);
        return executor;
    }
    return made;
}

/* A job has at most as many participants (exec/job/job.c). */
#define WAITING_GROUPS 256u

uint32_t geo_host_cooperative_groups(const struct geo_device_info *info)
{
    uint32_t workers =
        info->threads_per_eu * info->eus_per_subslice * info->subslices_per_slice * info->slices;
    return workers < WAITING_GROUPS ? workers : WAITING_GROUPS;
}

/* ---- streams ---- */

static uint32_t stream_priority(ze_command_queue_priority_t priority)
{
    switch (priority) {
    case ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH:
        return 0;
    case ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW:
        return 2;
    default:
        return 1;
    }
}

static ze_result_t stream_create(struct geo_backend_device *device,
                                 const struct geo_stream_desc *desc,
                                 struct geo_backend_stream **out)
{
    struct geo_backend_device *root = geo_census_root(device);
    const struct geo_runner runner = {
        .ops = device->ops,
        .executor = geo_host_executor(device),
        .device = root ? geo_watchdog_place(root) : 0,
        .faults = desc->faults,
    };
    if (!runner.executor) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (root && desc->ordinal < device->info.group_count) {
        geo_census_engines(root, device->info.groups[desc->ordinal].flags);
    }
    return geo_exec_stream_create(&runner, stream_priority(desc->priority), out);
}

const struct geo_stream_ops geo_host_stream_ops = {
    .create = stream_create,
    .destroy = geo_exec_stream_destroy,
    .submit = geo_exec_stream_submit,
    .execute = geo_exec_stream_execute,
    .wait = geo_exec_stream_wait,
    .finished = geo_exec_stream_finished,
};

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

static ze_result_t event_wait(struct geo_backend *backend, const struct geo_event_wait *wait)
{
    return wait->stream && wait->timeout_ns == GEO_WAIT_FOREVER
               ? geo_exec_stream_wait_event(wait->stream, wait->ticket, &wait->event, wait->lost)
               : geo_slot_wait(&wait->event, wait->timeout_ns, backend->spin_ns, wait->lost);
}

static ze_result_t event_timestamps(struct geo_backend_device *device, uint64_t *device_ticks,
                                    uint64_t *host_ns)
{
    (void)device;
    *host_ns = geo_timer_ns();
    *device_ticks = *host_ns & ((1ull << GEO_TIMESTAMP_BITS) - 1);
    return ZE_RESULT_SUCCESS;
}

const struct geo_event_ops geo_host_event_ops = {
    .signal = event_signal,
    .reset = event_reset,
    .wait = event_wait,
    .timestamps = event_timestamps,
};

/* ---- semaphores ---- */

static ze_result_t semaphore_import(struct geo_backend_device *device,
                                    ze_external_semaphore_ext_flag_t kind, int fd,
                                    struct geo_backend_semaphore **out)
{
    (void)device;
    return geo_semaphore_import(kind, fd, out);
}

const struct geo_semaphore_ops geo_host_semaphore_ops = {
    .import = semaphore_import,
    .release = geo_semaphore_release,
};

/* ---- opening ---- */

static struct geo_fork_handler slabs_handler = {
    .order = GEO_FORK_SLABS,
    .prepare = geo_slab_before_fork,
    .parent = geo_slab_after_fork_parent,
    .child = geo_slab_after_fork_child,
};

void geo_host_open(uint64_t memory_bytes)
{
    geo_usage_limit(memory_bytes);
    geo_exec_open();
    geo_fork_register(&slabs_handler);
}

void geo_host_close(struct geo_backend *backend)
{
    (void)backend;
}
