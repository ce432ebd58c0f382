/* The rules of objects and of the host's calls. See rules.h; of commands: rules_commands.c. */
#include "rules.h"
#include "rules_commands.h"

#include <string.h>

/* ---- objects ---- */

static int stream_new(struct model *model)
{
    return model->stream_count < STREAMS_MAX ? model->stream_count++ : NONE;
}

/* Whether a thread may put a new object where another one was. */
static bool place_free(const struct model *model, const struct op *op, bool live, int16_t ended,
                       uint8_t owner)
{
    return !live && (ended < model->joined || ended == NEVER || owner == op->thread);
}

static bool list_create(struct model *model, const struct op *op)
{
    struct list *list = &model->lists[op->list];
    if (!place_free(model, op, list->live, list->ended, list->owner)) {
        return false;
    }
    *list = (struct list){.live = true, .flags = op->flags, .owner = op->thread, .stream = NONE};
    if (op->flags & LIST_IMMEDIATE) {
        list->stream = (int8_t)stream_new(model);
        return list->stream != NONE;
    }
    return true;
}

/* What others know of a list that starts anew. */
static void list_forget(struct model *model, int number)
{
    for (int i = 0; i < EVENTS_MAX; i++) {
        if (model->events[i].bound_list == number) {
            model->events[i].bound_list = GONE;
        }
    }
    for (int i = 0; i < LISTS_MAX; i++) {
        for (int j = 0; j < model->lists[i].count; j++) {
            for (int k = 0; k < WAITS_MAX; k++) {
                if (model->lists[i].records[j].counter_list[k] == number) {
                    model->lists[i].records[j].counter_list[k] = NONE;
                }
            }
        }
    }
}

static bool list_idle(const struct model *model, const struct list *list, int thread)
{
    const struct set *nodes =
        list->flags & LIST_IMMEDIATE ? &model->streams[list->stream].nodes : &list->nodes;
    return list->live && list->owner == thread && set_within(nodes, &model->known[thread]);
}

static bool list_end(struct model *model, const struct op *op)
{
    struct list *list = &model->lists[op->list];
    if (!list_idle(model, list, op->thread)) {
        return false;
    }
    list_forget(model, op->list);
    if (op->kind == OP_LIST_DESTROY) {
        list->live = false;
        list->ended = model->index;
        return true;
    }
    if (list->flags & LIST_IMMEDIATE) {
        return false;
    }
    *list = (struct list){.live = true, .flags = list->flags, .owner = list->owner, .stream = NONE};
    return true;
}

static bool list_close(struct model *model, const struct op *op)
{
    struct list *list = &model->lists[op->list];
    if (!list->live || list->owner != op->thread || list->closed || list->flags & LIST_IMMEDIATE) {
        return false;
    }
    list->closed = true;
    return true;
}

static bool queue_create(struct model *model, const struct op *op)
{
    struct queue *queue = &model->queues[op->queue];
    if (!place_free(model, op, queue->live, queue->ended, queue->owner)) {
        return false;
    }
    *queue = (struct queue){
        .live = true, .flags = op->flags, .owner = op->thread, .stream = (int8_t)stream_new(model)};
    return queue->stream != NONE;
}

static bool queue_mine(const struct model *model, const struct op *op)
{
    const struct queue *queue = &model->queues[op->queue];
    return queue->live && queue->owner == op->thread;
}

static bool queue_destroy(struct model *model, const struct op *op)
{
    struct queue *queue = &model->queues[op->queue];
    if (!queue_mine(model, op) ||
        !set_within(&model->streams[queue->stream].nodes, &model->known[op->thread])) {
        return false;
    }
    for (int i = 0; i < FENCES_MAX; i++) {
        if (model->fences[i].live && model->fences[i].queue == op->queue) {
            return false;
        }
    }
    queue->live = false;
    queue->ended = model->index;
    return true;
}

