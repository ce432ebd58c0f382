/* Tracks changes to commands of closed lists: command ids, and what changed commands use. See
 * model.h. */
#include "layers/validation/commands/lists.h"
#include "layers/validation/uses/arguments.h"

#include "ddi/geo_ddi_chain.h"

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static struct geo_val_command *command_find(struct geo_val_list *list, uint64_t id)
{
    for (uint32_t i = 0; list && i < list->record.count; i++) {
        if (list->record.commands[i].id == id + 1) {
            return &list->record.commands[i];
        }
    }
    return NULL;
}

/* Marks the list of a mutating call as changed, so that hazards and deadlocks of its commands are
 * no longer looked for. Returns the list, or NULL if it is unknown. */
static struct geo_val_list *list_change(const struct geo_layer_call *call)
{
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!list) {
        return NULL;
    }
    list->changed = list->stale = true;
    list->hazard = (struct geo_val_hazard){0};
    list->checked = 0;
    return list;
}

/* --- what a command uses --- */

static void uses_drop(struct geo_val_command *command,
                      bool (*drop)(const struct geo_val_used *used, const void *user),
                      const void *user)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < command->use_count; i++) {
        if (!drop(&command->uses[i], user)) {
            command->uses[kept++] = command->uses[i];
        }
    }
    command->use_count = kept;
}

static bool is_argument(const struct geo_val_used *used, const void *user)
{
    const uint32_t *index = user;
    return used->argument >= 0 && (!index || (uint32_t)used->argument == *index);
}

static bool is_kernel(const struct geo_val_used *used, const void *user)
{
    (void)user;
    return geo_val_data_kind_is(GEO_VAL_KERNEL, used->type) && used->kind == GEO_VAL_USED_OBJECT;
}

static bool is_event(const struct geo_val_used *used, const void *user)
{
    const void *const *handle = user;
    return used->kind == GEO_VAL_USED_EVENT && used->handle == *handle;
}

static void object_use(struct geo_val_command *command, enum geo_val_used_kind used_kind,
                       enum geo_val_kind kind, const void *handle)
{
    const struct geo_val_object *object = geo_val_data_kind_object(kind, handle);
    if (!object || (used_kind == GEO_VAL_USED_EVENT && !geo_val_pools_event(handle))) {
        return;
    }
    geo_val_record_use(command,
                       &(struct geo_val_used){.kind = (uint8_t)used_kind,
                                              .type = (uint8_t)geo_val_data_kind_type(kind),
                                              .handle = handle,
                                              .life = atomic_load(&object->life) >> 2,
                                              .param = 1,
                                              .argument = -1,
                                              .index = -1});
}

/* --- changes --- */

static void argument_change(struct geo_val_list *list,
                            const ze_mutable_kernel_argument_exp_desc_t *desc)
{
    struct geo_val_command *command = command_find(list, desc->commandId);
    const struct geo_val_kernel *kernel =
        command ? geo_val_arguments_kernel(command->kernel) : NULL;
    if (!command) {
        return;
    }
    if (!kernel) { /* with several possible kernels the arguments are unknown */
        uses_drop(command, is_argument, NULL);
        return;
    }
    uses_drop(command, is_argument, &desc->argIndex);
    const struct geo_val_argument argument =
        geo_val_argument_of(kernel, desc->argIndex, desc->argSize, desc->pArgValue);
    struct geo_val_used used;
    if (!geo_val_argument_used(kernel, desc->argIndex, &argument, &used)) {
        return;
    }
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_KERNEL, command->kernel);
    used.param = 1;
    used.context = object ? atomic_load(&object->context) : 0;
    geo_val_record_use(command, &used);
}

static void commands_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_mutable_commands_exp_desc_t *desc =
        ARGUMENT(call, 1, const ze_mutable_commands_exp_desc_t *);
    struct geo_val_list *list = list_change(call);
    for (struct geo_chain chain =
             geo_chain_begin(list ? GEO_CHAIN_OF(ze_mutable_commands_exp_desc_t, desc) : NULL);
         chain.link; geo_chain_step(&chain)) {
        if (GEO_LINK_IS(ze_mutable_commands_exp_desc_t, ze_mutable_kernel_argument_exp_desc_t,
                        chain)) {
            argument_change(list, (const void *)chain.link);
        }
    }
}

