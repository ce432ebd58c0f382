/* Command lists: creation, cloning, state, submissions, destruction. append.c appends to them. See
 * list.h. */
#include "driver/cmd/list.h"

#include "base/assert.h"
#include "driver/cmd/mutable.h"
#include "driver/cmd/records.h"
#include "driver/core/check.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_RETAIN (1u << 20) /* larger buffers are freed when a list is reset */

ze_result_t geo_list_check_group(const struct geo_device *device, uint32_t ordinal, uint32_t index)
{
    const struct geo_device_info *info = device->info;
    if (ordinal >= info->group_count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "queue group %u is out of range: the device has %u groups", ordinal,
                        info->group_count);
    }
    if (index >= info->groups[ordinal].queue_count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "queue %u of group %u is out of range: the group has %u queues", index,
                        ordinal, info->groups[ordinal].queue_count);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_list_wait_result(const struct geo_context *context, ze_result_t result)
{
    GEO_CHECK(geo_context_check_alive(context));
    if (__builtin_expect(result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, 0)) {
        return geo_fail(result, "no memory to run a command");
    }
    return result;
}

/* ---- creation and destruction ---- */

static void uses_forget(struct geo_command_list *list)
{
    for (uint32_t i = 0; i < GEO_LIST_USES; i++) {
        geo_stream_unref(list->uses[i].stream);
        list->uses[i].stream = NULL;
    }
}

static void counters_forget(struct geo_command_list *list)
{
    for (uint32_t i = 0; i < GEO_LIST_COUNTERS; i++) {
        geo_counter_unref(list->counters[i].counter);
        list->counters[i] = (struct geo_list_counter){0};
    }
    geo_bases_clear(&list->bases);
}

static void list_destroy(struct geo_object *object)
{
    struct geo_command_list *list = (struct geo_command_list *)object;
    /* waits until the work is done, unless other references to the stream exist */
    geo_stream_unref(list->stream);
    uses_forget(list);
    geo_ring_finish(&list->ring);
    geo_keep_clear(&list->keep);
    geo_mutation_destroy(list->mutation);
    counters_forget(list);
    free(list->records);
    geo_object_unref(&list->context->base);
    free(list);
}

/* Returns whether a list's counter is consistent. On a regular list, the table of bases must
 * contain the counter with the same number of signals. For assertions. */
static bool counter_is_valid(const struct geo_command_list *list, bool shared)
{
    const struct geo_list_counter *own = &list->counters[shared];
    if (!own->counter) {
        return own->value == 0 && own->base == 0;
    }
    if (!list->in_order || shared != (own->counter->page != NULL)) {
        return false;
    }
    return list->immediate || (own->base < list->bases.count &&
                               list->bases.entries[own->base].counter == own->counter &&
                               list->bases.entries[own->base].signals == own->value);
}

bool geo_list_is_valid(const struct geo_command_list *list)
{
    if (!counter_is_valid(list, false) || !counter_is_valid(list, true)) {
        return false;
    }
    if (list->immediate) {
        return list->stream && !list->closed && !list->changed && !list->records &&
               !list->mutation && list->bases.count == 0 && !(list->branch && list->synchronous);
    }
    return !list->stream && !list->branch && !list->synchronous && list->used <= list->room &&
           list->used % GEO_COMMAND_ALIGN == 0 &&
           (!list->changed || (list->closed && list->mutation)) && geo_keep_is_valid(&list->keep);
}

static struct geo_command_list *list_new(struct geo_context *context, struct geo_device *device,
                                         uint32_t ordinal)
{
    struct geo_command_list *list = calloc(1, sizeof(*list));
    if (!list) {
        (void)geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a command list");
        return NULL;
    }
    geo_object_init(&list->base, GEO_OBJECT_COMMAND_LIST, context->base.driver, list_destroy);
    geo_object_ref(&context->base);
    list->context = context;
    list->device = device;
    list->ordinal = ordinal;
    list->group_flags = device->info->groups[ordinal].flags;
    return list;
}

