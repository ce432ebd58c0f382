/* The rules of commands: what is appended, and what becomes of it when it is submitted. See
 * rules_commands.h. */
#include "rules_commands.h"

#include <string.h>

enum parts { PART_WAITS = 1u << 0, PART_WORK = 1u << 1, PART_SIGNAL = 1u << 2, PART_ALL = 7u };

/* Where a command comes in its list. */
struct place {
    int stream;
    bool in_order;
    const struct set *floor; /* what all commands of the list come after */
    struct set *tail;        /* in-order: what the next one comes after */
    struct record *record;   /* of a regular list, else NULL */
    int list, number;
};

/* The event tells of this node from now on. */
static bool counter_bind(struct model *model, int node, const struct op *op,
                         const struct place *place)
{
    struct event *event = &model->events[op->signal];
    if (!(event->flags & EVENT_COUNTER)) {
        return true;
    }
    if (place->record) {
        if (event->bound_list != place->list || event->bound_record != place->number) {
            return true; /* somebody else has signalled it since it was recorded */
        }
    } else {
        event->bound_list = NONE;
    }
    event->bound = (int16_t)node;
    event->since = model->index;
    return place->in_order && event->used < model->joined;
}

static void barrier_raise(struct model *model, int node, int stream)
{
    struct set *barrier = &model->streams[stream].barrier;
    set_add_past(barrier, model, node);
}

static bool node_work(struct model *model, int node, const struct op *op)
{
    if (op->kind == OP_APPEND_RESET) {
        return event_reset(model, node, op->event);
    }
    if (op->kind == OP_FAULT) {
        model->nodes[node].fault = true;
        set_add(&model->faults, node);
        if (model->fault_op == NONE) {
            model->fault_op = model->index;
        }
        if (model->fault_ops[op->thread] == NONE) {
            model->fault_ops[op->thread] = model->index;
        }
    }
    return true;
}

/* One command, or a part of one, is submitted: its node, or NONE. */
static int command_submit(struct model *model, const struct op *op, int position,
                          const struct place *place, enum parts parts)
{
    struct stream *stream = &model->streams[place->stream];
    bool barrier = op->kind == OP_BARRIER;
    struct set earlier = stream->nodes;
    int number = node_new(model, position, op->thread, place->stream);
    if (number == NONE) {
        return NONE;
    }
    struct node *node = &model->nodes[number];
    set_unite(&node->before, &stream->barrier);
    set_unite(&node->before, place->floor);
    if (place->in_order) {
        set_unite(&node->before, place->tail);
    }
    if (barrier && op->wait_count == 0) {
        node_follow_all(model, number, &earlier);
    }
    node_close(model, number);
    for (int i = 0; parts & PART_WAITS && i < op->wait_count; i++) {
        if (!event_wait(model, number, op->waits[i], place->record, i)) {
            return NONE;
        }
    }
    if (parts & PART_WORK && !node_work(model, number, op)) {
        return NONE;
    }
    if (parts & PART_SIGNAL && op->signal != NONE &&
        (!event_signal(model, number, op->signal) || !counter_bind(model, number, op, place))) {
        return NONE;
    }
    if (parts & PART_WORK && !node_touch(model, number, op)) {
        return NONE;
    }
    if (barrier) {
        barrier_raise(model, number, place->stream);
    }
    if (place->in_order) {
        set_add_past(place->tail, model, number);
    }
    return number;
}

void stream_learn(struct model *model, int thread, int number)
{
    struct stream *stream = &model->streams[number];
    nodes_learn(model, thread, &stream->nodes);
    stream->synced = stream->nodes;
    for (int i = 0; i < FENCES_MAX; i++) {
        struct fence *fence = &model->fences[i];
        if (fence->live && fence->used && model->queues[fence->queue].stream == number) {
            fence->signalled = true;
        }
    }
}

/* ---- append ---- */

static bool kind_copies(enum op_kind kind)
{
    return kind != OP_LAUNCH && kind != OP_FAULT && kind != OP_HOST_FUNCTION;
}

