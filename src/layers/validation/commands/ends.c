/* Reports objects that are destroyed, and memory that is freed, while unfinished commands use them.
 * See model.h. */
#include "layers/validation/address/ranges.h"
#include "layers/validation/model/graphs.h"
#include "layers/validation/model/model.h"
#include "layers/validation/objects/rules.h"

#include <stdio.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

struct search {
    unsigned type;
    const void *handle; /* handle of an object; NULL: search for memory */
    struct geo_val_bytes bytes;
    const struct geo_val_list *user;
    uint32_t number;
};

static bool command_uses(const struct geo_val_command *command, const struct search *search)
{
    for (uint32_t i = 0; i < command->use_count; i++) {
        const struct geo_val_used *used = &command->uses[i];
        if (search->handle ? used->kind != GEO_VAL_USED_MEMORY && used->type == search->type &&
                                 used->handle == search->handle
                           : used->kind == GEO_VAL_USED_MEMORY && !used->guess &&
                                 geo_val_box_bytes_meet(&used->bytes, &search->bytes)) {
            return true;
        }
    }
    return false;
}

static bool graph_uses(const struct geo_val_graph *graph, const struct search *search)
{
    for (uint32_t i = 0; graph && i < graph->record.count; i++) {
        if (command_uses(&graph->record.commands[i], search)) {
            return true;
        }
    }
    return false;
}

static void list_search(struct geo_val_list *list, void *user)
{
    struct search *search = user;
    for (uint32_t i = 0; !search->user && i < list->record.count; i++) {
        const struct geo_val_command *command = &list->record.commands[i];
        if (!command->done &&
            (command_uses(command, search) || graph_uses(geo_val_graph_within(command), search)) &&
            geo_val_model_list_in_flight(list)) {
            search->user = list;
            search->number = command->number;
        }
    }
}

static ze_result_t use_check(const struct geo_layer_call *call, struct search *search, size_t param)
{
    char text[200];
    geo_val_model_lists_each(list_search, search);
    if (!search->user) {
        return ZE_RESULT_SUCCESS;
    }
    snprintf(text, sizeof(text),
             "is in use by command %u of list %p, which has not finished: wait for it first",
             search->number, (void *)search->user->handle);
    geo_val_model_object_tell(call, GEO_VAL_DESTROYED_IN_USE, param, ARGUMENT(call, param, void *),
                              text);
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

/* --- objects --- */

/* Returns the index of the parameter that the call destroys, or -1. */
static int released_param(enum geo_ddi_function_id id)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    for (int i = 0; i < function->param_count; i++) {
        if (params[i].release) {
            return i;
        }
    }
    return -1;
}

static ze_result_t object_end_check(const struct geo_layer_call *call)
{
    const int param = released_param(call->id);
    if (!geo_val_on(GEO_VAL_COMMANDS) || param < 0) {
        return ZE_RESULT_SUCCESS;
    }
    const struct geo_ddi_param *described =
        &geo_ddi_function_params(&geo_ddi_functions[call->id])[param];
    return use_check(call,
                     &(struct search){.type = (unsigned)described->index,
                                      .handle = ARGUMENT(call, param, const void *)},
                     (size_t)param);
}

/* --- memory --- */

/* Checks the allocation at the pointer, or the part of it that the call unmaps. */
static ze_result_t memory_end_check(const struct geo_layer_call *call)
{
    const uintptr_t pointer = ARGUMENT(call, 1, uintptr_t);
    struct geo_val_range range;
    if (!geo_val_on(GEO_VAL_COMMANDS) || !geo_val_range_find(pointer, &range) || range.freed ||
        range.opened > 1) {
        return ZE_RESULT_SUCCESS;
    }
    struct search search = {.bytes = geo_val_box_bytes_at(range.base, range.size)};
    if (call->id == GEO_DDI_FN_zeVirtualMemUnmap) {
        search.bytes = geo_val_box_bytes_at(pointer, ARGUMENT(call, 2, size_t));
    }
    return use_check(call, &search, 1);
}

const struct geo_val_rule geo_val_end_rules[] = {
    {.function = GEO_DDI_FN_zeKernelDestroy, .check = object_end_check},
    {.function = GEO_DDI_FN_zeEventDestroy, .check = object_end_check},
    {.function = GEO_DDI_FN_zeImageDestroy, .check = object_end_check},
    {.function = GEO_DDI_FN_zeSamplerDestroy, .check = object_end_check},
    {.function = GEO_DDI_FN_zeExecutableGraphDestroyExt, .check = object_end_check},
    {.function = GEO_DDI_FN_zeDeviceReleaseExternalSemaphoreExt, .check = object_end_check},
    {.function = GEO_DDI_FN_zeGraphDestroyExt,
     .nothing = true}, /* objects created from it remain valid */
    /* Its kernels are destroyed before. */
    {.function = GEO_DDI_FN_zeModuleDestroy, .nothing = true},
    {.function = GEO_DDI_FN_zeMemFree, .check = memory_end_check},
    {.function = GEO_DDI_FN_zeMemFreeExt, .nothing = true}, /* its flags can defer the release */
    {.function = GEO_DDI_FN_zeMemCloseIpcHandle, .check = memory_end_check},
    {.function = GEO_DDI_FN_zeVirtualMemFree, .check = memory_end_check},
    {.function = GEO_DDI_FN_zeVirtualMemUnmap, .check = memory_end_check},
    {.function = GEO_DDI_FUNCTION_COUNT}};
