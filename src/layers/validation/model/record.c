/* Stores commands. See record.h. */
#include "layers/validation/model/record.h"
#include "layers/validation/address/mappings.h"
#include "layers/validation/uses/arguments.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

/* --- shapes of functions --- */

/* The parameters of a function with the events that a command waits for, signals and resets, and
 * with its kernel; -1: none. */
static struct shape {
    int8_t waits, wait_count, signal, reset, kernel;
    bool opaque;
} shapes[GEO_DDI_FUNCTION_COUNT];

void geo_val_records_make(void)
{
    for (int i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const enum geo_ddi_function_id id = (enum geo_ddi_function_id)i;
        const struct geo_ddi_function *function = &geo_ddi_functions[i];
        const struct geo_ddi_param *params = geo_ddi_function_params(function);
        struct shape *shape = &shapes[i];
        *shape = (struct shape){-1, -1, -1, -1, -1, false};
        if (!geo_val_uses_appends(id)) {
            continue;
        }
        shape->opaque = strstr(function->name, "ExternalSemaphore") != NULL;
        for (size_t k = 0; k < function->param_count; k++) {
            const enum geo_val_role role = geo_val_uses_role(id, k);
            shape->opaque |= role == GEO_VAL_ROLE_LISTS || role == GEO_VAL_ROLE_GRAPH;
            if (role == GEO_VAL_ROLE_WAITS) {
                shape->waits = (int8_t)k;
                shape->wait_count = params[k].count_param;
            } else if (role == GEO_VAL_ROLE_SIGNAL) {
                shape->signal = (int8_t)k;
            } else if (role == GEO_VAL_ROLE_RESET) {
                shape->reset = (int8_t)k;
            } else if (role == GEO_VAL_ROLE_KERNEL) {
                shape->kernel = (int8_t)k;
            }
        }
    }
}

bool geo_val_record_is_opaque(enum geo_ddi_function_id id)
{
    return shapes[id].opaque;
}

/* --- one command --- */

static void command_finish(struct geo_val_command *command)
{
    free(command->waits);
    free(command->uses);
}

static bool uses_reserve(struct geo_val_command *command, uint32_t room)
{
    struct geo_val_used *grown = realloc(command->uses, room * sizeof(*grown));
    if (!grown) {
        return false;
    }
    command->uses = grown;
    command->use_room = room;
    return true;
}

void geo_val_record_use(struct geo_val_command *command, const struct geo_val_used *used)
{
    if (command->use_count == command->use_room &&
        !uses_reserve(command, command->use_room ? 2 * command->use_room : 4)) {
        return;
    }
    struct geo_val_used *kept = &command->uses[command->use_count++];
    *kept = *used;
    command->touches |= used->kind == GEO_VAL_USED_MEMORY || used->kind == GEO_VAL_USED_IMAGE;
    if (kept->kind == GEO_VAL_USED_MEMORY && geo_val_mappings_any()) {
        kept->backed = geo_val_mapping_reach(kept->bytes.base, 1) > 0;
    }
}

/* Collects items on the stack first, so that a command with few items allocates no more than it
 * needs. */
struct gather {
    struct geo_val_command *command;
    uint32_t count;
    struct geo_val_used few[8];
};

static void gather_flush(struct gather *gather)
{
    struct geo_val_command *command = gather->command;
    if (gather->count > 0 && command->use_count == 0 && !uses_reserve(command, gather->count)) {
        return;
    }
    for (uint32_t i = 0; i < gather->count; i++) {
        geo_val_record_use(command, &gather->few[i]);
    }
    gather->count = 0;
}

static void use_gather(const struct geo_val_used *used, void *user)
{
    struct gather *gather = user;
    if (used->host) {
        return;
    }
    if (gather->count == sizeof(gather->few) / sizeof(gather->few[0])) {
        gather_flush(gather);
    }
    gather->few[gather->count++] = *used;
}

void geo_val_record_set_waits(struct geo_val_command *command, void *const *events, uint32_t count)
{
    free(command->waits);
    command->waits = count > 0 && events ? malloc(count * sizeof(*command->waits)) : NULL;
    command->wait_count = 0;
    for (uint32_t i = 0; command->waits && i < count; i++) {
        if (events[i]) {
            command->waits[command->wait_count++] = events[i];
        }
    }
}

