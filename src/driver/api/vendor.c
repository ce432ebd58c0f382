/* Functions outside the specification, by name. See vendor.h.
 *
 * Clients know their prototypes, and the behaviour follows what those clients rely on: registration
 * of memory of the application, lists of IPC handles. */
#include "driver/api/vendor.h"

#include "ddi/geo_api.h"
#include "driver/api/vendor_explain.h"
#include "driver/api/vendor_graph.h"
#include "driver/core/check.h"
#include "driver/core/context.h"
#include "driver/mem/memory.h"
#include "driver/program/kernel.h"

#include <geoid/kernel.h>

#include <string.h>

/* Registers any host memory as imported host memory; the application keeps owning it. */
static ze_result_t import_external_pointer(ze_driver_handle_t hDriver, void *ptr, size_t size)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(ptr);
    if (size == 0 || size > UINTPTR_MAX - (uintptr_t)ptr) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "the range of %zu bytes at %p is empty or exceeds the address space", size,
                        ptr);
    }
    struct geo_context *context = geo_context_default(driver);
    if (!context) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct geo_memory_request request = {
        .context = context, .kind = GEO_MEMORY_HOST, .bytes = size};
    return geo_memory_register(&request, ptr);
}

static ze_result_t release_imported_pointer(ze_driver_handle_t hDriver, void *ptr)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(ptr);
    struct geo_context *context = geo_context_default(driver);
    if (!context) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    return geo_memory_free(context, ptr, 1u << GEO_ORIGIN_SYSTEM, GEO_FREE_NOW);
}

static ze_result_t host_pointer_base(ze_driver_handle_t hDriver, void *ptr, void **base)
{
    struct geo_driver *driver;
    struct geo_memory_info info;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(ptr);
    GEO_CHECK_POINTER(base);
    if (!geo_memory_find(ptr, &info) || info.origin != GEO_ORIGIN_SYSTEM) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not in imported host memory", ptr);
    }
    *base = (void *)info.base;
    return ZE_RESULT_SUCCESS;
}

/* Returns the IPC handles of an allocation; it always has one. */
static ze_result_t get_ipc_handles(ze_context_handle_t hContext, const void *ptr, uint32_t *count,
                                   ze_ipc_mem_handle_t *handles)
{
    GEO_CHECK_POINTER(count);
    if (geo_count_protocol(count, 1, handles)) {
        return geo_entry_zeMemGetIpcHandle(hContext, ptr, handles);
    }
    struct geo_context *context;
    return geo_context_from(hContext, &context);
}

static ze_result_t open_ipc_handles(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                    uint32_t count, ze_ipc_mem_handle_t *handles,
                                    ze_ipc_memory_flags_t flags, void **pptr)
{
    GEO_CHECK_POINTER(handles);
    if (count != 1) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "an allocation has exactly one IPC handle, not %u", count);
    }
    return geo_entry_zeMemOpenIpcHandle(hContext, hDevice, handles[0], flags, pptr);
}

/* Implements zeEventCounterBasedCreate as it was before it became part of the specification: the
 * same descriptor with another type. Its extensions, which have types of their own, are rejected
 * instead of being skipped. */
static ze_result_t counter_event_create(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                        const ze_event_counter_based_desc_t *desc,
                                        ze_event_handle_t *phEvent)
{
    GEO_CHECK_POINTER(desc);
    if (desc->pNext) {
        return geo_fail(
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "this function accepts no extensions of the descriptor: use zeEventCounterBasedCreate");
    }
    ze_event_counter_based_desc_t today = *desc;
    today.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC;
    return geo_entry_zeEventCounterBasedCreate(hContext, hDevice, &today, phEvent);
}

/* ---- arguments of kernels ---- */

static ze_result_t argument_from(ze_kernel_handle_t hKernel, uint32_t index,
                                 const struct geo_native_argument **out)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from(hKernel, &kernel));
    if (index >= geo_kernel_argument_count(kernel)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                        "argument %u is out of range: the kernel has %u arguments", index,
                        geo_kernel_argument_count(kernel));
    }
    *out = &kernel->arguments[index];
    return ZE_RESULT_SUCCESS;
}