static bool event_create(struct model *model, const struct op *op)
{
    struct event *event = &model->events[op->event];
    if (!place_free(model, op, event->live, event->ended, event->owner)) {
        return false;
    }
    *event = (struct event){.live = true,
                            .flags = op->flags,
                            .owner = op->thread,
                            .since = model->index,
                            .used = NEVER,
                            .reset = NONE,
                            .bound = NONE,
                            .bound_list = NONE};
    return true;
}

static bool event_recorded(const struct model *model, const struct op *ops, int event)
{
    for (int i = 0; i < LISTS_MAX; i++) {
        const struct list *list = &model->lists[i];
        for (int j = 0; list->live && j < list->count; j++) {
            const struct op *op = &ops[list->records[j].op];
            bool waits = op->wait_count > 0 && op->waits[0] == event;
            waits |= op->wait_count > 1 && op->waits[1] == event;
            if (waits || op->signal == event || op->event == event) {
                return true;
            }
        }
    }
    return false;
}

static bool event_mine(const struct model *model, const struct event *event, int thread)
{
    return event->live && event->owner == thread && event_idle(model, event, &model->known[thread]);
}

static bool event_destroy(struct model *model, const struct op *op, const struct op *ops)
{
    struct event *event = &model->events[op->event];
    if (!event_mine(model, event, op->thread) || event_recorded(model, ops, op->event) ||
        (event->bound != NONE && !set_has(&model->known[op->thread], event->bound))) {
        return false;
    }
    event->live = false;
    event->ended = model->index;
    return true;
}

static bool event_host_reset(struct model *model, const struct op *op)
{
    struct event *event = &model->events[op->event];
    if (event->flags & EVENT_COUNTER || !event_mine(model, event, op->thread)) {
        return false;
    }
    memset(&event->signallers, 0, sizeof(event->signallers));
    memset(&event->waiters, 0, sizeof(event->waiters));
    event->reset = NONE;
    event->since = model->index;
    return true;
}

static bool event_host_signal(struct model *model, struct op *op)
{
    if (model->events[op->event].flags & EVENT_COUNTER) {
        return false;
    }
    int node = node_new(model, model->index, op->thread, NONE);
    if (node == NONE || !event_signal(model, node, op->event)) {
        return false;
    }
    node_learn(model, op->thread, node);
    return true;
}

static bool fence_create(struct model *model, const struct op *op)
{
    struct fence *fence = &model->fences[op->fence];
    if (!place_free(model, op, fence->live, fence->ended, fence->owner) || !queue_mine(model, op)) {
        return false;
    }
    *fence = (struct fence){.live = true,
                            .owner = op->thread,
                            .queue = op->queue,
                            .signalled = (op->flags & FENCE_SIGNALLED) != 0};
    return true;
}

static bool fence_end(struct model *model, const struct op *op)
{
    struct fence *fence = &model->fences[op->fence];
    if (!fence->live || fence->owner != op->thread || (fence->used && !fence->signalled)) {
        return false;
    }
    fence->live = op->kind == OP_FENCE_RESET;
    fence->ended = model->index;
    fence->used = fence->signalled = false;
    memset(&fence->nodes, 0, sizeof(fence->nodes));
    return true;
}

/* ---- waits ---- */

static bool lasting(const struct op *op)
{
    return op->how == WAIT_FOREVER || op->how == WAIT_AGAIN || op->how == WAIT_POLL;
}

/* A wait or question about something that is known to be done, may be done, or not. */
static uint8_t outcome(bool done, bool may)
{
    return done ? OUTCOME_SUCCESS : may ? OUTCOME_SUCCESS | OUTCOME_NOT_READY : OUTCOME_NOT_READY;
}