static void command_fill(struct geo_val_command *command, const struct geo_layer_call *call)
{
    const struct shape *shape = &shapes[call->id];
    command->function = call->id;
    command->blocks = call->id == GEO_DDI_FN_zeCommandListAppendBarrier ||
                      call->id == GEO_DDI_FN_zeCommandListAppendMemoryRangesBarrier ||
                      call->id == GEO_DDI_FN_zeCommandListAppendWaitOnEvents;
    command->opaque = shape->opaque;
    if (shape->waits >= 0 && shape->wait_count >= 0) {
        geo_val_record_set_waits(command, ARGUMENT(call, shape->waits, void *const *),
                                 ARGUMENT(call, shape->wait_count, uint32_t));
    }
    if (shape->signal >= 0) {
        command->signal = ARGUMENT(call, shape->signal, void *);
    }
    if (shape->reset >= 0) {
        command->reset = ARGUMENT(call, shape->reset, void *);
    }
    if (shape->kernel >= 0) {
        command->kernel = ARGUMENT(call, shape->kernel, void *);
    }
    struct gather gather;
    gather.command = command;
    gather.count = 0;
    geo_val_uses_each(call, use_gather, &gather);
    geo_val_arguments_each(call, use_gather, &gather);
    gather_flush(&gather);
}

/* --- records --- */

void geo_val_record_clear(struct geo_val_record *record)
{
    for (uint32_t i = 0; i < record->count; i++) {
        command_finish(&record->commands[i]);
    }
    record->count = 0;
    record->appended = 0;
    record->next_id = 0;
}

void geo_val_record_filter(struct geo_val_record *record,
                           bool (*keep)(const struct geo_val_command *command))
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        if (keep(&record->commands[i])) {
            record->commands[kept++] = record->commands[i];
        } else {
            command_finish(&record->commands[i]);
        }
    }
    record->count = kept;
}

void geo_val_record_trim(struct geo_val_record *record, uint32_t count)
{
    const uint32_t gone = record->count > count ? record->count - count : 0;
    for (uint32_t i = 0; i < gone; i++) {
        command_finish(&record->commands[i]);
    }
    record->count -= gone;
    memmove(record->commands, record->commands + gone, record->count * sizeof(*record->commands));
}

static struct geo_val_command *command_add(struct geo_val_record *record)
{
    if (record->count == record->capacity) {
        const uint32_t capacity = record->capacity ? 2 * record->capacity : 16;
        struct geo_val_command *grown = realloc(record->commands, capacity * sizeof(*grown));
        if (!grown) {
            return NULL;
        }
        record->commands = grown;
        record->capacity = capacity;
    }
    struct geo_val_command *command = &record->commands[record->count++];
    *command = (struct geo_val_command){.number = record->appended++, .id = record->next_id};
    record->next_id = 0;
    return command;
}

struct geo_val_command *geo_val_record_append(struct geo_val_record *record,
                                              const struct geo_layer_call *call)
{
    struct geo_val_command *command = command_add(record);
    if (command) {
        command_fill(command, call);
    }
    return command;
}

void geo_val_record_copy(struct geo_val_record *to, const struct geo_val_record *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const struct geo_val_command *original = &from->commands[i];
        struct geo_val_command *copy = command_add(to);
        if (!copy) {
            return;
        }
        const uint32_t number = copy->number;
        *copy = *original;
        copy->number = number;
        copy->done = false;
        copy->waits = NULL;
        copy->wait_count = 0;
        copy->uses = NULL;
        copy->use_count = copy->use_room = 0;
        geo_val_record_set_waits(copy, original->waits, original->wait_count);
        for (uint32_t k = 0; k < original->use_count; k++) {
            geo_val_record_use(copy, &original->uses[k]);
        }
    }
}

/* --- replay --- */

void geo_val_record_replay(const struct geo_val_record *record, struct geo_val_met *met)
{
    met->replayed = met->runs = true;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct geo_val_command *command = &record->commands[i];
        met->function = command->function;
        met->number = command->number;
        for (uint32_t k = 0; k < command->use_count; k++) {
            geo_val_used_check(&command->uses[k], met);
            if (met->told) {
                return;
            }
        }
    }
}
