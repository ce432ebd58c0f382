/* Streams of a device, and waiting for all of them. See stream.h. */
#include "driver/core/stream.h"

#include "base/clock.h"
#include "base/lock.h"

#include <stdlib.h>

#define IDLE_GRACE_NS UINT64_C(1000000000)
/* number of waits that make up the grace time: a wait for lost work may return early */
#define IDLE_GRACES 10

/* (stream_lock held) Returns whether the stream's neighbours in the device's list agree with it. */
static bool stream_is_linked(const struct geo_stream *stream)
{
    struct geo_device *device = stream->device;
    return geo_mutex_held(&device->stream_lock) &&
           (!stream->next || stream->next->previous == stream) &&
           (stream->previous ? stream->previous->next : device->streams) == stream;
}

static void stream_link(struct geo_stream *stream)
{
    struct geo_device *device = stream->device;
    pthread_mutex_lock(&device->stream_lock);
    GEO_ASSERT(!stream->next && !stream->previous);
    GEO_ASSERT(!device->streams || !device->streams->previous);
    stream->next = device->streams;
    if (stream->next) {
        stream->next->previous = stream;
    }
    device->streams = stream;
    GEO_ASSERT(stream_is_linked(stream));
    pthread_mutex_unlock(&device->stream_lock);
}

/* Called by the backend on the thread that had the fault, before any signal is raised. */
static void stream_fault(void *owner, const struct geo_fault *fault)
{
    struct geo_stream *stream = owner;
    geo_context_lose(stream->context, stream->device, fault);
}

ze_result_t geo_stream_create(struct geo_context *context, struct geo_device *device,
                              const struct geo_stream_desc *desc, struct geo_stream **out)
{
    struct geo_stream_desc described = *desc;
    GEO_ASSERT(device->base.driver == context->base.driver && device->base.driver->ops->stream);
    GEO_ASSERT(desc->ordinal < device->info->group_count);
    struct geo_stream *stream = calloc(1, sizeof(*stream));
    if (!stream) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a stream");
    }
    described.faults = (struct geo_fault_sink){&context->lost, stream_fault, stream};
    stream->device = device;
    stream->context = context;
    stream->ops = device->base.driver->ops->stream;
    atomic_init(&stream->references, 1);
    ze_result_t result = stream->ops->create(device->backend_device, &described, &stream->backend);
    if (result != ZE_RESULT_SUCCESS) {
        free(stream);
        return geo_fail(result, "the device could not create a queue for group %u, index %u",
                        desc->ordinal, desc->index);
    }
    geo_object_ref(&context->base);
    stream_link(stream);
    *out = stream;
    return ZE_RESULT_SUCCESS;
}

/* The count reaches 0 only under the lock, so a snapshot never takes a reference to a stream that
 * is being destroyed. */
void geo_stream_unref(struct geo_stream *stream)
{
    if (!stream) {
        return;
    }
    struct geo_device *device = stream->device;
    pthread_mutex_lock(&device->stream_lock);
    GEO_ASSERT(stream_is_linked(stream));
    uint32_t before = atomic_fetch_sub(&stream->references, 1);
    bool last = before == 1;
    GEO_ASSERT(before > 0);
    if (last) {
        if (stream->next) {
            stream->next->previous = stream->previous;
        }
        if (stream->previous) {
            stream->previous->next = stream->next;
        } else {
            device->streams = stream->next;
        }
    }
    pthread_mutex_unlock(&device->stream_lock);
    if (last) {
        stream->ops->destroy(stream->backend);
        geo_object_unref(&stream->context->base);
        free(stream);
    }
}

ze_result_t geo_stream_check_finished(struct geo_stream *stream, uint64_t ticket, const char *what)
{
    for (int i = 0; !stream->ops->finished(stream->backend, ticket); i++) {
        if (i == IDLE_GRACES) {
            return geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "the %s still has work in flight",
                            what);
        }
        (void)stream->ops->wait(stream->backend, ticket, IDLE_GRACE_NS / IDLE_GRACES);
    }
    return ZE_RESULT_SUCCESS;
}