ze_result_t geo_list_create(struct geo_context *context, struct geo_device *device,
                            const ze_command_list_desc_t *desc, struct geo_command_list **out)
{
    GEO_CHECK(geo_list_check_group(device, desc->commandQueueGroupOrdinal, 0));
    struct geo_command_list *list = list_new(context, device, desc->commandQueueGroupOrdinal);
    if (!list) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    list->flags = desc->flags;
    list->in_order = (desc->flags & ZE_COMMAND_LIST_FLAG_IN_ORDER) != 0;
    if (GEO_CHAIN_FIND(ze_command_list_desc_t, ze_mutable_command_list_exp_desc_t,
                       GEO_CHAIN_OF(ze_command_list_desc_t, desc)) &&
        geo_mutation_create(&list->mutation) != ZE_RESULT_SUCCESS) {
        geo_object_unref(&list->base);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    GEO_ASSERT(geo_list_is_valid(list));
    *out = list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_list_create_immediate(struct geo_context *context, struct geo_device *device,
                                      const ze_command_queue_desc_t *desc,
                                      struct geo_command_list **out)
{
    GEO_CHECK(geo_list_check_group(device, desc->ordinal, desc->index));
    struct geo_command_list *list = list_new(context, device, desc->ordinal);
    if (!list) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    list->immediate = true;
    list->in_order = (desc->flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER) != 0;
    list->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    list->desc = *desc;
    list->desc.pNext = NULL;
    struct geo_stream_desc stream = {
        .ordinal = desc->ordinal,
        .index = desc->index,
        .priority = desc->priority,
    };
    ze_result_t result = geo_stream_create(context, device, &stream, &list->stream);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_unref(&list->base);
        return result;
    }
    GEO_ASSERT(geo_list_is_valid(list));
    *out = list;
    return ZE_RESULT_SUCCESS;
}

static void reference_move(struct geo_event_ref *ref, const struct geo_event_slot *from,
                           struct geo_event_slot *to)
{
    if (ref->slot == from) {
        ref->slot = to;
    }
}

/* Redirects references in the clone's records from a counter of the original list to the
 * clone's. */
static void records_move(struct geo_command_list *clone, const struct geo_event_slot *from,
                         struct geo_event_slot *to)
{
    for (size_t at = 0; at < clone->used;) {
        struct geo_command *command = (struct geo_command *)(clone->records + at);
        struct geo_event_ref *waits =
            (struct geo_event_ref *)((uint8_t *)command + command->wait_offset);
        reference_move(&command->signal, from, to);
        for (uint32_t i = 0; i < command->wait_count; i++) {
            reference_move(&waits[i], from, to);
        }
        GEO_ASSERT(geo_record_is_valid(command));
        at += command->bytes;
    }
}

static ze_result_t counter_clone(const struct geo_list_counter *from, bool shared,
                                 struct geo_command_list *clone)
{
    if (!from->counter) {
        return ZE_RESULT_SUCCESS;
    }
    struct geo_counter *counter = geo_counter_acquire(clone->base.driver, shared);
    if (!counter) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a counter");
    }
    clone->counters[shared] = (struct geo_list_counter){counter, from->value, from->base};
    records_move(clone, from->counter->slot, counter->slot);
    return ZE_RESULT_SUCCESS;
}

/* Returns the clone's counter that replaces `counter` of the original list. */
static struct geo_counter *counter_of_clone(const struct geo_command_list *list,
                                            const struct geo_command_list *clone,
                                            struct geo_counter *counter)
{
    for (uint32_t i = 0; i < GEO_LIST_COUNTERS; i++) {
        if (counter == list->counters[i].counter) {
            return clone->counters[i].counter;
        }
    }
    return counter;
}

/* Gives the clone its own counters, because both lists may run at once. Events that the original
 * signals keep referring to the original. */
