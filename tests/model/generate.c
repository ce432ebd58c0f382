/* Random operations, tried against the model until one is legal. See generate.h. */
#include "generate.h"

#include "generator/random.h"
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#define TRIES     40
#define SPACE     40 /* operations left for what settles the program */
#define OPEN_MAX  6  /* waits for events not signalled yet */
#define LATER_OPS 20 /* after a fault */

/* What a program has much of. */
enum theme {
    THEME_ALL,
    THEME_AGAIN,   /* regular lists executed again, counter-based events */
    THEME_BLOCKED, /* waits for what only the host signals */
    THEME_TIMES,   /* timestamps of counter-based events that several lists signal */
    THEMES,
};

struct maker {
    struct gen_random random;
    struct model model, trial;
    struct program *program;
    enum theme theme;
    bool faults;   /* this program may have one */
    uint32_t kind; /* which of several kinds, for all tries of a step */
};

static uint32_t below(struct maker *maker, uint32_t bound)
{
    return gen_below(&maker->random, bound);
}

static bool chance(struct maker *maker, uint32_t percent)
{
    return gen_chance(&maker->random, percent);
}

/* ---- parts of operations ---- */

static int8_t pick_event(struct maker *maker, uint32_t thread, bool mine)
{
    for (int i = 0; i < 16; i++) {
        uint32_t number = below(maker, EVENTS_MAX);
        const struct event *event = &maker->model.events[number];
        if (event->live && (!mine || event->owner == thread)) {
            return (int8_t)number;
        }
    }
    return NONE;
}

static int8_t pick_list(struct maker *maker, uint32_t thread, uint8_t flags, uint8_t without)
{
    for (int i = 0; i < 16; i++) {
        uint32_t number = below(maker, LISTS_MAX);
        const struct list *list = &maker->model.lists[number];
        if (list->live && list->owner == thread && (list->flags & flags) == flags &&
            !(list->flags & without)) {
            return (int8_t)number;
        }
    }
    return NONE;
}

static int8_t pick_queue(struct maker *maker, uint32_t thread)
{
    for (int i = 0; i < 12; i++) {
        uint32_t number = below(maker, QUEUES_MAX);
        const struct queue *queue = &maker->model.queues[number];
        if (queue->live && queue->owner == thread) {
            return (int8_t)number;
        }
    }
    return NONE;
}

static int8_t pick_fence(struct maker *maker, uint32_t thread)
{
    for (int i = 0; i < 12; i++) {
        uint32_t number = below(maker, FENCES_MAX);
        if (maker->model.fences[number].live && maker->model.fences[number].owner == thread) {
            return (int8_t)number;
        }
    }
    return NONE;
}

static int open_waits(const struct model *model)
{
    int open = 0;
    for (int i = 0; i < model->node_count; i++) {
        for (int j = 0; j < THREADS_MAX; j++) {
            open += model->nodes[i].open[j];
        }
    }
    return open;
}

static bool event_opens(const struct event *event)
{
    return !(event->flags & EVENT_COUNTER) && set_empty(&event->signallers);
}

static void choose_waits(struct maker *maker, struct op *op)
{
    uint32_t wanted = chance(maker, 45) ? 1 + (uint32_t)chance(maker, 25) : 0;
    bool open = chance(maker, maker->theme >= THEME_BLOCKED ? 50 : 20) &&
                open_waits(&maker->model) < OPEN_MAX;
    for (int i = 0; i < 8 && op->wait_count < wanted; i++) {
        int8_t event = pick_event(maker, op->thread, open && op->wait_count == 0);
        if (event != NONE &&
            event_opens(&maker->model.events[event]) == (open && op->wait_count == 0)) {
            op->waits[op->wait_count++] = event;
        }
    }
}

/* Mostly an event that is not signalled yet. */
static void choose_signal(struct maker *maker, struct op *op, uint32_t percent)
{
    bool signal = chance(maker, percent);
    for (int i = 0; i < 5 && signal; i++) {
        op->signal = pick_event(maker, op->thread, true);
        signal = op->signal != NONE && !(maker->model.events[op->signal].flags & EVENT_COUNTER) &&
                 !event_opens(&maker->model.events[op->signal]);
    }
}