static bool counter_ask(struct model *model, struct op *op, struct event *event)
{
    int node = event->bound;
    if (node == NONE) {
        op->allowed = event->bound_list == NONE ? OUTCOME_SUCCESS : outcome(false, true);
        return event->bound_list == NONE || !lasting(op);
    }
    if (lasting(op)) {
        node_learn(model, op->thread, node);
        return node_will(model, node);
    }
    bool again = event->bound_list >= 0 && model->lists[event->bound_list].runs > 1;
    op->allowed = outcome(set_has(&model->known[op->thread], node),
                          again || node_may(model, node, op->thread));
    return true;
}

static bool regular_last(struct model *model, struct op *op, struct event *event)
{
    bool will = false;
    SET_EACH(&event->signallers, signaller)
    {
        will |= node_will(model, signaller);
    }
    if (!will || (event->reset != NONE && !set_has(&model->known[op->thread], event->reset))) {
        return false;
    }
    if (set_count(&event->signallers) == 1) {
        node_learn(model, op->thread, set_next(&event->signallers, 0));
    } else {
        set_unite(&model->known[op->thread], &event->past);
    }
    return true;
}

static bool regular_ask(struct model *model, struct op *op, struct event *event)
{
    const struct set *known = &model->known[op->thread];
    if (lasting(op)) {
        return regular_last(model, op, event);
    }
    bool clear = event->reset == NONE || set_has(known, event->reset);
    bool may = !clear || event->owner != op->thread;
    SET_EACH(&event->signallers, signaller)
    {
        may |= node_may(model, signaller, op->thread);
    }
    op->allowed = outcome(clear && set_meets(&event->signallers, known), may);
    return true;
}

static bool event_ask(struct model *model, struct op *op)
{
    struct event *event = &model->events[op->event];
    if (!event_seen(model, event, op->thread)) {
        return false;
    }
    if (event->owner != op->thread) {
        event->used = model->index;
    }
    return event->flags & EVENT_COUNTER ? counter_ask(model, op, event)
                                        : regular_ask(model, op, event);
}

/* The node whose timestamps the event has: there is one, and it has a beginning and an end. */
static int event_timed(const struct model *model, const struct event *event, const struct op *ops)
{
    int node = event->bound;
    if (!(event->flags & EVENT_COUNTER)) {
        node = set_count(&event->signallers) == 1 ? set_next(&event->signallers, 0) : NONE;
    }
    if (node == NONE || model->nodes[node].stream == NONE) {
        return NONE;
    }
    enum op_kind kind = (enum op_kind)ops[model->nodes[node].op].kind;
    return kind == OP_APPEND_SIGNAL || kind == OP_APPEND_RESET || kind == OP_LISTS ? NONE : node;
}

static bool event_timestamps(struct model *model, struct op *op, const struct op *ops)
{
    struct event *event = &model->events[op->event];
    if (!event->live || event->owner != op->thread || !(event->flags & EVENT_TIMESTAMPS)) {
        return false;
    }
    int node = event_timed(model, event, ops);
    if (node == NONE || !set_has(&model->known[op->thread], node) ||
        (event->reset != NONE && !set_has(&model->known[op->thread], event->reset))) {
        return false;
    }
    op->node = (int16_t)node;
    return true;
}

static bool fence_ask(struct model *model, struct op *op)
{
    struct fence *fence = &model->fences[op->fence];
    if (!fence->live || fence->owner != op->thread) {
        return false;
    }
    if (fence->signalled) {
        return true;
    }
    if (lasting(op)) {
        nodes_learn(model, op->thread, &fence->nodes);
        fence->signalled = true;
        return fence->used && nodes_will(model, &fence->nodes);
    }
    op->allowed = outcome(false, fence->used && nodes_may(model, &fence->nodes, op->thread));
    return true;
}

static bool stream_ask(struct model *model, struct op *op, int number)
{
    struct stream *stream = &model->streams[number];
    if (lasting(op)) {
        stream_learn(model, op->thread, number);
        return nodes_will(model, &stream->nodes);
    }
    op->allowed = outcome(set_within(&stream->nodes, &stream->synced),
                          nodes_may(model, &stream->nodes, op->thread));
    return true;
}

