/* Appends whole lists to an immediate list. See append.h. */
#include "driver/cmd/append.h"

#include "base/assert.h"
#include "driver/cmd/record.h"
#include "driver/cmd/recorder.h"
#include "driver/core/check.h"

ze_result_t geo_append_lists_check_executable(const struct geo_command_list *list,
                                              const struct geo_device *device, uint32_t ordinal)
{
    if (list->immediate) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                        "an immediate command list cannot be executed");
    }
    if (list->device != device || list->ordinal != ordinal) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
            "the list is for queue group %u, but the queue has group %u or another device",
            list->ordinal, ordinal);
    }
    if (!list->closed || list->changed) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command list is not closed");
    }
    return ZE_RESULT_SUCCESS;
}

/* Everything that the appended lists need, prepared before the first is submitted, so that
 * submission cannot fail. The pieces lie one after the other in the ring, each in whole cache
 * lines. */
struct lists_plan {
    struct geo_command_list *list;
    uint32_t count;
    ze_command_list_handle_t *lists;
    struct geo_append waits, signal; /* commands that only wait or signal; command NULL: none */
    uint8_t *place;                  /* of the next piece */
    size_t bytes;                    /* of all pieces */
    uint32_t batches;                /* still to be submitted */
};

static size_t piece_round(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static size_t piece_of_events(const struct geo_append_events *events)
{
    return piece_round(geo_record_round(sizeof(struct geo_batch)) +
                       geo_record_bytes(sizeof(struct geo_command), events));
}

static size_t piece_of_list(const struct geo_command_list *inner)
{
    return piece_round(sizeof(struct geo_batch) + inner->bases.count * sizeof(uint64_t));
}

static struct geo_command_list *plan_list(const struct lists_plan *plan, uint32_t index)
{
    return (struct geo_command_list *)(void *)plan->lists[index];
}

static void plan_count(struct lists_plan *plan, const struct geo_append_events *waits,
                       const struct geo_append_events *signal)
{
    plan->batches = (waits->wait_count != 0) + (signal->signal != NULL);
    plan->bytes = (waits->wait_count ? piece_of_events(waits) : 0) +
                  (signal->signal ? piece_of_events(signal) : 0);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct geo_command_list *inner = plan_list(plan, i);
        plan->batches += inner->used != 0;
        plan->bytes += inner->used ? piece_of_list(inner) : 0;
    }
}

static ze_result_t plan_event(struct lists_plan *plan, const struct geo_append_events *events,
                              struct geo_append *append)
{
    if (events->wait_count == 0 && !events->signal) {
        return ZE_RESULT_SUCCESS;
    }
    uint8_t *record = plan->place + geo_record_round(sizeof(struct geo_batch));
    plan->place += piece_of_events(events);
    return geo_append_record_begin(plan->list, (struct geo_command *)(void *)record,
                                   GEO_COMMAND_NOP, sizeof(struct geo_command), events, append);
}

static ze_result_t plan_make(struct lists_plan *plan, const struct geo_append_events *waits,
                             const struct geo_append_events *signal)
{
    struct geo_command_list *list = plan->list;
    GEO_ASSERT(geo_object_lock_held(&list->use_lock) && geo_list_is_valid(list));
    if (list->keep.count > GEO_KEEP_LIMIT) {
        geo_list_let_go(list);
    }
    plan_count(plan, waits, signal);
    plan->place = geo_ring_reserve(&list->ring, list->stream, plan->bytes);
    if (!plan->place) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a submission");
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        GEO_CHECK(geo_keep_add(&list->keep, &plan_list(plan, i)->base));
    }
    GEO_CHECK(plan_event(plan, waits, &plan->waits));
    GEO_CHECK(plan_event(plan, signal, &plan->signal));
    return plan->signal.command ? geo_append_record_bind(&plan->signal) : ZE_RESULT_SUCCESS;
}

/* Submits a batch. On a synchronous list the last batch has run on return, and so have the
 * others. */
static void plan_submit(struct lists_plan *plan, struct geo_batch *batch, ze_result_t *result)
{
    GEO_ASSERT(plan->batches != 0);
    ze_result_t now = geo_append_record_submit(plan->list, batch,
                                               --plan->batches == 0 && plan->list->synchronous);
    *result = *result == ZE_RESULT_SUCCESS ? now : *result;
}

static void plan_submit_list(struct lists_plan *plan, struct geo_command_list *inner,
                             ze_result_t *result)
{
    struct geo_batch *batch = (struct geo_batch *)(void *)plan->place;
    uint64_t *bases = (uint64_t *)(void *)(batch + 1);
    plan->place += piece_of_list(inner);
    geo_bases_begin(&inner->bases, bases);
    *batch = (struct geo_batch){
        .first = (const struct geo_command *)inner->records, .bytes = inner->used, .bases = bases};
    plan_submit(plan, batch, result);
    geo_list_used(inner, plan->list->stream, plan->list->ticket);
}

static ze_result_t plan_run(struct lists_plan *plan)
{
    struct geo_command_list *list = plan->list;
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (plan->waits.command) {
        plan_submit(plan, geo_append_record_batch(&plan->waits), &result);
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan_list(plan, i)->used != 0) {
            plan_submit_list(plan, plan_list(plan, i), &result);
        }
    }
    if (plan->signal.command) {
        plan_submit(plan, geo_append_record_batch(&plan->signal), &result);
    }
    GEO_ASSERT(plan->batches == 0);
    GEO_ASSERT(plan->place == list->ring.current->data + list->ring.used + plan->bytes);
    geo_ring_take(&list->ring, plan->bytes, list->ticket);
    if (plan->signal.command) {
        geo_append_record_submitted(&plan->signal);
    }
    return result;
}

static ze_result_t lists_check(const struct geo_command_list *list, uint32_t count,
                               ze_command_list_handle_t *lists)
{
    GEO_CHECK(geo_context_check_alive(list->context));
    if (!list->immediate) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                        "lists can be appended to immediate lists only");
    }
    for (uint32_t i = 0; i < count; i++) {
        struct geo_command_list *inner;
        GEO_CHECK(geo_command_list_from(lists[i], &inner));
        GEO_CHECK(geo_append_lists_check_executable(inner, list->device, list->ordinal));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_append_lists(struct geo_command_list *list, uint32_t count,
                             ze_command_list_handle_t *lists,
                             const struct geo_append_events *events)
{
    const struct geo_append_events waits = {.wait_count = events->wait_count,
                                            .waits = events->waits};
    const struct geo_append_events signal = {.signal = events->signal};
    struct lists_plan plan = {.list = list, .count = count, .lists = lists};
    GEO_CHECK(lists_check(list, count, lists));
    if (geo_recordings_any()) {
        GEO_CHECK(geo_recorder->refuse(list, events, "a command list"));
    }
    geo_object_lock_acquire(&list->use_lock);
    ze_result_t result = plan_make(&plan, &waits, &signal);
    if (result == ZE_RESULT_SUCCESS && plan.batches != 0) {
        result = plan_run(&plan);
    }
    geo_object_lock_release(&list->use_lock);
    return result;
}