/* The buffer that whoever signals the event has written, so that data follows events. */
static int8_t buffer_waited(struct maker *maker, const struct op *op)
{
    const struct model *model = &maker->model;
    if (op->wait_count == 0) {
        return NONE;
    }
    const struct event *event = &model->events[op->waits[0]];
    int node = event->flags & EVENT_COUNTER ? event->bound : set_next(&event->signallers, 0);
    return node == NONE ? NONE : maker->program->ops[model->nodes[node].op].destination;
}

static void choose_buffers(struct maker *maker, struct op *op)
{
    op->destination = (int8_t)below(maker, BUFFERS_MAX);
    do {
        op->source = (int8_t)below(maker, BUFFERS_MAX);
    } while (op->source == op->destination);
    int8_t waited = buffer_waited(maker, op);
    if (waited != NONE && waited != op->destination && chance(maker, 70)) {
        op->source = waited;
    }
    op->multiply = 2 * below(maker, 8) + 3;
    op->add = below(maker, 100);
    op->spin = chance(maker, 30) ? below(maker, 400) : 0;
    op->size = BUFFER_WORDS;
    if (op->kind != OP_LAUNCH && op->kind != OP_HOST_FUNCTION && chance(maker, 50)) {
        op->size = (uint16_t)(REGION_PITCH * (1 + below(maker, BUFFER_WORDS / REGION_PITCH / 2)));
        op->place = (uint16_t)below(maker, BUFFER_WORDS - op->size);
        op->from = (uint16_t)below(maker, BUFFER_WORDS - op->size);
    }
}

/* ---- operations ---- */

static struct op make_create(struct maker *maker, uint32_t thread)
{
    static const enum op_kind kinds[] = {OP_LIST_CREATE,  OP_LIST_CREATE,  OP_QUEUE_CREATE,
                                         OP_EVENT_CREATE, OP_EVENT_CREATE, OP_FENCE_CREATE};
    struct op op = op_new(kinds[maker->kind % 6], thread);
    if (op.kind == OP_LIST_CREATE) {
        op.list = (int8_t)below(maker, LISTS_MAX);
        static const uint32_t immediate[THEMES] = {50, 25, 50, 80};
        static const uint32_t in_order[THEMES] = {50, 80, 50, 90};
        op.flags = chance(maker, immediate[maker->theme]) ? LIST_IMMEDIATE : 0;
        op.flags |= chance(maker, in_order[maker->theme]) ? LIST_IN_ORDER : 0;
        op.flags |= chance(maker, 15) ? LIST_COPY : 0;
        op.flags |= op.flags & LIST_IMMEDIATE && chance(maker, 15) ? LIST_SYNCHRONOUS : 0;
    } else if (op.kind == OP_QUEUE_CREATE) {
        op.queue = (int8_t)below(maker, QUEUES_MAX);
        op.flags = chance(maker, 15) ? LIST_SYNCHRONOUS : 0;
        op.flags |= chance(maker, 15) ? LIST_COPY : 0;
    } else if (op.kind == OP_EVENT_CREATE) {
        op.event = (int8_t)below(maker, EVENTS_MAX);
        static const uint32_t counter[THEMES] = {30, 60, 30, 60};
        op.flags = chance(maker, counter[maker->theme]) ? EVENT_COUNTER : 0;
        op.flags |= chance(maker, maker->theme == THEME_TIMES ? 90 : 40) ? EVENT_TIMESTAMPS : 0;
        op.flags |= op.flags & EVENT_COUNTER && chance(maker, 30) ? EVENT_POOL : 0;
    } else {
        op.queue = pick_queue(maker, thread);
        op.fence = (int8_t)below(maker, FENCES_MAX);
        op.flags = chance(maker, 15) ? FENCE_SIGNALLED : 0;
    }
    return op;
}