static bool list_ask(struct model *model, struct op *op)
{
    const struct list *list = &model->lists[op->list];
    return list->live && list->owner == op->thread && list->flags & LIST_IMMEDIATE &&
           stream_ask(model, op, list->stream);
}

/* ---- the host's own ---- */

static bool host_access(struct model *model, struct op *op)
{
    int node = node_new(model, model->index, op->thread, NONE);
    if (node == NONE || !node_touch(model, node, op)) {
        return false;
    }
    node_learn(model, op->thread, node);
    op->node = (int16_t)node;
    return op->kind == OP_CHECK || buffer_kind(op->destination) != BUFFER_DEVICE;
}

static bool join(struct model *model)
{
    struct set all = {{0}};
    for (uint32_t i = 0; i < model->threads; i++) {
        set_unite(&all, &model->known[i]);
    }
    for (uint32_t i = 0; i < model->threads; i++) {
        model->known[i] = all;
    }
    model->joined = model->index;
    return model->threads > 1;
}

/* ---- all ---- */

static bool op_apply(struct model *model, struct op *op, const struct op *ops)
{
    switch ((enum op_kind)op->kind) {
    case OP_LIST_CREATE:
        return list_create(model, op);
    case OP_LIST_DESTROY:
    case OP_LIST_RESET:
        return list_end(model, op);
    case OP_LIST_CLOSE:
        return list_close(model, op);
    case OP_QUEUE_CREATE:
        return queue_create(model, op);
    case OP_QUEUE_DESTROY:
        return queue_destroy(model, op);
    case OP_EVENT_CREATE:
        return event_create(model, op);
    case OP_EVENT_DESTROY:
        return event_destroy(model, op, ops);
    case OP_EVENT_SIGNAL:
        return event_host_signal(model, op);
    case OP_EVENT_RESET:
        return event_host_reset(model, op);
    case OP_FENCE_CREATE:
        return fence_create(model, op);
    case OP_FENCE_DESTROY:
    case OP_FENCE_RESET:
        return fence_end(model, op);
    case OP_EXECUTE:
        return queue_mine(model, op) && apply_execute(model, op, ops);
    case OP_WAIT_EVENT:
        return event_ask(model, op);
    case OP_WAIT_FENCE:
        return fence_ask(model, op);
    case OP_WAIT_QUEUE:
        return queue_mine(model, op) && stream_ask(model, op, model->queues[op->queue].stream);
    case OP_WAIT_LIST:
        return list_ask(model, op);
    case OP_TIMESTAMPS:
        return event_timestamps(model, op, ops);
    case OP_CHECK:
    case OP_WRITE:
        return host_access(model, op);
    case OP_JOIN:
        return join(model);
    case OP_LISTS:
        return apply_lists(model, op, ops);
    default:
        return op_appends((enum op_kind)op->kind) && apply_append(model, op, ops);
    }
}

/* A lost device: what asks or gives work must say so once a wait told of it. */
static void op_lose(const struct model *model, struct op *op)
{
    bool asks =
        (op->kind >= OP_EXECUTE && op->kind <= OP_TIMESTAMPS) || op_appends((enum op_kind)op->kind);
    if (set_meets(&model->faults, &model->known[op->thread])) {
        op->allowed = asks ? OUTCOME_LOST : op->allowed | OUTCOME_LOST;
    } else if (model->fault_op != NONE) {
        op->allowed |= OUTCOME_LOST;
    }
}

bool model_apply(struct model *model, struct op *ops)
{
    struct op *op = &ops[model->index];
    op->allowed = OUTCOME_SUCCESS;
    op->node = NONE;
    if (op->thread >= model->threads || !op_apply(model, op, ops)) {
        return false;
    }
    op_lose(model, op);
    model->index++;
    return true;
}