static bool op_sound(const struct model *model, const struct op *op, const struct list *list)
{
    if (list->flags & LIST_COPY && !kind_copies((enum op_kind)op->kind)) {
        return false;
    }
    if (op->kind == OP_HOST_FUNCTION && (buffer_kind(op->destination) == BUFFER_DEVICE ||
                                         buffer_kind(op->source) == BUFFER_DEVICE)) {
        return false;
    }
    for (int i = 0; i < op->wait_count; i++) {
        if (op->waits[i] == op->signal || op->waits[i] == op->event ||
            (i > 0 && op->waits[i] == op->waits[0])) {
            return false;
        }
    }
    if (op->signal == NONE) {
        return true;
    }
    const struct event *event = &model->events[op->signal];
    return event->live && event->owner == op->thread && op->signal != op->event &&
           (!(event->flags & EVENT_COUNTER) ||
            (list->flags & LIST_IN_ORDER && op->kind != OP_APPEND_SIGNAL &&
             event->used < model->joined));
}

/* A counter-based event that a record waits for is the one of now. */
static bool record_wait(struct model *model, struct record *record, const struct op *op, int wait)
{
    struct event *event = &model->events[op->waits[wait]];
    record->counter_node[wait] = NONE;
    record->counter_list[wait] = NONE;
    if (!event_seen(model, event, op->thread)) {
        return false;
    }
    if (event->flags & EVENT_COUNTER) {
        record->counter_node[wait] = event->bound;
        record->counter_list[wait] = event->bound_list;
        record->counter_record[wait] = event->bound_record;
        if (event->owner != op->thread) {
            event->used = model->index;
        }
        return event->bound != NONE || event->bound_list == NONE;
    }
    return true;
}

static bool record_append(struct model *model, const struct op *op, struct list *list)
{
    if (list->closed || list->count == RECORDS_MAX) {
        return false;
    }
    struct record *record = &list->records[list->count];
    *record = (struct record){.op = model->index, .last = NONE};
    for (int i = 0; i < WAITS_MAX; i++) {
        record->counter_list[i] = NONE;
    }
    for (int i = 0; i < op->wait_count; i++) {
        if (!record_wait(model, record, op, i)) {
            return false;
        }
    }
    if (op->signal != NONE && model->events[op->signal].flags & EVENT_COUNTER) {
        struct event *event = &model->events[op->signal];
        event->bound = NONE;
        event->bound_list = op->list;
        event->bound_record = (int8_t)list->count;
        event->since = model->index;
    }
    if (op->kind == OP_APPEND_RESET && model->events[op->event].flags & EVENT_COUNTER) {
        return false;
    }
    list->count++;
    return true;
}

/* Who waits for a counter-based event of another thread looks at it while appending. */
static void waits_use(struct model *model, const struct op *op)
{
    for (int i = 0; i < op->wait_count; i++) {
        struct event *event = &model->events[op->waits[i]];
        if (event->flags & EVENT_COUNTER && event->owner != op->thread) {
            event->used = model->index;
        }
    }
}

bool apply_append(struct model *model, struct op *op, const struct op *ops)
{
    static const struct set nothing;
    struct list *list = &model->lists[op->list];
    (void)ops;
    if (!list->live || list->owner != op->thread || !op_sound(model, op, list) ||
        (op->kind == OP_APPEND_RESET && !model->events[op->event].live)) {
        return false;
    }
    if (!(list->flags & LIST_IMMEDIATE)) {
        return record_append(model, op, list);
    }
    struct place place = {.stream = list->stream,
                          .in_order = (list->flags & LIST_IN_ORDER) != 0,
                          .floor = &nothing,
                          .tail = &model->streams[list->stream].tail};
    waits_use(model, op);
    int node = command_submit(model, op, model->index, &place, PART_ALL);
    if (node == NONE) {
        return false;
    }
    op->node = (int16_t)node;
    if (list->flags & LIST_SYNCHRONOUS) {
        stream_learn(model, op->thread, list->stream);
        return node_will(model, node);
    }
    return true;
}

/* ---- executing ---- */

