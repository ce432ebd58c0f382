/* Streams of a device: what command queues and immediate lists submit to.
 *
 * The list of them per device answers what concerns all work of a device: zeDeviceSynchronize,
 * blocking and deferred frees. A stream is referenced by its queue or list and, for the time of a
 * wait, by whoever waits for the whole device; the backend's goes with the last reference. */
#ifndef GEO_DRIVER_CORE_STREAM_H
#define GEO_DRIVER_CORE_STREAM_H

#include "driver/core/driver.h"

struct geo_stream {
    struct geo_backend_stream *backend;
    const struct geo_stream_ops *ops;
    struct geo_device *device;
    _Atomic uint32_t references;
    struct geo_stream *next, *previous; /* in device->streams, under its lock */
};

GEO_MUST_CHECK ze_result_t geo_stream_create(struct geo_device *device,
                                             const struct geo_stream_desc *desc,
                                             struct geo_stream **out);

static inline void geo_stream_ref(struct geo_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
}

/* Drops a reference; accepts NULL. The backend's destroy waits until the stream is idle. */
void geo_stream_unref(struct geo_stream *stream);

/* Waits for everything submitted to any stream of the device so far; timeout_ns is for all of them
 * together. NOT_READY, DEVICE_LOST, OUT_OF_HOST_MEMORY. */
ze_result_t geo_device_wait_streams(struct geo_device *device, uint64_t timeout_ns);

#endif
