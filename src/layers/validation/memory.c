/* The memory tracker: what is freed was allocated, what commands use is neither freed nor of
 * another context and lies within its allocation; what is left at the end. */
#include "layers/validation/access.h"
#include "layers/validation/objects.h"
#include "layers/validation/plan.h"
#include "layers/validation/ranges.h"
#include "layers/validation/stack.h"

#include "base/option.h"

#include <stdio.h>
#include <string.h>

/* Memory may come from functions that the layer does not know. */
static atomic_bool incomplete;

/* As if no device saw memory that is no allocation. */
static bool system_memory_unseen;

__attribute__((constructor)) static void options_read(void)
{
    system_memory_unseen = !geo_option_flag("GEOID_VALIDATION_SYSTEM_MEMORY");
}

static void range_tell(const struct geo_layer_call *call, enum geo_val_message message,
                       const char *argument, const void *pointer, const struct geo_val_range *range,
                       const char *text)
{
    const struct geo_val_place place = {.call = call,
                                        .argument = argument,
                                        .handle = pointer,
                                        .history = range ? &range->history : NULL};
    geo_val_tell(message, &place, "%p %s", pointer, text);
}

/* --- what is made --- */

/* Who gives back what the function makes. */
static enum geo_ddi_function_id releaser_of(enum geo_ddi_function_id id)
{
    if (id == GEO_DDI_FN_zeMemOpenIpcHandle)
        return GEO_DDI_FN_zeMemCloseIpcHandle;
    return id == GEO_DDI_FN_zeVirtualMemReserve ? GEO_DDI_FN_zeVirtualMemFree
                                                : GEO_DDI_FN_zeMemFree;
}

static size_t size_of(const struct geo_layer_call *call, void *pointer)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    void *base = NULL;
    size_t size = 0;
    for (size_t i = 0; i < function->param_count; i++) {
        if (strcmp(params[i].name, "size") == 0)
            return *(const size_t *)call->arguments[i];
    }
    if (geo_layer_next.ze.Mem.pfnGetAddressRange &&
        geo_layer_next.ze.Mem.pfnGetAddressRange(*(ze_context_handle_t *)call->arguments[0],
                                                 pointer, &base, &size) == ZE_RESULT_SUCCESS &&
        base == pointer)
        return size;
    return 1;
}

static void made_note(const struct geo_layer_call *call, size_t param)
{
    void *const *place = *(void *const *const *)call->arguments[param];
    if (!place || !*place)
        return;
    const struct geo_val_range range = {.base = (uintptr_t)*place,
                                        .size = size_of(call, *place),
                                        .context = *(const uintptr_t *)call->arguments[0],
                                        .releaser = (uint16_t)releaser_of(call->id),
                                        .history = {.made = geo_val_now(call->id),
                                                    .ended = {.function = GEO_DDI_FUNCTION_COUNT},
                                                    .stack = geo_val_stack_take()}};
    geo_val_range_add(&range);
}

/* --- what is freed --- */

static bool is_releaser(const struct geo_val_range *range, enum geo_ddi_function_id id)
{
    return id == (enum geo_ddi_function_id)range->releaser ||
           (id == GEO_DDI_FN_zeMemFreeExt && range->releaser == GEO_DDI_FN_zeMemFree);
}

