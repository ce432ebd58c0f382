/* The graph of what happens. See state.h. */
#include "state.h"

#include <string.h>

void model_init(struct model *model, uint32_t threads)
{
    memset(model, 0, sizeof(*model));
    model->threads = threads;
    model->joined = -1;
    model->fault_op = NONE;
    for (int i = 0; i < THREADS_MAX; i++) {
        model->fault_ops[i] = NONE;
    }
    for (int i = 0; i < LISTS_MAX; i++) {
        model->lists[i].ended = NEVER;
    }
    for (int i = 0; i < QUEUES_MAX; i++) {
        model->queues[i].ended = NEVER;
    }
    for (int i = 0; i < EVENTS_MAX; i++) {
        model->events[i].ended = NEVER;
    }
    for (int i = 0; i < FENCES_MAX; i++) {
        model->fences[i].ended = NEVER;
    }
}

void model_copy(struct model *to, const struct model *from)
{
    memcpy(to, from, offsetof(struct model, nodes) + from->node_count * sizeof(struct node));
}

/* ---- nodes ---- */

int node_new(struct model *model, int op, int thread, int stream)
{
    if (model->node_count == NODES_MAX) {
        return NONE;
    }
    int number = model->node_count++;
    struct node *node = &model->nodes[number];
    memset(node, 0, sizeof(*node));
    node->op = (int16_t)op;
    node->thread = (int8_t)thread;
    node->stream = (int8_t)stream;
    node->before = node->strong = model->known[thread];
    if (stream != NONE) {
        SET_EACH(&model->streams[stream].nodes, earlier)
        {
            node_stall(model, number, earlier);
        }
        set_add(&model->streams[stream].nodes, number);
    }
    return number;
}

void set_add_past(struct set *set, const struct model *model, int node)
{
    set_unite(set, &model->nodes[node].before);
    set_add(set, node);
}

void node_stall(struct model *model, int node, int earlier)
{
    set_unite(&model->nodes[node].strong, &model->nodes[earlier].strong);
    set_add(&model->nodes[node].strong, earlier);
}

void node_follow(struct model *model, int node, int earlier)
{
    set_add_past(&model->nodes[node].before, model, earlier);
    node_stall(model, node, earlier);
}

void node_follow_all(struct model *model, int node, const struct set *earlier)
{
    SET_EACH(earlier, each)
    {
        node_follow(model, node, each);
    }
}

void node_close(struct model *model, int node)
{
    struct set earlier = model->nodes[node].before;
    node_follow_all(model, node, &earlier);
}

bool node_release(struct model *model, int node, int waiter, int owner)
{
    const struct node *signaller = &model->nodes[node];
    if (waiter == node || set_has(&signaller->strong, waiter)) {
        return false;
    }
    model->nodes[waiter].open[owner]--;
    for (int i = 0; i < model->node_count; i++) {
        struct node *later = &model->nodes[i];
        if (i == waiter || set_has(&later->before, waiter)) {
            set_add_past(&later->before, model, node);
        }
        if (i == waiter || set_has(&later->strong, waiter)) {
            set_unite(&later->strong, &signaller->strong);
            set_add(&later->strong, node);
        }
    }
    return true;
}

/* Whether all of `others` are before the node, or after it. */
static bool nodes_ordered(const struct model *model, const struct set *others, int node)
{
    SET_EACH(others, other)
    {
        if (other != node && !set_has(&model->nodes[node].before, other) &&
            !set_has(&model->nodes[other].before, node)) {
            return false;
        }
    }
    return true;
}

static bool op_reads_destination(const struct op *op)
{
    return op->kind == OP_LAUNCH || op->kind == OP_HOST_FUNCTION;
}

bool node_touch(struct model *model, int node, const struct op *op)
{
    if (op->source != NONE) {
        struct buffer *source = &model->buffers[op->source];
        if (!nodes_ordered(model, &source->writers, node)) {
            return false;
        }
        set_add(&source->readers, node);
    }
    if (op->destination != NONE) {
        struct buffer *destination = &model->buffers[op->destination];
        if (!nodes_ordered(model, &destination->writers, node) ||
            !nodes_ordered(model, &destination->readers, node)) {
            return false;
        }
        set_add(&destination->writers, node);
        if (op_reads_destination(op)) {
            set_add(&destination->readers, node);
        }
    }
    return true;
}

/* ---- what has run ---- */

static bool node_open(const struct node *node)
{
    int open = 0;
    for (int i = 0; i < THREADS_MAX; i++) {
        open += node->open[i];
    }
    return open != 0;
}

bool node_will(const struct model *model, int node)
{
    if (node_open(&model->nodes[node])) {
        return false;
    }
    SET_EACH(&model->nodes[node].strong, earlier)
    {
        if (node_open(&model->nodes[earlier])) {
            return false;
        }
    }
    return true;
}

bool nodes_will(const struct model *model, const struct set *nodes)
{
    SET_EACH(nodes, node)
    {
        if (!node_will(model, node)) {
            return false;
        }
    }
    return true;
}

bool node_may(const struct model *model, int node, int thread)
{
    if (model->nodes[node].open[thread]) {
        return false;
    }
    SET_EACH(&model->nodes[node].before, earlier)
    {
        if (model->nodes[earlier].open[thread]) {
            return false;
        }
    }
    return true;
}