static struct op make_end(struct maker *maker, uint32_t thread)
{
    static const enum op_kind kinds[] = {OP_LIST_DESTROY,  OP_LIST_RESET,   OP_LIST_RESET,
                                         OP_QUEUE_DESTROY, OP_EVENT_RESET,  OP_EVENT_RESET,
                                         OP_EVENT_RESET,   OP_FENCE_RESET,  OP_FENCE_RESET,
                                         OP_FENCE_DESTROY, OP_EVENT_DESTROY};
    struct op op = op_new(kinds[maker->kind % 11], thread);
    if (op.kind == OP_LIST_DESTROY || op.kind == OP_LIST_RESET) {
        op.list = pick_list(maker, thread, 0, 0);
    } else if (op.kind == OP_QUEUE_DESTROY) {
        op.queue = pick_queue(maker, thread);
    } else if (op.kind == OP_EVENT_RESET || op.kind == OP_EVENT_DESTROY) {
        op.event = pick_event(maker, thread, true);
    } else {
        op.fence = pick_fence(maker, thread);
    }
    return op;
}

static struct op make_append(struct maker *maker, uint32_t thread)
{
    static const enum op_kind kinds[] = {
        OP_LAUNCH, OP_LAUNCH, OP_LAUNCH,      OP_LAUNCH,        OP_HOST_FUNCTION, OP_HOST_FUNCTION,
        OP_COPY,   OP_COPY,   OP_REGION,      OP_FILL,          OP_BARRIER,       OP_BARRIER,
        OP_STAMP,  OP_STAMP,  OP_APPEND_WAIT, OP_APPEND_SIGNAL, OP_APPEND_RESET,  OP_BARRIER};
    struct op op = op_new(kinds[maker->kind % 18], thread);
    if ((maker->theme == THEME_AGAIN || maker->theme == THEME_TIMES) &&
        chance(maker, 50)) { /* what touches no buffers fits more */
        op.kind = chance(maker, 50) ? OP_BARRIER : OP_STAMP;
    }
    if (maker->faults && maker->model.fault_op == NONE && chance(maker, 8)) {
        op.kind = OP_FAULT;
    }
    op.list = pick_list(maker, thread, 0, 0);
    choose_waits(maker, &op);
    choose_signal(maker, &op, 55);
    switch ((enum op_kind)op.kind) {
    case OP_LAUNCH:
    case OP_HOST_FUNCTION:
    case OP_COPY:
    case OP_REGION:
    case OP_FILL:
        choose_buffers(maker, &op);
        if (op.kind == OP_FILL) {
            op.source = NONE;
        }
        break;
    case OP_APPEND_WAIT:
        op.signal = NONE;
        break;
    case OP_APPEND_SIGNAL:
        op.wait_count = 0;
        op.signal = pick_event(maker, thread, true);
        break;
    case OP_APPEND_RESET:
        op.wait_count = 0;
        op.signal = NONE;
        op.event = pick_event(maker, thread, true);
        break;
    default:
        break;
    }
    return op;
}

static struct op make_lists(struct maker *maker, uint32_t thread)
{
    struct op op = op_new(chance(maker, 80) ? OP_EXECUTE : OP_LISTS, thread);
    uint32_t wanted = 1 + (chance(maker, 40) ? below(maker, INNER_MAX) : 0);
    if (op.kind == OP_EXECUTE) {
        op.queue = pick_queue(maker, thread);
        op.fence = chance(maker, 50) ? pick_fence(maker, thread) : NONE;
    } else {
        op.list = pick_list(maker, thread, LIST_IMMEDIATE, 0);
        choose_waits(maker, &op);
        choose_signal(maker, &op, 50);
    }
    while (op.inner_count < wanted) {
        int8_t list = pick_list(maker, thread, 0, LIST_IMMEDIATE);
        if (list == NONE || !maker->model.lists[list].closed) {
            break;
        }
        op.inner[op.inner_count++] = list;
    }
    return op;
}

static struct op make_wait(struct maker *maker, uint32_t thread)
{
    static const enum op_kind kinds[] = {OP_WAIT_EVENT, OP_WAIT_EVENT, OP_WAIT_EVENT,
                                         OP_WAIT_FENCE, OP_WAIT_QUEUE, OP_WAIT_LIST,
                                         OP_TIMESTAMPS, OP_TIMESTAMPS};
    struct op op = op_new(kinds[maker->kind % 8], thread);
    op.how = (uint8_t)below(maker, WAIT_HOWS);
    switch ((enum op_kind)op.kind) {
    case OP_WAIT_EVENT:
        op.event = pick_event(maker, thread, false);
        break;
    case OP_TIMESTAMPS:
        op.how = 0;
        op.event = pick_event(maker, thread, true);
        break;
    case OP_WAIT_FENCE:
        op.fence = pick_fence(maker, thread);
        break;
    case OP_WAIT_QUEUE:
        op.queue = pick_queue(maker, thread);
        break;
    default:
        op.list = pick_list(maker, thread, LIST_IMMEDIATE, 0);
        break;
    }
    return op;
}

