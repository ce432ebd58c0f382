/* API functions of contexts, their status and residency. They check arguments; core/context.h
 * implements contexts. */
#include "driver/core/context.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/mem/memory.h"

#include <stdlib.h>

/* Returns DEVICE_LOST if a device was lost: no context can be created until the device's status was
 * queried (CTX-7). */
static ze_result_t devices_check(struct geo_driver *driver)
{
    for (uint32_t i = 0; i < driver->device_count; i++) {
        GEO_CHECK(geo_device_check_alive(&driver->devices[i]));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t handles_resolve(const struct geo_driver *driver, uint32_t count,
                                   ze_device_handle_t *handles, struct geo_device **devices)
{
    for (uint32_t i = 0; i < count; i++) {
        GEO_CHECK(geo_device_from(handles[i], &devices[i]));
        if (devices[i]->base.driver != driver) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "phDevices[%u] belongs to another driver", i);
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Rejects a power saving hint outside of its range. A valid hint is ignored
 * (docs/decisions/driver.md). */
static ze_result_t saving_check(const ze_context_desc_t *desc)
{
    const ze_context_power_saving_hint_exp_desc_t *saving =
        GEO_CHAIN_FIND(ze_context_desc_t, ze_context_power_saving_hint_exp_desc_t, desc->pNext);
    return !saving || saving->hint <= ZE_POWER_SAVING_HINT_TYPE_MAX
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION,
                          "the power saving hint %u is out of range: it is %u to %u", saving->hint,
                          ZE_POWER_SAVING_HINT_TYPE_MIN, ZE_POWER_SAVING_HINT_TYPE_MAX);
}

ze_result_t geo_zeContextCreateEx(ze_driver_handle_t hDriver, const ze_context_desc_t *desc,
                                  uint32_t numDevices, ze_device_handle_t *phDevices,
                                  ze_context_handle_t *phContext)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK(saving_check(desc));      /* the flags have no meaning yet */
    if (numDevices == 0 && phDevices) { /* neither all devices nor some */
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "phDevices is given, but numDevices is 0");
    }
    GEO_CHECK(devices_check(driver));
    struct geo_device **devices = calloc(numDevices ? numDevices : 1, sizeof(struct geo_device *));
    if (!devices) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a context");
    }
    struct geo_context *context;
    ze_result_t result = handles_resolve(driver, numDevices, phDevices, devices);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_context_create(driver, numDevices, devices, &context);
    }
    free(devices);
    if (result == ZE_RESULT_SUCCESS) {
        *phContext = geo_context_handle(context);
    }
    return result;
}

ze_result_t geo_zeContextCreate(ze_driver_handle_t hDriver, const ze_context_desc_t *desc,
                                ze_context_handle_t *phContext)
{
    return geo_zeContextCreateEx(hDriver, desc, 0, NULL, phContext);
}

ze_result_t geo_zeContextDestroy(ze_context_handle_t hContext)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    if (context == context->base.driver->default_context) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the driver's default context cannot be destroyed: the driver owns it");
    }
    geo_context_close(context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeContextGetStatus(ze_context_handle_t hContext)
{
    struct geo_context *context;
    GEO_CHECK(geo_context_from(hContext, &context));
    return geo_context_check_alive(context);
}

/* All memory is coherent between the device and the host, so a fence is enough. */
ze_result_t geo_zeContextSystemBarrier(ze_context_handle_t hContext, ze_device_handle_t hDevice)
{
    struct geo_context *context;
    struct geo_device *device;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    atomic_thread_fence(memory_order_seq_cst);
    return ZE_RESULT_SUCCESS;
}

/* Passes a request for residency on as a hint to the system. Devices page on demand, so kernels do
 * not depend on it. */
static ze_result_t residency_ask(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                 const void *ptr, size_t size, bool resident)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_memory_info info;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    if (size == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "size is 0");
    }
    if (!geo_memory_find(ptr, &info) || info.driver != context->base.driver) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not in memory of this driver",
                        ptr);
    }
    if (size > info.base + info.bytes - (uintptr_t)ptr) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "the range of %zu bytes at %p ends beyond its allocation", size, ptr);
    }
    const struct geo_driver *driver = context->base.driver;
    driver->ops->memory->resident(driver->backend, ptr, size, resident);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeContextMakeMemoryResident(ze_context_handle_t hContext,
                                            ze_device_handle_t hDevice, void *ptr, size_t size)
{
    return residency_ask(hContext, hDevice, ptr, size, true);
}

ze_result_t geo_zeContextEvictMemory(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                     void *ptr, size_t size)
{
    return residency_ask(hContext, hDevice, ptr, size, false);
}