/* Returns all streams of the device, each with a reference. NULL if memory is short or the device
 * has no streams. */
static struct geo_stream **streams_snapshot(struct geo_device *device, size_t *count)
{
    pthread_mutex_lock(&device->stream_lock);
    size_t total = 0;
    for (struct geo_stream *stream = device->streams; stream; stream = stream->next) {
        total++;
    }
    struct geo_stream **streams = total ? malloc(total * sizeof(struct geo_stream *)) : NULL;
    if (streams) {
        size_t i = 0;
        for (struct geo_stream *stream = device->streams; stream; stream = stream->next) {
            GEO_ASSERT(stream_is_linked(stream) && i < total);
            geo_stream_ref(stream);
            streams[i++] = stream;
        }
        GEO_ASSERT(i == total);
    }
    pthread_mutex_unlock(&device->stream_lock);
    *count = total;
    return streams;
}

static uint64_t time_left(uint64_t timeout_ns, uint64_t start_ns)
{
    uint64_t elapsed = timeout_ns == UINT64_MAX ? 0 : geo_clock_ns() - start_ns;
    return elapsed < timeout_ns ? timeout_ns - elapsed : 0;
}

/* Waits for one stream. Returns DEVICE_LOST if its work was lost; the work may not have finished
 * then. */
typedef ze_result_t stream_wait_fn(struct geo_stream *stream, uint64_t timeout_ns);

static ze_result_t streams_wait(struct geo_device *device, uint64_t timeout_ns,
                                stream_wait_fn *wait)
{
    size_t count;
    struct geo_stream **streams = streams_snapshot(device, &count);
    if (count && !streams) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to wait for the device");
    }
    uint64_t start = geo_clock_ns();
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (size_t i = 0; i < count; i++) {
        if (result == ZE_RESULT_SUCCESS) {
            result = wait(streams[i], time_left(timeout_ns, start));
        }
        geo_stream_unref(streams[i]);
    }
    free(streams);
    return result;
}

/* Waits for all work of a stream. Returns SUCCESS even if the stream's work was lost, because
 * geo_stream_device_synchronize checks the device itself after all waits, and returns DEVICE_LOST
 * then. */
static ze_result_t stream_wait(struct geo_stream *stream, uint64_t timeout_ns)
{
    ze_result_t result = stream->ops->wait(stream->backend, UINT64_MAX, timeout_ns);
    return result == ZE_RESULT_ERROR_DEVICE_LOST ? ZE_RESULT_SUCCESS : result;
}

/* Waits until all work of a stream has finished, even if some of it was lost. Returns NOT_READY
 * when the time is over. */
static ze_result_t stream_wait_finished(struct geo_stream *stream, uint64_t timeout_ns)
{
    for (;;) {
        ze_result_t result = stream->ops->wait(stream->backend, UINT64_MAX, timeout_ns);
        if (result != ZE_RESULT_ERROR_DEVICE_LOST) {
            return result;
        }
        if (stream->ops->finished(stream->backend, UINT64_MAX)) {
            return ZE_RESULT_SUCCESS;
        }
        if (timeout_ns != UINT64_MAX) {
            return ZE_RESULT_NOT_READY;
        }
    }
}

ze_result_t geo_stream_device_wait(struct geo_device *device, uint64_t timeout_ns)
{
    return streams_wait(device, timeout_ns, stream_wait_finished);
}

ze_result_t geo_stream_device_synchronize(struct geo_device *device)
{
    ze_result_t result = streams_wait(device, UINT64_MAX, stream_wait);
    for (uint32_t i = 0; i < device->part_count && result == ZE_RESULT_SUCCESS; i++) {
        result = streams_wait(&device->parts[i], UINT64_MAX, stream_wait);
    }
    GEO_CHECK(geo_device_check_alive(device));
    return result;
}
