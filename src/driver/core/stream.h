/* Streams of a device: what command queues and immediate lists submit to.
 *
 * The list of them per device answers what concerns all work of a device: zeDeviceSynchronize,
 * blocking and deferred frees. A stream is referenced by its queue or list and, for the time of a
 * wait, by whoever waits for the whole device; the backend's goes with the last reference. */
#ifndef GEO_DRIVER_CORE_STREAM_H
#define GEO_DRIVER_CORE_STREAM_H

#include "driver/core/context.h"

struct geo_stream {
    struct geo_backend_stream *backend;
    const struct geo_stream_ops *ops;
    struct geo_device *device;
    struct geo_context *context; /* referenced: what is lost with the stream's work */
    _Atomic uint32_t references;
    struct geo_stream *next, *previous; /* in device->streams, under its lock */
};

/* desc: `faults` is filled in here. */
GEO_MUST_CHECK ze_result_t geo_stream_create(struct geo_context *context, struct geo_device *device,
                                             const struct geo_stream_desc *desc,
                                             struct geo_stream **out);

static inline void geo_stream_ref(struct geo_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
}

/* Drops a reference; accepts NULL. The backend's destroy waits until the stream is idle. */
void geo_stream_unref(struct geo_stream *stream);

/* Waits until everything submitted to any stream of the device so far has finished, lost work too;
 * timeout_ns is for all of them together. NOT_READY, OUT_OF_HOST_MEMORY. */
ze_result_t geo_device_wait_streams(struct geo_device *device, uint64_t timeout_ns);

/* zeDeviceSynchronize, its parts with it: does not wait for lost work that hangs. DEVICE_LOST,
 * OUT_OF_HOST_MEMORY. */
ze_result_t geo_device_synchronize(struct geo_device *device);

/* Whether a submission (UINT64_MAX: all so far) has finished, after a short grace: an application
 * may know from an event that the last command is done before the device has let go of it.
 * HANDLE_OBJECT_IN_USE with the text "the <what> still has work in flight". */
GEO_MUST_CHECK ze_result_t geo_stream_check_finished(struct geo_stream *stream, uint64_t ticket,
                                                     const char *what);

#endif