bool nodes_may(const struct model *model, const struct set *nodes, int thread)
{
    SET_EACH(nodes, node)
    {
        if (!node_may(model, node, thread)) {
            return false;
        }
    }
    return true;
}

void node_learn(struct model *model, int thread, int node)
{
    set_add_past(&model->known[thread], model, node);
}

void nodes_learn(struct model *model, int thread, const struct set *nodes)
{
    SET_EACH(nodes, node)
    {
        node_learn(model, thread, node);
    }
}

/* ---- events ---- */

bool event_seen(const struct model *model, const struct event *event, int thread)
{
    return event->live && (event->owner == thread || event->since < model->joined);
}

static bool counter_wait(struct model *model, int node, const struct event *event,
                         const struct record *record, int wait)
{
    if (!record) {
        if (event->bound != NONE) {
            node_follow(model, node, event->bound);
        }
        return event->bound != NONE || event->bound_list == NONE;
    }
    if (record->counter_node[wait] != NONE) {
        node_follow(model, node, record->counter_node[wait]);
    }
    int list = record->counter_list[wait];
    if (list != NONE) { /* the list may have been executed again since */
        int last = model->lists[list].records[record->counter_record[wait]].last;
        if (last != NONE && model->lists[list].count > record->counter_record[wait]) {
            if (set_has(&model->nodes[last].strong, node)) {
                return false;
            }
            node_stall(model, node, last);
        }
    }
    return true;
}

static bool regular_wait(struct model *model, int node, struct event *event)
{
    struct node *waiter = &model->nodes[node];
    if (event->reset != NONE && !set_has(&waiter->before, event->reset)) {
        return false;
    }
    set_add(&event->waiters, node);
    if (set_empty(&event->signallers)) {
        waiter->open[event->owner]++;
        return waiter->thread == event->owner &&
               (event->reset == NONE || set_has(&model->known[event->owner], event->reset));
    }
    bool by_host = false;
    SET_EACH(&event->signallers, signaller)
    {
        by_host |= model->nodes[signaller].stream == NONE;
    }
    int first = set_next(&event->signallers, 0);
    if (set_count(&event->signallers) == 1) {
        node_follow(model, node, first);
        return true;
    }
    node_follow_all(model, node, &event->past);
    SET_EACH(&event->signallers, signaller)
    {
        if (!by_host) {
            node_stall(model, node, signaller);
        }
    }
    return true;
}

bool event_wait(struct model *model, int node, int number, const struct record *record, int wait)
{
    struct event *event = &model->events[number];
    int thread = model->nodes[node].thread;
    if (!event_seen(model, event, thread)) {
        return false;
    }
    return event->flags & EVENT_COUNTER ? counter_wait(model, node, event, record, wait)
                                        : regular_wait(model, node, event);
}

/* Waits for the first of several: what is before all of them. */
static bool signal_again(struct model *model, int node, struct event *event)
{
    struct set past = {{0}}, mine = {{0}};
    int first = set_next(&event->signallers, 0);
    if (set_count(&event->signallers) == 1) {
        set_add_past(&past, model, first);
    } else {
        past = event->past;
    }
    set_add_past(&mine, model, node);
    bool ordered = set_within(&past, &mine);
    if (event->flags & EVENT_TIMESTAMPS && !set_within(&event->signallers, &mine)) {
        return false; /* two commands would write them at once */
    }
    if (!ordered && (!set_within(&event->waiters, &model->known[event->owner]) ||
                     event->used >= model->joined)) {
        return false;
    }
    set_intersect(&past, &mine);
    event->past = past;
    return true;
}

static bool regular_signal(struct model *model, int node, struct event *event)
{
    const struct node *signaller = &model->nodes[node];
    if (event->reset != NONE && !set_has(&signaller->before, event->reset)) {
        return false;
    }
    if (!set_empty(&event->signallers)) {
        if (!signal_again(model, node, event)) {
            return false;
        }
    } else {
        SET_EACH(&event->waiters, waiter)
        {
            if (!node_release(model, node, waiter, event->owner)) {
                return false;
            }
        }
    }
    set_add(&event->signallers, node);
    return true;
}

bool event_signal(struct model *model, int node, int number)
{
    struct event *event = &model->events[number];
    if (!event->live || event->owner != model->nodes[node].thread) {
        return false;
    }
    return event->flags & EVENT_COUNTER ? true : regular_signal(model, node, event);
}

bool event_idle(const struct model *model, const struct event *event, const struct set *known)
{
    return event->used < model->joined && set_within(&event->signallers, known) &&
           set_within(&event->waiters, known) &&
           (event->reset == NONE || set_has(known, event->reset));
}

bool event_reset(struct model *model, int node, int number)
{
    struct event *event = &model->events[number];
    if (!event->live || event->flags & EVENT_COUNTER || event->owner != model->nodes[node].thread ||
        !event_idle(model, event, &model->nodes[node].before) ||
        (set_empty(&event->signallers) && !set_empty(&event->waiters))) {
        return false;
    }
    memset(&event->signallers, 0, sizeof(event->signallers));
    memset(&event->waiters, 0, sizeof(event->waiters));
    event->reset = (int16_t)node;
    return true;
}
