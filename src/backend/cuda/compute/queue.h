/* A stream of CUDA, into which commands are queued: what encode.c and the files below it share.
 *
 * Functions that queue return CUDA's result. They are called in the device's context
 * (geo_compute_device_enter), by one thread at a time. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_QUEUE_H
#define GEO_BACKEND_CUDA_COMPUTE_QUEUE_H

#include "backend/cuda/compute/device.h"

struct geo_compute_queue {
    struct geo_compute_device *device;
    geo_cuda_stream stream;
    /* Pinned memory for copies of memory that GPUs do not reach; made by the first of them. */
    void *staging;
    pthread_mutex_t works_lock;
    struct geo_compute_host_work *works; /* of the host, that have not run (host_work.c) */
};

#define GEO_COMPUTE_STAGING_BYTES (UINT64_C(1) << 20)

/* Calls a function of CUDA: GEO_QUEUE(queue, MemcpyAsync, to, from, bytes, queue->stream) */
#define GEO_QUEUE(queue, function, ...) GEO_CUDA((queue)->device->cuda, function, __VA_ARGS__)

static inline geo_cuda_address geo_compute_queue_address(const void *pointer)
{
    return (geo_cuda_address)(uintptr_t)pointer;
}

#endif
