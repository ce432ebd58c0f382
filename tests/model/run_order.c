/* Of running programs: what only the end tells. See run_internal.h. */
#include "run_internal.h"

/* The only node of an operation, or NONE. */
static void nodes_find(const struct run *run, int16_t *only, uint32_t *counts)
{
    for (uint32_t i = 0; i < OPS_MAX; i++) {
        only[i] = NONE;
        counts[i] = 0;
    }
    for (int i = 0; i < run->model->node_count; i++) {
        int16_t op = run->model->nodes[i].op;
        only[op] = counts[op]++ == 0 ? (int16_t)i : NONE;
    }
}

/* Two moments of the same clock, `earlier` promised to be before. */
static void order_judge(struct run *run, uint32_t op, const char *what, uint64_t earlier,
                        uint64_t later, uint32_t earlier_op)
{
    if (earlier > later) {
        run_fail(run, op, "%s: %llu, and %llu at operation %u, which is before it", what,
                 (unsigned long long)later, (unsigned long long)earlier, earlier_op);
    }
}

static void pair_judge(struct run *run, uint32_t earlier, uint32_t later, bool promised,
                       int earlier_node, int later_node)
{
    const struct op *ops = run->program->ops;
    if (!promised) {
        return;
    }
    if (ops[earlier].kind == OP_HOST_FUNCTION && ops[later].kind == OP_HOST_FUNCTION) {
        order_judge(run, later, "host function", run->calls[earlier].order + 1,
                    run->calls[later].order, earlier);
    }
    if (ops[earlier].kind == OP_STAMP && ops[later].kind == OP_STAMP) {
        order_judge(run, later, "global timestamp", run->stamps[earlier], run->stamps[later],
                    earlier);
    }
    if (run->timed[earlier_node] && run->timed[later_node]) {
        order_judge(run, later, "start", run->times[earlier_node].global.kernelEnd,
                    run->times[later_node].global.kernelStart, earlier);
    }
}

static void counts_judge(struct run *run, const uint32_t *counts)
{
    for (uint32_t i = 0; i < run->program->count; i++) {
        const struct op *op = &run->program->ops[i];
        if (op->kind == OP_HOST_FUNCTION && atomic_load(&run->calls[i].count) != counts[i]) {
            run_fail(run, i, "the host function ran %u times instead of %u",
                     atomic_load(&run->calls[i].count), counts[i]);
        }
        if (op->kind == OP_STAMP && (run->stamps[i] != 0) != (counts[i] != 0)) {
            run_fail(run, i, "a timestamp of %llu after %u executions",
                     (unsigned long long)run->stamps[i], counts[i]);
        }
    }
}

void run_judge_order(struct run *run)
{
    int16_t only[OPS_MAX];
    uint32_t counts[OPS_MAX];
    nodes_find(run, only, counts);
    counts_judge(run, counts);
    for (uint32_t i = 0; i < run->program->count; i++) {
        for (uint32_t j = 0; only[i] != NONE && j < run->program->count; j++) {
            if (only[j] != NONE) {
                pair_judge(run, i, j, set_has(&run->model->nodes[only[j]].before, only[i]), only[i],
                           only[j]);
            }
        }
    }
}