static ze_result_t bases_clone(const struct geo_command_list *list, struct geo_command_list *clone)
{
    for (uint32_t i = 0; i < GEO_LIST_COUNTERS; i++) {
        GEO_CHECK(counter_clone(&list->counters[i], i != 0, clone));
    }
    for (uint32_t i = 0; i < list->bases.count; i++) {
        const struct geo_base *entry = &list->bases.entries[i];
        uint32_t index;
        GEO_CHECK(
            geo_bases_index(&clone->bases, counter_of_clone(list, clone, entry->counter), &index));
        clone->bases.entries[index].signals = entry->signals;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_list_clone(struct geo_command_list *list, struct geo_command_list **out)
{
    if (list->immediate || !list->closed || list->changed ||
        !(list->flags & ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "only closed lists made with ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE can be "
                        "cloned");
    }
    struct geo_command_list *clone = list_new(list->context, list->device, list->ordinal);
    if (!clone) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    clone->flags = list->flags;
    clone->in_order = list->in_order;
    clone->closed = true;
    ze_result_t result = geo_keep_add_all(&clone->keep, &list->keep);
    if (result == ZE_RESULT_SUCCESS && list->used != 0) {
        clone->records = malloc(list->used);
        if (clone->records) {
            memcpy(clone->records, list->records, list->used);
            clone->used = clone->room = list->used;
        } else {
            result = geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a command list");
        }
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = bases_clone(list, clone);
    }
    if (result == ZE_RESULT_SUCCESS && list->mutation) {
        result = geo_mutation_clone(list->mutation, &clone->mutation);
    }
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_unref(&clone->base);
        return result;
    }
    GEO_ASSERT(geo_list_is_valid(clone) && geo_records_are_valid(clone->records, clone->used));
    *out = clone;
    return ZE_RESULT_SUCCESS;
}

/* ---- state ---- */

ze_result_t geo_list_close(struct geo_command_list *list)
{
    GEO_ASSERT(geo_list_is_valid(list));
    GEO_ASSERT(list->immediate || geo_records_are_valid(list->records, list->used));
    if (list->changed) {
        GEO_CHECK(geo_mutation_close(list));
        list->changed = false;
    }
    list->closed = !list->immediate;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_list_check_idle(struct geo_command_list *list)
{
    if (list->immediate) {
        return geo_stream_check_finished(list->stream, list->ticket, "command list");
    }
    ze_result_t result = ZE_RESULT_SUCCESS;
    geo_object_lock_acquire(&list->use_lock);
    for (uint32_t i = 0; i < GEO_LIST_USES && result == ZE_RESULT_SUCCESS; i++) {
        struct geo_list_use *use = &list->uses[i];
        if (use->stream) {
            result = geo_stream_check_finished(use->stream, use->ticket, "command list");
        }
    }
    geo_object_lock_release(&list->use_lock);
    return result;
}

ze_result_t geo_list_check_mutable(struct geo_command_list *list)
{
    GEO_CHECK(geo_context_check_alive(list->context));
    if (!list->mutation) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the command list was created without ze_mutable_command_list_exp_desc_t");
    }
    if (!list->closed) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "commands can be changed only after the list was closed");
    }
    return geo_list_check_idle(list);
}

void geo_list_used(struct geo_command_list *list, struct geo_stream *stream, uint64_t ticket)
{
    struct geo_stream *forgotten = NULL;
    geo_object_lock_acquire(&list->use_lock);
    struct geo_list_use *use = &list->uses[0];
    for (uint32_t i = 0; i < GEO_LIST_USES; i++) {
        struct geo_list_use *other = &list->uses[i];
        if (other->stream == stream) {
            use = other;
            break;
        }
        if (!other->stream || other->stream->ops->finished(other->stream->backend, other->ticket)) {
            use = other;
        }
    }
    if (use->stream != stream) {
        forgotten = use->stream;
        geo_stream_ref(stream);
        use->stream = stream;
        use->ticket = 0;
    }
    GEO_ASSERT(geo_object_lock_held(&list->use_lock) && !list->immediate);
    use->ticket = ticket > use->ticket ? ticket : use->ticket;
    geo_object_lock_release(&list->use_lock);
    geo_stream_unref(forgotten);
}

ze_result_t geo_list_reset(struct geo_command_list *list)
{
    if (list->immediate) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_list_check_idle(list));
    uses_forget(list);
    geo_keep_clear(&list->keep);
    counters_forget(list);
    list->used = 0;
    list->closed = list->changed = false;
    GEO_ASSERT(geo_list_is_valid(list));
    if (list->mutation) {
        geo_mutation_reset(list->mutation);
    }
    if (list->room > RECORDS_RETAIN) {
        free(list->records);
        list->records = NULL;
        list->room = 0;
    }
    return ZE_RESULT_SUCCESS;
}

void geo_list_let_go(struct geo_command_list *list)
{
    GEO_ASSERT(list->immediate && !list->branch);
    if (list->stream->ops->finished(list->stream->backend, list->ticket)) {
        geo_keep_clear(&list->keep);
        geo_ring_trim(&list->ring);
    }
}

ze_result_t geo_list_synchronize(struct geo_command_list *list, uint64_t timeout_ns)
{
    struct geo_stream *stream = list->stream;
    if (!list->immediate) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the command list is not immediate (zeCommandListCreateImmediate)");
    }
    ze_result_t result = stream->ops->wait(stream->backend, list->ticket, timeout_ns);
    return geo_list_wait_result(list->context, result);
}