/* Describes an argument of a kernel; see geoid/kernel.h. */
static ze_result_t kernel_argument(ze_kernel_handle_t hKernel, uint32_t index,
                                   struct geoid_kernel_argument *out)
{
    static const uint32_t kinds[] = {
        [GEO_ARGUMENT_VALUE] = GEOID_KERNEL_ARGUMENT_VALUE,
        [GEO_ARGUMENT_GLOBAL] = GEOID_KERNEL_ARGUMENT_POINTER,
        [GEO_ARGUMENT_LOCAL] = GEOID_KERNEL_ARGUMENT_LOCAL,
        [GEO_ARGUMENT_IMAGE] = GEOID_KERNEL_ARGUMENT_IMAGE,
        [GEO_ARGUMENT_SAMPLER] = GEOID_KERNEL_ARGUMENT_SAMPLER,
    };
    const struct geo_native_argument *argument;
    GEO_CHECK_POINTER(out);
    GEO_CHECK(argument_from(hKernel, index, &argument));
    *out = (struct geoid_kernel_argument){
        .kind = kinds[argument->kind],
        .size = argument->kind == GEO_ARGUMENT_LOCAL ? 0 : argument->size,
        .read_only = (argument->flags & GEO_ARGUMENT_READ_ONLY) != 0,
        .write_only = (argument->flags & GEO_ARGUMENT_WRITE_ONLY) != 0,
    };
    return ZE_RESULT_SUCCESS;
}

/* Returns the size of an argument as Intel's driver does: for local memory, the size of a
 * pointer. */
static ze_result_t kernel_argument_size(ze_kernel_handle_t hKernel, uint32_t index, uint32_t *size)
{
    const struct geo_native_argument *argument;
    GEO_CHECK_POINTER(size);
    GEO_CHECK(argument_from(hKernel, index, &argument));
    *size = argument->kind == GEO_ARGUMENT_LOCAL ? (uint32_t)sizeof(void *) : argument->size;
    return ZE_RESULT_SUCCESS;
}

/* Sets *implemented to 1 if the driver implements the function of this name, and to 0 if it always
 * returns UNSUPPORTED_FEATURE. For listings (zeinfo --functions). Returns INVALID_FUNCTION_NAME for
 * names that the API does not have. */
static ze_result_t function_status(const char *function, uint32_t *implemented)
{
    GEO_CHECK_POINTER(function);
    GEO_CHECK_POINTER(implemented);
    const struct geo_ddi_function *known = geo_ddi_function_find(function);
    if (!known) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "the API has no function \"%.100s\"",
                        function);
    }
    *implemented = geo_api_find(function) != NULL;
    return ZE_RESULT_SUCCESS;
}

static const struct {
    const char *name;
    geo_api_fn function;
} vendor_functions[] = {
    {"geoidDriverExplain", (geo_api_fn)geo_vendor_explain},
    {"geoidDriverGetFunctionStatus", (geo_api_fn)function_status},
    {"geoidKernelGetArgument", (geo_api_fn)kernel_argument},
    {"zexKernelGetArgumentSize", (geo_api_fn)kernel_argument_size},
    {"zexDriverImportExternalPointer", (geo_api_fn)import_external_pointer},
    {"zexDriverReleaseImportedPointer", (geo_api_fn)release_imported_pointer},
    {"zexDriverGetHostPointerBaseAddress", (geo_api_fn)host_pointer_base},
    {"zexCounterBasedEventCreate2", (geo_api_fn)counter_event_create},
    {"zexMemGetIpcHandles", (geo_api_fn)get_ipc_handles},
    {"zexMemOpenIpcHandles", (geo_api_fn)open_ipc_handles},
};

geo_api_fn geo_vendor_function_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof(vendor_functions) / sizeof(vendor_functions[0]); i++) {
        if (strcmp(vendor_functions[i].name, name) == 0) {
            return vendor_functions[i].function;
        }
    }
    geo_api_fn graph = geo_vendor_graph_function(name);
    return graph ? graph : geo_api_find(name);
}
