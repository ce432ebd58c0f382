/* A GPU as CUDA computes with it, and the context in which calls run.
 *
 * Every device has one context, CUDA's primary one, so that other users of CUDA in the process can
 * exchange memory with it. The first call that needs it makes it, because it takes 0.1 to 0.5 s and
 * some hundred MB of the GPU's memory. Programs that only list devices do not pay for it.
 *
 * CUDA finds the context in a variable of the thread, which belongs to the program. Calls therefore
 * push the context and pop it again:
 *
 *     int code = geo_compute_device_enter(device);
 *     if (code == GEO_CUDA_SUCCESS) {
 *         code = geo_compute_device_leave(
 *             device, GEO_CUDA(device->cuda, MemAlloc, &address, bytes));
 *     }
 */
#ifndef GEO_BACKEND_CUDA_COMPUTE_DEVICE_H
#define GEO_BACKEND_CUDA_COMPUTE_DEVICE_H

#include "backend/cuda/driver/library.h"

#include <pthread.h>
#include <stdatomic.h>

struct geo_compute_device {
    const struct geo_cuda *cuda;
    geo_cuda_device ordinal;
    pthread_mutex_t lock; /* serialises the creation of the context */
    /* NULL: not made yet */
    _Atomic(geo_cuda_context) context;
};

/* Returns NULL when memory ran out. */
struct geo_compute_device *geo_compute_device_create(const struct geo_cuda *cuda,
                                                     geo_cuda_device ordinal);
/* Releases the context. Nothing of it is in use. In a child of fork only frees the memory. */
void geo_compute_device_destroy(struct geo_compute_device *device);

/* Returns whether the context exists. */
static inline bool geo_compute_device_has_context(struct geo_compute_device *device)
{
    return atomic_load_explicit(&device->context, memory_order_acquire) != NULL;
}

/* (any thread) Makes the device's context the current one of this thread. The first call creates
 * the context. Returns CUDA's result; only after GEO_CUDA_SUCCESS must the caller leave. */
int geo_compute_device_enter(struct geo_compute_device *device);

/* Restores the thread's current context. Returns `code`. */
int geo_compute_device_leave(struct geo_compute_device *device, int code);

#endif
