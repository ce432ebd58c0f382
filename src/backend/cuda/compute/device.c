/* Contexts of GPUs. See device.h. */
#include "backend/cuda/compute/device.h"

#include <stdlib.h>

struct geo_compute_device *geo_compute_device_create(const struct geo_cuda *cuda,
                                                     geo_cuda_device ordinal)
{
    struct geo_compute_device *device = calloc(1, sizeof(*device));
    if (device) {
        device->cuda = cuda;
        device->ordinal = ordinal;
        pthread_mutex_init(&device->lock, NULL);
    }
    return device;
}

/* The lock is not destroyed: in a child of fork a thread of the parent may hold it for ever. */
void geo_compute_device_destroy(struct geo_compute_device *device)
{
    if (!device) {
        return;
    }
    if (geo_compute_device_has_context(device)) {
        (void)GEO_CUDA(device->cuda, DevicePrimaryCtxRelease, device->ordinal);
    }
    free(device);
}

/* Returns CUDA's result. A failure is not remembered: memory may be free at the next call. */
static int context_make(struct geo_compute_device *device)
{
    int code = GEO_CUDA_SUCCESS;
    pthread_mutex_lock(&device->lock);
    if (!geo_compute_device_has_context(device)) {
        geo_cuda_context context = NULL;
        code = GEO_CUDA(device->cuda, DevicePrimaryCtxRetain, &context, device->ordinal);
        if (code == GEO_CUDA_SUCCESS) {
            atomic_store_explicit(&device->context, context, memory_order_release);
        }
    }
    pthread_mutex_unlock(&device->lock);
    return code;
}

int geo_compute_device_enter(struct geo_compute_device *device)
{
    if (!geo_cuda_is_here(device->cuda)) {
        return GEO_CUDA_FORKED; /* before the lock, which another thread of the parent may hold */
    }
    int code = geo_compute_device_has_context(device) ? GEO_CUDA_SUCCESS : context_make(device);
    if (code != GEO_CUDA_SUCCESS) {
        return code;
    }
    return GEO_CUDA(device->cuda, CtxPushCurrent,
                    atomic_load_explicit(&device->context, memory_order_acquire));
}

int geo_compute_device_leave(struct geo_compute_device *device, int code)
{
    geo_cuda_context ours;
    (void)GEO_CUDA(device->cuda, CtxPopCurrent, &ours);
    return code;
}