static struct op make_host(struct maker *maker, uint32_t thread)
{
    static const enum op_kind kinds[] = {OP_CHECK, OP_CHECK, OP_WRITE, OP_JOIN, OP_JOIN};
    struct op op = op_new(kinds[maker->kind % 5], thread);
    if (op.kind == OP_JOIN) {
        op.thread = 0;
    } else if (op.kind == OP_CHECK) {
        op.source = (int8_t)below(maker, BUFFERS_MAX);
    } else {
        op.destination = (int8_t)below(maker, BUFFERS_MAX);
        op.add = below(maker, 1000);
    }
    return op;
}

/* What is missing is left to legality; objects that are none are not. */
static bool op_whole(const struct op *op)
{
    bool list =
        op->kind <= OP_LIST_RESET || op->kind == OP_WAIT_LIST || op_appends((enum op_kind)op->kind);
    bool queue = op->kind == OP_QUEUE_CREATE || op->kind == OP_QUEUE_DESTROY ||
                 op->kind == OP_FENCE_CREATE || op->kind == OP_EXECUTE || op->kind == OP_WAIT_QUEUE;
    bool event = (op->kind >= OP_EVENT_CREATE && op->kind <= OP_EVENT_RESET) ||
                 op->kind == OP_WAIT_EVENT || op->kind == OP_TIMESTAMPS ||
                 op->kind == OP_APPEND_RESET;
    bool fence =
        (op->kind >= OP_FENCE_CREATE && op->kind <= OP_FENCE_RESET) || op->kind == OP_WAIT_FENCE;
    bool lists = op->kind == OP_EXECUTE || op->kind == OP_LISTS;
    return !(list && op->list == NONE) && !(queue && op->queue == NONE) &&
           !(event && op->event == NONE) && !(fence && op->fence == NONE) &&
           !(lists && op->inner_count == 0) &&
           !(op->kind == OP_APPEND_WAIT && op->wait_count == 0) &&
           !(op->kind == OP_APPEND_SIGNAL && op->signal == NONE);
}

/* ---- programs ---- */

static bool op_try(struct maker *maker, struct op op)
{
    struct program *program = maker->program;
    if (!op_whole(&op)) {
        return false;
    }
    op.index = (uint16_t)program->count;
    program->ops[program->count] = op;
    model_copy(&maker->trial, &maker->model);
    if (!model_apply(&maker->trial, program->ops)) {
        return false;
    }
    model_copy(&maker->model, &maker->trial);
    program->count++;
    return true;
}

/* A host signal, mostly where somebody waits for one, or the close of a list that has records. */
static struct op make_release(struct maker *maker, uint32_t thread)
{
    struct op op = op_new(OP_EVENT_SIGNAL, thread);
    if (maker->kind % 2) {
        op.event = pick_event(maker, thread, true);
        if (op.event != NONE && set_empty(&maker->model.events[op.event].waiters) &&
            chance(maker, maker->theme >= THEME_BLOCKED ? 50 : 90)) {
            op.event = NONE;
        }
        return op;
    }
    op = op_new(OP_LIST_CLOSE, thread);
    op.list = pick_list(maker, thread, 0, LIST_IMMEDIATE);
    if (op.list != NONE && maker->model.lists[op.list].count == 0) {
        op.list = NONE;
    }
    return op;
}

/* After a wait for an event often its timestamps: asked for again later, they are the same. */
static void timestamps_ask(struct maker *maker, struct op wait)
{
    if (wait.kind == OP_WAIT_EVENT && chance(maker, 60)) {
        struct op op = op_new(OP_TIMESTAMPS, wait.thread);
        op.event = wait.event;
        (void)op_try(maker, op);
    }
}