static ze_result_t free_check(const struct geo_layer_call *call, size_t param)
{
    const char *argument = geo_ddi_function_params(&geo_ddi_functions[call->id])[param].name;
    void *pointer = *(void *const *)call->arguments[param];
    const uintptr_t context = *(const uintptr_t *)call->arguments[0];
    struct geo_val_range range;
    char text[160];
    if (!pointer)
        return ZE_RESULT_SUCCESS;
    if (!geo_val_range_find((uintptr_t)pointer, &range)) {
        if (atomic_load(&incomplete))
            return ZE_RESULT_SUCCESS;
        range_tell(call, GEO_VAL_BAD_FREE, argument, pointer, NULL, "is no allocation");
    } else if (range.freed) {
        range_tell(call, GEO_VAL_FREED_TWICE, argument, pointer, &range, "has been freed");
    } else if (range.base != (uintptr_t)pointer) {
        snprintf(text, sizeof(text), "lies %zu bytes inside of the allocation at %p",
                 (size_t)((uintptr_t)pointer - range.base), (void *)range.base);
        range_tell(call, GEO_VAL_BAD_FREE, argument, pointer, &range, text);
    } else if (!is_releaser(&range, call->id)) {
        snprintf(text, sizeof(text), "is given back by %s", geo_ddi_functions[range.releaser].name);
        range_tell(call, GEO_VAL_BAD_FREE, argument, pointer, &range, text);
    } else if (range.context != context) {
        snprintf(text, sizeof(text), "belongs to context %p, not %p", (void *)range.context,
                 (void *)context);
        range_tell(call, GEO_VAL_OTHER_CONTEXT_MEMORY, argument, pointer, &range, text);
    } else {
        return ZE_RESULT_SUCCESS;
    }
    return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* --- what is used --- */

/* Whether kernels and copies of the list's device may use memory that is no allocation. */
static bool device_sees_system_memory(ze_command_list_handle_t list)
{
    ze_device_handle_t device = NULL;
    ze_device_memory_access_properties_t can = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    if (!geo_layer_next.ze.CommandList.pfnGetDeviceHandle ||
        geo_layer_next.ze.CommandList.pfnGetDeviceHandle(list, &device) != ZE_RESULT_SUCCESS ||
        geo_layer_next.ze.Device.pfnGetMemoryAccessProperties(device, &can) != ZE_RESULT_SUCCESS)
        return true; /* it cannot be told */
    return can.sharedSystemAllocCapabilities != 0;
}

/* Whether such memory in a call is a fault, as far as it can be told from allocations that nobody
 * saw being made. */
static bool is_foreign(const struct geo_layer_call *call)
{
    return !atomic_load(&incomplete) &&
           (system_memory_unseen ||
            !device_sees_system_memory(*(ze_command_list_handle_t *)call->arguments[0]));
}

/* The context in which the call uses memory, 0 when it is not known. */
static uintptr_t context_of_call(const struct geo_layer_call *call)
{
    const struct geo_val_step *step = geo_val_plans[call->id].steps;
    const struct geo_val_object *object =
        geo_val_object_find(step->type, *(void *const *)call->arguments[step->param]);
    return object ? atomic_load(&object->context) : 0;
}

static void access_check(const struct geo_layer_call *call, const struct geo_val_access *access)
{
    struct geo_val_range range;
    char text[192];
    void *pointer = (void *)access->base;
    if (!geo_val_range_find(access->base, &range)) {
        if (access->command && is_foreign(call))
            range_tell(call, GEO_VAL_UNKNOWN_MEMORY, access->argument, pointer, NULL,
                       "is no allocation, and the device need not see other memory");
        return;
    }
    if (range.freed) {
        range_tell(call, GEO_VAL_FREED_MEMORY, access->argument, pointer, &range, "has been freed");
        return;
    }
    const size_t room = range.base + range.size - access->base;
    if (range.size > 1 && access->size > room) {
        snprintf(text, sizeof(text), "and %zu bytes from there: its allocation has %zu left of %zu",
                 access->size, room, range.size);
        range_tell(call, GEO_VAL_OUT_OF_RANGE, access->argument, pointer, &range, text);
    }
    const uintptr_t context = access->context ? access->context : context_of_call(call);
    if (context != 0 && context != range.context) {
        snprintf(text, sizeof(text), "belongs to context %p, not %p", (void *)range.context,
                 (void *)context);
        range_tell(call, GEO_VAL_OTHER_CONTEXT_MEMORY, access->argument, pointer, &range, text);
    }
}

static bool is_plain_copy(enum geo_ddi_function_id id)
{
    return id == GEO_DDI_FN_zeCommandListAppendMemoryCopy ||
           id == GEO_DDI_FN_zeCommandListAppendMemoryCopyWithParameters ||
           id == GEO_DDI_FN_zeCommandListAppendMemoryCopyFromContext;
}

static void accesses_check(const struct geo_layer_call *call)
{
    struct geo_val_access accesses[GEO_VAL_ACCESSES];
    const size_t count = geo_val_accesses(call, accesses);
    for (size_t i = 0; i < count; i++)
        access_check(call, &accesses[i]);
    if (count == 2 && is_plain_copy(call->id) &&
        accesses[0].base < accesses[1].base + accesses[1].size &&
        accesses[1].base < accesses[0].base + accesses[0].size) {
        char text[96];
        snprintf(text, sizeof(text), "and srcptr %p, %zu bytes each, overlap",
                 (void *)accesses[1].base, accesses[0].size);
        range_tell(call, GEO_VAL_OVERLAPPING_COPY, "dstptr", (void *)accesses[0].base, NULL, text);
    }
}

/* --- the part --- */

/* The parameter that is memory made or given back, -1: none. */
static int memory_param(enum geo_ddi_function_id id, bool made)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    for (int i = 0; i < function->param_count; i++) {
        if (params[i].kind == GEO_DDI_VOID &&
            (made ? params[i].create && params[i].depth == 2 : params[i].release))
            return i;
    }
    return -1;
}

