/* The translating functions that are written by hand: kernel arguments, whose values may be
 * handles. See translate.h. */
#include "loader/handle/translate.h"

#include <stdlib.h>
#include <string.h>

ze_result_t ZE_APICALL geo_translate_zeKernelSetArgumentValue(ze_kernel_handle_t hKernel,
                                                              uint32_t argIndex, size_t argSize,
                                                              const void *pArgValue)
{
    const struct geo_handle *lead = geo_translate_lead(hKernel);
    ze_kernel_handle_t kernel = (ze_kernel_handle_t)geo_translate_own(lead);
    void *driver;
    if (!kernel) {
        return geo_translate_refuse(hKernel);
    }
    const void *value =
        geo_translate_chain_value(lead, argSize, pArgValue, &driver) ? &driver : pArgValue;
    return geo_translate_functions(lead)->ze.Kernel.pfnSetArgumentValue(kernel, argIndex, argSize,
                                                                        value);
}

/* ---- all arguments of a launch ---- */

/* Returns the kernel's number of arguments, or 0 when the driver does not report it. */
static uint32_t argument_count(struct geo_handle *kernel)
{
    uint32_t known = atomic_load_explicit(&kernel->argument_count, memory_order_relaxed);
    if (!known) {
        ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
        const ze_result_t result = geo_translate_functions(kernel)->ze.Kernel.pfnGetProperties(
            (ze_kernel_handle_t)geo_handle_driver(kernel), &properties);
        known = result == ZE_RESULT_SUCCESS ? properties.numKernelArgs + 1 : 1;
        atomic_store_explicit(&kernel->argument_count, known, memory_order_relaxed);
    }
    return known - 1;
}

/* Returns whether the value behind an argument of unknown size is a handle. A handle would be
 * aligned to 8 bytes, and aligned 8 bytes lie within one page, so reading them cannot fault even if
 * the argument is shorter. */
__attribute__((no_sanitize("address"), no_sanitize("thread"))) static bool
argument_is_handle(const struct geo_handle *lead, const void *argument, void **driver)
{
    if (!argument || (uintptr_t)argument % sizeof(void *) != 0) {
        return false;
    }
    void *const content = *(void *const volatile *)argument;
    return geo_translate_chain_value(lead, sizeof(content), &content, driver);
}

/* The arguments with the driver's handles. `items` is the program's array when no argument is a
 * handle. */
struct argument_list {
    void **items;
    void *heap;
    void *few[2 * GEO_TRANSLATE_ARRAY]; /* pointers, then the values of those that are handles */
};

static bool arguments_copy(struct argument_list *list, void **given, uint32_t count)
{
    list->items = list->few;
    if (count > GEO_TRANSLATE_ARRAY) {
        list->items = list->heap = malloc(2 * sizeof(void *) * count);
    }
    if (list->items) {
        memcpy(list->items, given, count * sizeof(*given));
    }
    return list->items != NULL;
}

static ze_result_t arguments_translate(struct argument_list *list, const struct geo_handle *lead,
                                       void **given, uint32_t count)
{
    void *driver;
    for (uint32_t i = 0; i < count; i++) {
        if (argument_is_handle(lead, given[i], &driver)) {
            if (list->items == given && !arguments_copy(list, given, count)) {
                return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
            }
            void **value = &list->items[count + i];
            *value = driver;
            list->items[i] = value;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static bool may_have_handles(const struct geo_handle *lead)
{
    const struct geo_translation *translation = geo_handle_translation(lead);
    return geo_handle_any(translation, GEO_DDI_HANDLE_ze_image_handle_t) ||
           geo_handle_any(translation, GEO_DDI_HANDLE_ze_sampler_handle_t);
}

ze_result_t ZE_APICALL geo_translate_zeCommandListAppendLaunchKernelWithArguments(
    ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
    const ze_group_count_t groupCounts, const ze_group_size_t groupSizes, void **pArguments,
    const void *pNext, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
    ze_event_handle_t *phWaitEvents)
{
    const struct geo_handle *lead = geo_translate_lead(hCommandList);
    void *list = geo_translate_own(lead), *kernel = NULL, *signal = NULL;
    struct geo_translate_array waits;
    struct argument_list arguments;
    arguments.items = pArguments;
    arguments.heap = waits.heap = NULL;
    if (!list) {
        return geo_translate_refuse(hCommandList);
    }
    ze_result_t result = geo_translate_in(lead, hKernel, &kernel);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_translate_in(lead, hSignalEvent, &signal);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_translate_array_begin(&waits, lead, numWaitEvents, phWaitEvents);
    }
    if (result == ZE_RESULT_SUCCESS && pArguments && kernel && may_have_handles(lead)) {
        result = arguments_translate(&arguments, lead, pArguments,
                                     argument_count((struct geo_handle *)hKernel));
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_translate_functions(lead)->ze.CommandList.pfnAppendLaunchKernelWithArguments(
            (ze_command_list_handle_t)list, (ze_kernel_handle_t)kernel, groupCounts, groupSizes,
            arguments.items, pNext, (ze_event_handle_t)signal, numWaitEvents,
            (ze_event_handle_t *)waits.items);
    }
    geo_translate_array_end(&waits);
    free(arguments.heap);
    return result;
}
