/* Streams of a device, to which command queues and immediate lists submit.
 *
 * The list of streams per device serves operations on all work of a device: zeDeviceSynchronize,
 * blocking and deferred frees. A stream is referenced by its queue or list, and by threads that
 * wait for the whole device. The backend's stream is destroyed with the last reference. */
#ifndef GEO_DRIVER_CORE_STREAM_H
#define GEO_DRIVER_CORE_STREAM_H

#include "driver/core/context.h"

/* A stream of a device; reference counted. */
struct geo_stream {
    struct geo_backend_stream *backend;
    const struct geo_stream_ops *ops;
    struct geo_device *device;
    struct geo_context *context; /* referenced; it is lost with the stream's work */
    _Atomic uint32_t references;
    struct geo_stream *next, *previous; /* in device->streams, protected by its lock */
};

/* Creates a stream. `faults` of desc is filled in here. */
GEO_MUST_CHECK ze_result_t geo_stream_create(struct geo_context *context, struct geo_device *device,
                                             const struct geo_stream_desc *desc,
                                             struct geo_stream **out);

static inline void geo_stream_ref(struct geo_stream *stream)
{
    uint32_t before = atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
    GEO_ASSERT(before > 0 && before < UINT32_MAX);
}

/* Releases a reference; accepts NULL. The backend's destroy waits until the stream is idle. */
void geo_stream_unref(struct geo_stream *stream);

/* Waits until everything submitted so far to any stream of the device has finished, including lost
 * work. timeout_ns is the total time. Returns NOT_READY, OUT_OF_HOST_MEMORY. */
ze_result_t geo_stream_device_wait(struct geo_device *device, uint64_t timeout_ns);

/* Implements zeDeviceSynchronize for the device and its parts. Does not wait for lost work that
 * hangs. Returns DEVICE_LOST, OUT_OF_HOST_MEMORY. */
ze_result_t geo_stream_device_synchronize(struct geo_device *device);

/* Checks whether a submission (UINT64_MAX: all so far) has finished, after waiting for a short
 * time. The wait is needed because an event may tell the application that the last command is
 * complete before the device has released it. Returns HANDLE_OBJECT_IN_USE with the text "the
 * <what> still has work in flight". */
GEO_MUST_CHECK ze_result_t geo_stream_check_finished(struct geo_stream *stream, uint64_t ticket,
                                                     const char *what);

#endif