static ze_result_t memory_before(struct geo_layer_call *call, void **scratch)
{
    const int freed = memory_param(call->id, false);
    if (freed < 0) {
        if (geo_val_on(GEO_VAL_MEMORY))
            accesses_check(call);
        return ZE_RESULT_SUCCESS;
    }
    const ze_result_t result =
        geo_val_on(GEO_VAL_MEMORY) ? free_check(call, (size_t)freed) : ZE_RESULT_SUCCESS;
    void *pointer = *(void *const *)call->arguments[freed];
    if (result == ZE_RESULT_SUCCESS &&
        geo_val_range_free((uintptr_t)pointer, geo_val_now(call->id)))
        *scratch = pointer; /* before the driver frees it: then it may come again */
    return result;
}

static void memory_after(struct geo_layer_call *call, void **scratch)
{
    const bool succeeded = geo_layer_succeeded(call);
    const int made = memory_param(call->id, true);
    if (*scratch && !succeeded)
        geo_val_range_keep((uintptr_t)*scratch);
    if (made >= 0 && succeeded)
        made_note(call, (size_t)made);
    if (call->id == GEO_DDI_FN_zeDriverGetExtensionFunctionAddress && succeeded) {
        const char *name = *(const char *const *)call->arguments[1];
        if (strstr(name, "Import") || strstr(name, "Open") || strstr(name, "Alloc"))
            atomic_store(&incomplete, true);
    }
}

static bool memory_wants(const struct geo_ddi_function *function)
{
    const enum geo_ddi_function_id id = (enum geo_ddi_function_id)(function - geo_ddi_functions);
    if (!geo_val_on(GEO_VAL_MEMORY) && !geo_val_on(GEO_VAL_LEAKS) &&
        !geo_val_on(GEO_VAL_COMMANDS) && !geo_val_on(GEO_VAL_RESOURCES))
        return false;
    return memory_param(id, true) >= 0 || memory_param(id, false) >= 0 ||
           id == GEO_DDI_FN_zeDriverGetExtensionFunctionAddress ||
           (geo_val_has_accesses(id) && geo_val_on(GEO_VAL_MEMORY));
}

const struct geo_layer_part geo_val_part_memory = {
    .name = "memory", .wants = memory_wants, .before = memory_before, .after = memory_after};

/* --- what is left at the end --- */

static void leak_tell(const struct geo_val_range *range)
{
    if (geo_val_before_fork(&range->history.made))
        return;
    const struct geo_val_place place = {.handle = (void *)range->base, .history = &range->history};
    geo_val_tell(GEO_VAL_LEAK, &place, "%zu bytes at %p were not given back by %s", range->size,
                 (void *)range->base, geo_ddi_functions[range->releaser].name);
}

void geo_val_memory_leaks_tell(void)
{
    geo_val_ranges_each(leak_tell);
}
