/* Context objects, which isolate the objects of one library in a process from those of another.
 *
 * Every object of a context holds a reference to it. zeContextDestroy ends the handle. Memory that
 * the application left behind is freed with the last object of the context. */
#ifndef GEO_DRIVER_CORE_CONTEXT_H
#define GEO_DRIVER_CORE_CONTEXT_H

#include "driver/core/driver.h"

struct geo_memory;
struct geo_physical_memory;

/* A context of the application, or the default context of a driver. */
struct geo_context {
    struct geo_object base;
    struct geo_device **devices; /* owned; NULL: all devices of the driver */
    uint32_t device_count;
    _Atomic uint32_t lost;  /* 1 for ever after a fault; lost_text is valid then */
    _Atomic uint32_t taken; /* a fault is writing or has written lost_text */
    char lost_text[GEO_FAULT_TEXT_BYTES];
    /* State of driver/mem for the context, protected by its lock. Whichever function adds the first
     * piece sets the function that releases it: at zeContextDestroy, or with the last object of the
     * context. */
    struct geo_memory *memory;            /* allocations */
    struct geo_physical_memory *physical; /* open physical memory objects */
    void (*close_ranges)(struct geo_context *context);
    void (*close_physical)(struct geo_context *context);
    void (*release_memory)(struct geo_context *context);
};

GEO_OBJECT_HANDLE(context, GEO_OBJECT_CONTEXT, ze_context_handle_t)

/* Creates a context for these devices; 0 devices mean all of the driver. */
GEO_MUST_CHECK ze_result_t geo_context_create(struct geo_driver *driver, uint32_t device_count,
                                              struct geo_device *const *devices,
                                              struct geo_context **out);

/* Returns the driver's default context, created at the first call, or NULL if memory is short. */
struct geo_context *geo_context_default(struct geo_driver *driver);

/* Implements zeContextDestroy: frees reserved ranges at once, the rest with the last object of the
 * context. */
void geo_context_close(struct geo_context *context);

/* Return the operations of memory and the backend of the context's driver. */
static inline const struct geo_memory_ops *geo_context_memory_ops(const struct geo_context *context)
{
    return context->base.driver->ops->memory;
}

static inline struct geo_backend *geo_context_backend(const struct geo_context *context)
{
    return context->base.driver->backend;
}

/* Returns INVALID_ARGUMENT if the device belongs to another driver, or is neither a device of the
 * context nor a part of one. */
ze_result_t geo_context_check_device(const struct geo_context *context,
                                     const struct geo_device *device);

/* Converts both handles and makes the check above, as most create functions start. */
ze_result_t geo_context_device_from(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                    struct geo_context **context, struct geo_device **device);

/* (any thread) Marks the context and the device as lost after a fault. Every later use of the
 * context's objects returns DEVICE_LOST with the text of the first fault. No context can be created
 * until zeDeviceGetStatus was called (CTX-5, CTX-7). Other contexts of the device stay usable. */
void geo_context_lose(struct geo_context *context, struct geo_device *device,
                      const struct geo_fault *fault);

/* Returns DEVICE_LOST and records the text of the fault. */
ze_result_t geo_context_refuse(const struct geo_context *context) __attribute__((cold));
/* Returns DEVICE_LOST if the device or a part of it was lost since the last zeDeviceGetStatus. */
ze_result_t geo_device_check_alive(struct geo_device *device);

/* Returns DEVICE_LOST after a fault. A function that checks whether work is complete must check
 * that first and call this afterwards: a loss is recorded before lost work looks complete. */
static inline ze_result_t geo_context_check_alive(const struct geo_context *context)
{
    return __builtin_expect(atomic_load_explicit(&context->lost, memory_order_acquire) == 0, 1)
               ? ZE_RESULT_SUCCESS
               : geo_context_refuse(context);
}

#endif
