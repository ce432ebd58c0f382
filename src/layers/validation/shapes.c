/* Functions that append commands: what they are and where their events stand, decided once. A
 * command is filled from the call that appends it. See model.h. */
#include "layers/validation/model.h"
#include "layers/validation/ranges.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

struct geo_val_shape geo_val_shapes[GEO_DDI_FUNCTION_COUNT];

static int8_t param_named(const struct geo_ddi_function *function, const char *name)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    for (int i = 0; i < function->param_count; i++) {
        if (strcmp(params[i].name, name) == 0)
            return (int8_t)i;
    }
    return -1;
}

/* The functions that the model follows besides those that make objects, append or change
 * lists. */
static bool is_followed(enum geo_ddi_function_id id)
{
    switch (id) {
    case GEO_DDI_FN_zeCommandListClose:
    case GEO_DDI_FN_zeCommandListReset:
    case GEO_DDI_FN_zeCommandListDestroy:
    case GEO_DDI_FN_zeCommandListHostSynchronize:
    case GEO_DDI_FN_zeCommandQueueExecuteCommandLists:
    case GEO_DDI_FN_zeCommandQueueSynchronize:
    case GEO_DDI_FN_zeCommandQueueDestroy:
    case GEO_DDI_FN_zeFenceHostSynchronize:
    case GEO_DDI_FN_zeFenceQueryStatus:
    case GEO_DDI_FN_zeKernelSetArgumentValue:
    case GEO_DDI_FN_zeEventHostSynchronize:
    case GEO_DDI_FN_zeEventQueryStatus:
    case GEO_DDI_FN_zeEventHostSignal:
    case GEO_DDI_FN_zeEventHostReset:
        return true;
    default:
        return false;
    }
}

/* Functions that are looked at before they are called, besides those that append or change. */
static bool is_checked(enum geo_ddi_function_id id)
{
    switch (id) {
    case GEO_DDI_FN_zeCommandListReset:
    case GEO_DDI_FN_zeCommandListDestroy:
    case GEO_DDI_FN_zeCommandListHostSynchronize:
    case GEO_DDI_FN_zeCommandQueueExecuteCommandLists:
    case GEO_DDI_FN_zeCommandQueueSynchronize:
    case GEO_DDI_FN_zeCommandQueueDestroy:
    case GEO_DDI_FN_zeFenceHostSynchronize:
    case GEO_DDI_FN_zeKernelDestroy:
    case GEO_DDI_FN_zeEventCreate:
    case GEO_DDI_FN_zeEventDestroy:
    case GEO_DDI_FN_zeEventHostSynchronize:
    case GEO_DDI_FN_zeEventHostSignal:
    case GEO_DDI_FN_zeMemFree:
        return true;
    default:
        return false;
    }
}

__attribute__((constructor)) static void shapes_make(void)
{
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const struct geo_ddi_function *function = &geo_ddi_functions[i];
        struct geo_val_shape *shape = &geo_val_shapes[i];
        const bool waits = i == GEO_DDI_FN_zeCommandListAppendWaitOnEvents;
        const enum geo_ddi_function_id id = (enum geo_ddi_function_id)i;
        shape->nested = strstr(function->name, "ImmediateAppendCommandLists") != NULL;
        shape->appends = shape->nested || strstr(function->name, "CommandListAppend") != NULL;
        shape->changes = strstr(function->name, "UpdateMutableCommand") != NULL;
        shape->opaque = strstr(function->name, "AppendCommandLists") != NULL ||
                        strstr(function->name, "AppendGraph") != NULL ||
                        strstr(function->name, "ExternalSemaphore") != NULL;
        shape->followed = shape->appends || shape->changes || is_followed(id) ||
                          strstr(function->name, "GraphCapture") != NULL;
        shape->checked = shape->appends || shape->changes || is_checked(id);
        shape->checked_alone = shape->appends && !shape->nested;
        shape->noted_alone =
            i == GEO_DDI_FN_zeKernelSetArgumentValue || i == GEO_DDI_FN_zeCommandListClose;
        shape->waits = param_named(function, waits ? "phEvents" : "phWaitEvents");
        shape->wait_count = param_named(function, waits ? "numEvents" : "numWaitEvents");
        shape->signal = param_named(
            function, i == GEO_DDI_FN_zeCommandListAppendSignalEvent ? "hEvent" : "hSignalEvent");
        shape->kernel = param_named(function, "hKernel");
    }
}

static void waits_fill(struct geo_val_command *command, const struct geo_layer_call *call,
                       const struct geo_val_shape *shape)
{
    const uint32_t count = ARGUMENT(call, shape->wait_count, const uint32_t);
    void *const *events = ARGUMENT(call, shape->waits, void *const *);
    if (count == 0 || !events)
        return;
    command->waits = malloc(count * sizeof(*command->waits));
    if (!command->waits)
        return;
    memcpy(command->waits, events, count * sizeof(*command->waits));
    command->wait_count = count;
}

/* The allocations behind a kernel's arguments. */
static void kernel_ranges_fill(struct geo_val_command *command)
{
    struct geo_val_range_used found[GEO_VAL_ARGUMENTS];
    const struct geo_val_kernel *kernel = geo_val_kernel_of(command->kernel);
    struct geo_val_range range;
    uint32_t count = 0;
    uint64_t set = kernel ? atomic_load_explicit(&kernel->set, memory_order_relaxed) : 0;
    for (; set != 0; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
        const uintptr_t pointer = atomic_load_explicit(&kernel->pointers[i], memory_order_relaxed);
        if (pointer != 0 && geo_val_range_find(pointer, &range) && !range.freed)
            found[count++] = (struct geo_val_range_used){range.base, range.size, true, true};
    }
    command->ranges = count > 0 ? malloc(count * sizeof(*found)) : NULL;
    if (!command->ranges)
        return;
    memcpy(command->ranges, found, count * sizeof(*found));
    command->range_count = count;
}

static void access_ranges_fill(struct geo_val_command *command, const struct geo_layer_call *call)
{
    struct geo_val_access accesses[GEO_VAL_ACCESSES];
    const size_t count = geo_val_accesses(call, accesses);
    if (count == 0 || !accesses[0].command)
        return;
    command->ranges = calloc(count, sizeof(*command->ranges));
    for (size_t i = 0; command->ranges && i < count; i++)
        command->ranges[command->range_count++] = (struct geo_val_range_used){
            accesses[i].base, accesses[i].size, accesses[i].write, false};
}

void geo_val_command_fill(struct geo_val_command *command, const struct geo_layer_call *call)
{
    const struct geo_val_shape *shape = &geo_val_shapes[call->id];
    command->function = call->id;
    command->blocks = call->id == GEO_DDI_FN_zeCommandListAppendBarrier ||
                      call->id == GEO_DDI_FN_zeCommandListAppendMemoryRangesBarrier ||
                      call->id == GEO_DDI_FN_zeCommandListAppendWaitOnEvents;
    command->opaque = shape->opaque;
    if (shape->waits >= 0)
        waits_fill(command, call, shape);
    if (shape->signal >= 0)
        command->signal = ARGUMENT(call, shape->signal, void *);
    if (call->id == GEO_DDI_FN_zeCommandListAppendEventReset)
        command->reset = ARGUMENT(call, 1, void *);
    if (shape->kernel >= 0)
        command->kernel = ARGUMENT(call, shape->kernel, void *);
    if (command->kernel)
        kernel_ranges_fill(command);
    else
        access_ranges_fill(command, call);
}
