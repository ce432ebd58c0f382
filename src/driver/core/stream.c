/* Streams of a device, and waiting for all of them. See stream.h. */
#include "driver/core/stream.h"

#include <stdlib.h>
#include <time.h>

static void stream_link(struct geo_stream *stream)
{
    struct geo_device *device = stream->device;
    pthread_mutex_lock(&device->stream_lock);
    stream->next = device->streams;
    if (stream->next) {
        stream->next->previous = stream;
    }
    device->streams = stream;
    pthread_mutex_unlock(&device->stream_lock);
}

ze_result_t geo_stream_create(struct geo_device *device, const struct geo_stream_desc *desc,
                              struct geo_stream **out)
{
    struct geo_stream *stream = calloc(1, sizeof(*stream));
    if (!stream) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a stream");
    }
    stream->device = device;
    stream->ops = device->base.driver->ops->stream;
    atomic_init(&stream->references, 1);
    ze_result_t result = stream->ops->create(device->backend_device, desc, &stream->backend);
    if (result != ZE_RESULT_SUCCESS) {
        free(stream);
        return geo_fail(result, "the device has no stream for group %u, index %u", desc->ordinal,
                        desc->index);
    }
    stream_link(stream);
    *out = stream;
    return ZE_RESULT_SUCCESS;
}

/* The count goes to 0 only under the lock, so that a snapshot never revives a dying stream. */
void geo_stream_unref(struct geo_stream *stream)
{
    if (!stream) {
        return;
    }
    struct geo_device *device = stream->device;
    pthread_mutex_lock(&device->stream_lock);
    bool last = atomic_fetch_sub(&stream->references, 1) == 1;
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
        free(stream);
    }
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* All streams of the device, each with a reference; NULL without memory or without streams. */
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
            atomic_fetch_add(&stream->references, 1);
            streams[i++] = stream;
        }
    }
    pthread_mutex_unlock(&device->stream_lock);
    *count = total;
    return streams;
}

ze_result_t geo_device_wait_streams(struct geo_device *device, uint64_t timeout_ns)
{
    size_t count;
    struct geo_stream **streams = streams_snapshot(device, &count);
    if (count && !streams) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to wait for the device");
    }
    uint64_t start = clock_ns();
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (size_t i = 0; i < count; i++) {
        if (result == ZE_RESULT_SUCCESS) {
            uint64_t left = timeout_ns;
            if (timeout_ns != UINT64_MAX) {
                uint64_t elapsed = clock_ns() - start;
                left = elapsed < timeout_ns ? timeout_ns - elapsed : 0;
            }
            result = streams[i]->ops->wait(streams[i]->backend, UINT64_MAX, left);
        }
        geo_stream_unref(streams[i]);
    }
    free(streams);
    return result;
}