static int8_t pick_event_of(struct maker *maker, uint32_t thread, bool opens)
{
    for (int i = 0; i < 8; i++) {
        int8_t event = pick_event(maker, thread, true);
        if (event != NONE && event_opens(&maker->model.events[event]) == opens) {
            return event;
        }
    }
    return NONE;
}

static void overtaken_end(struct maker *maker, struct op blocked)
{
    struct op op = op_new(OP_EVENT_SIGNAL, blocked.thread);
    op.event = blocked.waits[0];
    (void)op_try(maker, op);
    op = op_new(OP_WAIT_LIST, blocked.thread);
    op.list = blocked.list;
    (void)op_try(maker, op);
    op = op_new(OP_TIMESTAMPS, blocked.thread);
    op.event = blocked.signal;
    (void)op_try(maker, op);
}

/* Two lists signal the same event, the first one, blocked, after the second. */
static void overtake(struct maker *maker)
{
    uint32_t thread = below(maker, maker->program->threads);
    struct op blocked = op_new(chance(maker, 50) ? OP_STAMP : OP_BARRIER, thread);
    blocked.signal = pick_event_of(maker, thread, false);
    blocked.waits[0] = pick_event_of(maker, thread, true);
    blocked.wait_count = 1;
    blocked.list = pick_list(maker, thread, LIST_IMMEDIATE, 0);
    if (blocked.signal == NONE || blocked.waits[0] == NONE || !op_try(maker, blocked)) {
        return;
    }
    struct op op = blocked, wait = op_new(OP_WAIT_EVENT, thread);
    op.wait_count = 0;
    op.list = pick_list(maker, thread, LIST_IMMEDIATE, 0);
    wait.how = (uint8_t)below(maker, WAIT_ONCE);
    wait.event = op.signal;
    if (op_try(maker, op) && op_try(maker, wait)) {
        timestamps_ask(maker, wait);
        if (chance(maker, 60)) {
            overtaken_end(maker, blocked);
        }
    }
}

static void step(struct maker *maker)
{
    uint32_t choice = below(maker, 100);
    if (maker->theme == THEME_TIMES && chance(maker, 8)) {
        overtake(maker);
        return;
    }
    maker->kind = below(maker, 1u << 16);
    for (int i = 0; i < TRIES; i++) {
        uint32_t thread = below(maker, maker->program->threads);
        struct op op = choice < 4    ? make_create(maker, thread)
                       : choice < 14 ? make_end(maker, thread)
                       : choice < 56 ? make_append(maker, thread)
                       : choice < 72 ? make_lists(maker, thread)
                       : choice < 88 ? make_wait(maker, thread)
                       : choice < 91 ? make_host(maker, thread)
                                     : make_release(maker, thread);
        if (op_try(maker, op)) {
            timestamps_ask(maker, op);
            return;
        }
    }
}

static void begin(struct maker *maker)
{
    uint32_t threads = maker->program->threads;
    uint32_t objects = 7 + below(maker, 6) + 4 * threads;
    for (uint32_t i = 0; i < objects; i++) {
        maker->kind = below(maker, 1u << 16);
        (void)op_try(maker, make_create(maker, i % threads));
    }
    (void)op_try(maker, op_new(OP_JOIN, 0));
}

void program_generate(struct program *program, uint64_t seed, bool faults)
{
    struct maker *maker = calloc(1, sizeof(*maker));
    if (!maker) {
        abort();
    }
    maker->random.state = seed * 0x9E3779B97F4A7C15u + 1;
    uint32_t threads = below(maker, 100);
    memset(program, 0, sizeof(*program));
    program->seed = seed;
    program->threads = threads < 60 ? 1 : threads < 85 ? 2 : 3;
    maker->program = program;
    maker->theme = (enum theme)below(maker, THEMES);
    maker->faults = chance(maker, 15) && faults;
    model_init(&maker->model, program->threads);
    begin(maker);
    uint32_t wanted = 20 + below(maker, 100);
    for (uint32_t i = 0; i < wanted && program->count < OPS_MAX - SPACE; i++) {
        bool lost = maker->model.fault_op != NONE;
        if (lost && program->count > (uint32_t)maker->model.fault_op + LATER_OPS) {
            break;
        }
        step(maker);
    }
    free(maker);
}
