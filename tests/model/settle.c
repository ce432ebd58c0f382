/* Programs made legal, and brought to an end. See rules.h. */
#include "rules.h"

#include <stdlib.h>

static bool settle_try(struct program *program, struct model *model, struct model *trial,
                       struct op op)
{
    if (program->count == OPS_MAX) {
        return false;
    }
    program->ops[program->count] = op;
    model_copy(trial, model);
    if (!model_apply(trial, program->ops)) {
        return false;
    }
    model_copy(model, trial);
    program->count++;
    return true;
}

static struct op last_op(enum op_kind kind, int thread)
{
    struct op op = op_new(kind, (uint32_t)thread);
    op.how = WAIT_FOREVER;
    op.index = UINT16_MAX;
    return op;
}

/* Whatever waits is released. */
static void settle_events(struct program *program, struct model *model, struct model *trial)
{
    for (int i = 0; i < EVENTS_MAX; i++) {
        const struct event *event = &model->events[i];
        if (event->live && !(event->flags & EVENT_COUNTER) && set_empty(&event->signallers) &&
            !set_empty(&event->waiters)) {
            struct op op = last_op(OP_EVENT_SIGNAL, event->owner);
            op.event = (int8_t)i;
            (void)settle_try(program, model, trial, op);
        }
    }
}

static void settle_streams(struct program *program, struct model *model, struct model *trial)
{
    for (int i = 0; i < LISTS_MAX; i++) {
        struct op op = last_op(OP_WAIT_LIST, model->lists[i].owner);
        op.list = (int8_t)i;
        (void)settle_try(program, model, trial, op);
    }
    for (int i = 0; i < QUEUES_MAX; i++) {
        struct op op = last_op(OP_WAIT_QUEUE, model->queues[i].owner);
        op.queue = (int8_t)i;
        (void)settle_try(program, model, trial, op);
    }
}

/* Threads that have not met one that loses the device may see it before it does, in this order. */
static void settle_lost(struct program *program, const struct model *model)
{
    for (uint8_t thread = 0; thread < THREADS_MAX; thread++) {
        int fault = model->fault_ops[thread];
        for (int i = fault - 1; i >= 0 && program->ops[i].kind != OP_JOIN; i--) {
            if (program->ops[i].thread != thread) {
                program->ops[i].allowed |= OUTCOME_LOST;
            }
        }
    }
}

/* Everything has been waited for, or the model is wrong. */
static void settle_check(const struct program *program, const struct model *model)
{
    for (int i = 0; i < model->node_count && program->count < OPS_MAX; i++) {
        if (!set_has(&model->known[0], i)) {
            fprintf(stderr, "seed %llu: the model lets operation %d wait for ever\n",
                    (unsigned long long)program->seed, model->nodes[i].op);
            abort();
        }
    }
}

/* Everything is done: what is left to be looked at. */
static void settle_looks(struct program *program, struct model *model, struct model *trial)
{
    for (int i = 0; i < EVENTS_MAX; i++) {
        struct op op = last_op(OP_TIMESTAMPS, model->events[i].owner);
        op.event = (int8_t)i;
        (void)settle_try(program, model, trial, op);
    }
    (void)settle_try(program, model, trial, last_op(OP_JOIN, 0));
    for (int i = 0; i < BUFFERS_MAX; i++) {
        struct op op = last_op(OP_CHECK, 0);
        op.source = (int8_t)i;
        (void)settle_try(program, model, trial, op);
    }
}

void program_settle(struct program *program, struct model *model)
{
    struct model *trial = malloc(sizeof(*trial));
    if (!trial) {
        abort();
    }
    uint32_t count = program->count;
    program->count = 0;
    model_init(model, program->threads);
    for (uint32_t i = 0; i < count; i++) {
        (void)settle_try(program, model, trial, program->ops[i]);
    }
    (void)settle_try(program, model, trial, last_op(OP_JOIN, 0));
    settle_events(program, model, trial);
    (void)settle_try(program, model, trial, last_op(OP_JOIN, 0));
    settle_streams(program, model, trial);
    (void)settle_try(program, model, trial, last_op(OP_JOIN, 0));
    settle_looks(program, model, trial);
    settle_lost(program, model);
    settle_check(program, model);
    free(trial);
}
