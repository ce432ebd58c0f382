/* The memory tracker. Freed memory must have been allocated. Memory that commands use must not be
 * freed, must belong to the same context, and the access must lie within its allocation. Reports
 * leaks at the end. */
#include "layers/validation/address/ranges.h"
#include "layers/validation/address/system_memory.h"
#include "layers/validation/objects/objects.h"
#include "layers/validation/report/stack.h"
#include "layers/validation/uses/used.h"

#include "ddi/geo_ddi_chain.h"

#include <stdio.h>
#include <string.h>

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

/* --- allocation --- */

/* Returns the function that frees what the function allocates. */
static enum geo_ddi_function_id releaser_of(enum geo_ddi_function_id id)
{
    if (id == GEO_DDI_FN_zeMemOpenIpcHandle) {
        return GEO_DDI_FN_zeMemCloseIpcHandle;
    }
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
        const size_t given =
            strcmp(params[i].name, "size") == 0 ? *(const size_t *)call->arguments[i] : 0;
        if (given > 0) { /* memory of the application has its size elsewhere */
            return given;
        }
    }
    if (geo_layer_next.ze.Mem.pfnGetAddressRange &&
        geo_layer_next.ze.Mem.pfnGetAddressRange(*(ze_context_handle_t *)call->arguments[0],
                                                 pointer, &base, &size) == ZE_RESULT_SUCCESS &&
        base == pointer) {
        return size;
    }
    return 1;
}

/* Returns whether the call imports memory of the application as a host allocation. */
static bool is_foreign(const struct geo_layer_call *call)
{
    if (call->id != GEO_DDI_FN_zeMemAllocHost) {
        return false;
    }
    const ze_host_mem_alloc_desc_t *desc = *(ze_host_mem_alloc_desc_t *const *)call->arguments[1];
    return desc && GEO_CHAIN_FIND(ze_host_mem_alloc_desc_t, ze_external_memmap_sysmem_ext_desc_t,
                                  GEO_CHAIN_OF(ze_host_mem_alloc_desc_t, desc));
}

static void made_note(const struct geo_layer_call *call, size_t param)
{
    void *const *place = *(void *const *const *)call->arguments[param];
    if (!place || !*place) {
        return;
    }
    const struct geo_val_range range = {.base = (uintptr_t)*place,
                                        .size = size_of(call, *place),
                                        .context = *(const uintptr_t *)call->arguments[0],
                                        .releaser = (uint16_t)releaser_of(call->id),
                                        .foreign = is_foreign(call),
                                        .history = {.made = geo_val_report_now(call->id),
                                                    .ended = {.function = GEO_DDI_FUNCTION_COUNT},
                                                    .stack = geo_val_stack_take()}};
    geo_val_range_add(&range);
}

/* --- freeing --- */

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
    if (!pointer) {
        return ZE_RESULT_SUCCESS;
    }
    if (!geo_val_range_find((uintptr_t)pointer, &range)) {
        if (geo_val_allocations_are_unseen()) {
            return ZE_RESULT_SUCCESS;
        }
        range_tell(call, GEO_VAL_BAD_FREE, argument, pointer, NULL, "is not an allocation");
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

/* --- the part --- */

/* Returns the index of the parameter with allocated or freed memory, or -1. */
static int memory_param(enum geo_ddi_function_id id, bool made)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    for (int i = 0; i < function->param_count; i++) {
        if (params[i].kind == GEO_DDI_VOID &&
            (made ? params[i].create && params[i].depth == 2 : params[i].release)) {
            return i;
        }
    }
    return -1;
}

static ze_result_t memory_before(struct geo_layer_call *call, void **scratch)
{
    const int freed = memory_param(call->id, false);
    if (freed < 0) {
        return geo_val_on(GEO_VAL_MEMORY) && geo_val_uses_on_host(call->id)
                   ? geo_val_used_call_check(call, NULL, true)
                   : ZE_RESULT_SUCCESS;
    }
    const ze_result_t result =
        geo_val_on(GEO_VAL_MEMORY) ? free_check(call, (size_t)freed) : ZE_RESULT_SUCCESS;
    void *pointer = *(void *const *)call->arguments[freed];
    if (result == ZE_RESULT_SUCCESS &&
        geo_val_range_free((uintptr_t)pointer, geo_val_report_now(call->id))) {
        *scratch = pointer; /* before the driver frees it, because the address may then be reused */
    }
    return result;
}

static void memory_after(struct geo_layer_call *call, void **scratch)
{
    const bool succeeded = geo_layer_succeeded(call);
    const int made = memory_param(call->id, true);
    if (*scratch && !succeeded) {
        geo_val_range_keep((uintptr_t)*scratch);
    } else if (*scratch) {
        atomic_fetch_add(&geo_val_endings, 1);
        geo_val_range_settle((uintptr_t)*scratch, !geo_val_system_memory_is_off());
    }
    if (made >= 0 && succeeded) {
        made_note(call, (size_t)made);
    }
    if (call->id == GEO_DDI_FN_zeModuleGetGlobalPointer && succeeded) {
        geo_val_variables_given();
    }
    if (call->id == GEO_DDI_FN_zeDriverGetExtensionFunctionAddress && succeeded) {
        const char *name = *(const char *const *)call->arguments[1];
        if (strstr(name, "Import") || strstr(name, "Open") || strstr(name, "Alloc")) {
            geo_val_allocations_unseen();
        }
    }
}

static bool memory_wants(const struct geo_ddi_function *function)
{
    const enum geo_ddi_function_id id = (enum geo_ddi_function_id)(function - geo_ddi_functions);
    if (!geo_val_on(GEO_VAL_MEMORY) && !geo_val_on(GEO_VAL_LEAKS) &&
        !geo_val_on(GEO_VAL_COMMANDS) && !geo_val_on(GEO_VAL_RESOURCES)) {
        return false;
    }
    return memory_param(id, true) >= 0 || memory_param(id, false) >= 0 ||
           id == GEO_DDI_FN_zeDriverGetExtensionFunctionAddress ||
           id == GEO_DDI_FN_zeModuleGetGlobalPointer ||
           (geo_val_uses_on_host(id) && geo_val_on(GEO_VAL_MEMORY));
}

const struct geo_layer_part geo_val_part_memory = {
    .name = "memory", .wants = memory_wants, .before = memory_before, .after = memory_after};

/* --- leaks --- */

static void leak_tell(const struct geo_val_range *range)
{
    if (geo_val_report_before_fork(&range->history.made)) {
        return;
    }
    const struct geo_val_place place = {.handle = (void *)range->base, .history = &range->history};
    geo_val_tell(GEO_VAL_LEAK, &place, "%zu bytes at %p were not given back by %s", range->size,
                 (void *)range->base, geo_ddi_functions[range->releaser].name);
}

void geo_val_memory_leaks_tell(void)
{
    geo_val_ranges_each(leak_tell);
}