/* Checks that the list was closed and is not being executed. */
static ze_result_t change_check(const struct geo_layer_call *call)
{
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (list && geo_val_on(GEO_VAL_COMMANDS) && !list->stale && !geo_val_model_list_may_run(list)) {
        geo_val_model_object_tell(call, GEO_VAL_OPEN_LIST, 0, list->handle,
                                  "has not been closed: its commands are changed afterwards");
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    return geo_val_list_idle_check(call);
}

/* Checks the new value at this time, so that freed memory is reported at once. */
static void value_check(const struct geo_layer_call *call, const struct geo_val_command *command,
                        const ze_mutable_kernel_argument_exp_desc_t *link)
{
    const struct geo_val_kernel *kernel = geo_val_arguments_kernel(command->kernel);
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_KERNEL, command->kernel);
    struct geo_val_used used;
    geo_val_argument_size_check(call, command->kernel, link->argIndex, link->argSize,
                                link->pArgValue, "desc->pNext");
    if (!kernel) {
        return;
    }
    const struct geo_val_argument argument =
        geo_val_argument_of(kernel, link->argIndex, link->argSize, link->pArgValue);
    if (!geo_val_argument_used(kernel, link->argIndex, &argument, &used)) {
        return;
    }
    used.param = 1;
    used.context = object ? atomic_load(&object->context) : 0;
    geo_val_used_check(
        &used,
        &(struct geo_val_met){.call = call, .list = ARGUMENT(call, 0, ze_command_list_handle_t)});
}

static ze_result_t commands_check(const struct geo_layer_call *call)
{
    const ze_mutable_commands_exp_desc_t *desc =
        ARGUMENT(call, 1, const ze_mutable_commands_exp_desc_t *);
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    for (struct geo_chain chain = geo_chain_begin(
             list && desc ? GEO_CHAIN_OF(ze_mutable_commands_exp_desc_t, desc) : NULL);
         chain.link; geo_chain_step(&chain)) {
        if (!GEO_LINK_IS(ze_mutable_commands_exp_desc_t, ze_mutable_kernel_argument_exp_desc_t,
                         chain)) {
            continue;
        }
        const ze_mutable_kernel_argument_exp_desc_t *link = (const void *)chain.link;
        const struct geo_val_command *command = command_find(list, link->commandId);
        if (command) {
            value_check(call, command, link);
        }
    }
    return change_check(call);
}

static void signal_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_command *command = command_find(list_change(call), ARGUMENT(call, 1, uint64_t));
    if (!command) {
        return;
    }
    uses_drop(command, is_event, &command->signal);
    command->signal = ARGUMENT(call, 2, void *);
    object_use(command, GEO_VAL_USED_EVENT, GEO_VAL_EVENT, command->signal);
}

static void waits_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_command *command = command_find(list_change(call), ARGUMENT(call, 1, uint64_t));
    if (!command) {
        return;
    }
    for (uint32_t i = 0; i < command->wait_count; i++) {
        uses_drop(command, is_event, &command->waits[i]);
    }
    geo_val_record_set_waits(command, ARGUMENT(call, 3, void *const *),
                             ARGUMENT(call, 2, uint32_t));
    for (uint32_t i = 0; i < command->wait_count; i++) {
        object_use(command, GEO_VAL_USED_EVENT, GEO_VAL_EVENT, command->waits[i]);
    }
}

static void kernels_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_list *list = list_change(call);
    const uint64_t *ids = ARGUMENT(call, 2, const uint64_t *);
    void *const *kernels = ARGUMENT(call, 3, void *const *);
    for (uint32_t i = 0; list && i < ARGUMENT(call, 1, uint32_t); i++) {
        struct geo_val_command *command = command_find(list, ids[i]);
        if (!command) {
            continue;
        }
        uses_drop(command, is_argument, NULL);
        uses_drop(command, is_kernel, NULL);
        command->kernel = kernels[i];
        object_use(command, GEO_VAL_USED_OBJECT, GEO_VAL_KERNEL, kernels[i]);
    }
}

/* --- ids --- */

static void id_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    const size_t last = geo_ddi_functions[call->id].param_count - 1u;
    const uint64_t *id = ARGUMENT(call, last, const uint64_t *);
    if (list) {
        list->record.next_id = *id + 1;
    }
}

static ze_result_t id_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!list || !geo_val_on(GEO_VAL_COMMANDS) || list->immediate ||
        !atomic_load_explicit(&list->closed, memory_order_relaxed)) {
        return ZE_RESULT_SUCCESS;
    }
    geo_val_model_object_tell(call, GEO_VAL_CLOSED_LIST, 0, list->handle,
                              "has been closed: no command is appended next");
    return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

const struct geo_val_rule geo_val_mutable_rules[] = {
    {.function = GEO_DDI_FN_zeCommandListGetNextCommandIdExp, .check = id_check, .note = id_note},
    {.function = GEO_DDI_FN_zeCommandListGetNextCommandIdWithKernelsExp,
     .check = id_check,
     .note = id_note},
    {.function = GEO_DDI_FN_zeCommandListUpdateMutableCommandsExp,
     .check = commands_check,
     .note = commands_note},
    {.function = GEO_DDI_FN_zeCommandListUpdateMutableCommandSignalEventExp,
     .check = change_check,
     .note = signal_note},
    {.function = GEO_DDI_FN_zeCommandListUpdateMutableCommandWaitEventsExp,
     .check = change_check,
     .note = waits_note},
    {.function = GEO_DDI_FN_zeCommandListUpdateMutableCommandKernelsExp,
     .check = change_check,
     .note = kernels_note},
    {.function = GEO_DDI_FUNCTION_COUNT}};
