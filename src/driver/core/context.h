/* Context objects: what isolates one library's objects from another's inside a process.
 *
 * Every object of a context holds a reference to it. zeContextDestroy ends the handle; memory that
 * the application left behind is freed when the last object of the context has gone. */
#ifndef GEO_DRIVER_CORE_CONTEXT_H
#define GEO_DRIVER_CORE_CONTEXT_H

#include "driver/core/driver.h"

struct geo_memory;
struct geo_physical_memory;

struct geo_context {
    struct geo_object base;
    struct geo_device **devices; /* owned; NULL: every device of the driver */
    uint32_t device_count;
    _Atomic uint32_t lost;  /* 1 after a fault, for ever; lost_text is written then */
    _Atomic uint32_t taken; /* by the fault that writes lost_text */
    char lost_text[GEO_FAULT_TEXT_BYTES];
    /* What mem keeps for the context, under mem's lock. Whoever adds the first piece says how it is
     * given back: with zeContextDestroy, and when the last object of the context has gone. */
    struct geo_memory *memory;            /* allocations */
    struct geo_physical_memory *physical; /* open physical memory */
    void (*close_ranges)(struct geo_context *context);
    void (*close_physical)(struct geo_context *context);
    void (*release_memory)(struct geo_context *context);
};

GEO_OBJECT_HANDLE(context, GEO_OBJECT_CONTEXT, ze_context_handle_t)

GEO_MUST_CHECK ze_result_t geo_context_create(struct geo_driver *driver, uint32_t device_count,
                                              struct geo_device *const *devices,
                                              struct geo_context **out);

/* The driver's default context, made at the first call; NULL without memory. */
struct geo_context *geo_driver_default_context(struct geo_driver *driver);

/* zeContextDestroy: reserved ranges go at once, the rest with the last object of the context. */
void geo_context_close(struct geo_context *context);

/* INVALID_ARGUMENT when the device belongs to another driver or is none of the context's, nor a
 * part of one. */
ze_result_t geo_context_check_device(const struct geo_context *context,
                                     const struct geo_device *device);

/* Both casts and the check above: how most create functions start. */
ze_result_t geo_context_device_from(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                    struct geo_context **context, struct geo_device **device);

/* (any thread) A fault on a device: every later use of the context's objects returns DEVICE_LOST
 * and says what the first fault was, and no context can be created until zeDeviceGetStatus was
 * asked (CTX-5, CTX-7). Other contexts of the device live on. */
void geo_context_lose(struct geo_context *context, struct geo_device *device,
                      const struct geo_fault *fault);

/* DEVICE_LOST with the text of the fault. */
ze_result_t geo_context_refuse(const struct geo_context *context) __attribute__((cold));
/* SUCCESS, or DEVICE_LOST when the device or a part of it was lost; since zeDeviceGetStatus was
 * asked. */
ze_result_t geo_device_check_alive(struct geo_device *device);

/* SUCCESS, or DEVICE_LOST after a fault. Who looks whether something is done looks at that first
 * and asks here then: the loss is recorded before anything lost looks done. */
static inline ze_result_t geo_context_check_alive(const struct geo_context *context)
{
    return __builtin_expect(atomic_load_explicit(&context->lost, memory_order_acquire) == 0, 1)
               ? ZE_RESULT_SUCCESS
               : geo_context_refuse(context);
}

#endif