static bool list_fits(const struct model *model, const struct op *op, int number, uint8_t flags,
                      int stream)
{
    const struct list *list = &model->lists[number];
    return list->live && list->closed && list->owner == op->thread &&
           (list->flags & LIST_COPY) == (flags & LIST_COPY) &&
           (list->stream == NONE || list->stream == stream ||
            set_within(&list->nodes, &model->known[op->thread]));
}

/* Submits a closed list; `made` gets its nodes. */
static bool list_run(struct model *model, int number, int stream, const struct set *floor,
                     const struct op *ops, struct set *made)
{
    struct list *list = &model->lists[number];
    struct set tail = {{0}};
    list->stream = (int8_t)stream;
    for (int i = 0; i < list->count; i++) {
        struct record *record = &list->records[i];
        struct place place = {.stream = stream,
                              .in_order = (list->flags & LIST_IN_ORDER) != 0,
                              .floor = floor,
                              .tail = &tail,
                              .record = record,
                              .list = number,
                              .number = i};
        int node = command_submit(model, &ops[record->op], record->op, &place, PART_ALL);
        if (node == NONE) {
            return false;
        }
        record->last = (int16_t)node;
        set_add(&list->nodes, node);
        set_add(made, node);
    }
    list->runs++;
    return true;
}

static bool inner_run(struct model *model, struct op *op, uint8_t flags, int stream,
                      const struct set *floor, const struct op *ops, struct set *made)
{
    for (int i = 0; i < op->inner_count; i++) {
        bool twice = false;
        for (int j = 0; j < i; j++) {
            twice |= op->inner[j] == op->inner[i];
        }
        if (twice || !list_fits(model, op, op->inner[i], flags, stream) ||
            !list_run(model, op->inner[i], stream, floor, ops, made)) {
            return false;
        }
    }
    return true;
}

bool apply_execute(struct model *model, struct op *op, const struct op *ops)
{
    static const struct set nothing;
    const struct queue *queue = &model->queues[op->queue];
    struct set made = {{0}};
    if (!inner_run(model, op, queue->flags, queue->stream, &nothing, ops, &made)) {
        return false;
    }
    if (op->fence != NONE) {
        struct fence *fence = &model->fences[op->fence];
        if (!fence->live || fence->queue != op->queue || fence->used || fence->signalled) {
            return false;
        }
        fence->used = true;
        fence->nodes = model->streams[queue->stream].nodes;
    }
    if (queue->flags & LIST_SYNCHRONOUS) {
        stream_learn(model, op->thread, queue->stream);
        return nodes_will(model, &model->streams[queue->stream].nodes);
    }
    return true;
}

/* Waits, then the lists, then the signal: one command of the immediate list. */
bool apply_lists(struct model *model, struct op *op, const struct op *ops)
{
    struct list *list = &model->lists[op->list];
    if (!list->live || list->owner != op->thread || !(list->flags & LIST_IMMEDIATE) ||
        !op_sound(model, op, list)) {
        return false;
    }
    struct stream *stream = &model->streams[list->stream];
    bool in_order = (list->flags & LIST_IN_ORDER) != 0;
    struct set floor = {{0}}, made = {{0}};
    struct place place = {
        .stream = list->stream, .in_order = in_order, .floor = &floor, .tail = &stream->tail};
    waits_use(model, op);
    if (in_order) {
        floor = stream->tail;
    }
    if (op->wait_count > 0) {
        int head = command_submit(model, op, model->index, &place, PART_WAITS);
        if (head == NONE) {
            return false;
        }
        set_add_past(&floor, model, head);
    }
    if (!inner_run(model, op, list->flags, list->stream, &floor, ops, &made)) {
        return false;
    }
    SET_EACH(&made, node)
    {
        set_add_past(&floor, model, node);
    }
    if (in_order) {
        set_unite(&stream->tail, &floor);
    }
    if (op->signal != NONE &&
        command_submit(model, op, model->index, &place, PART_SIGNAL) == NONE) {
        return false;
    }
    if (list->flags & LIST_SYNCHRONOUS) {
        stream_learn(model, op->thread, list->stream);
        return nodes_will(model, &stream->nodes);
    }
    return true;
}
