/* Items of a group in turn, each on a stack of its own, between barriers and operations of their
 * sub-groups; groups one after the other. See evaluate_internal.h. */
#include "evaluate_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK_BYTES = 512 << 10 };

bool gen_run_fail(struct run *run, const char *reason)
{
    if (!run->failed) {
        snprintf(run->text, run->text_bytes, "%s", reason);
        run->failed = true;
    }
    return false;
}

/* ---- items ---- */

bool gen_item_wait(struct item *item, enum item_state state, const struct gen_stmt *stmt)
{
    item->state = state;
    item->stmt = stmt;
    if (item->run->coroutines) {
        swapcontext(&item->context, &item->run->scheduler);
    }
    return !item->run->failed;
}

static void item_start(unsigned low, unsigned high)
{
    struct item *item = (struct item *)(uintptr_t)((uint64_t)high << 32 | low);
    gen_item_run(item);
    /* The context's link leads back to the scheduler. */
}

static void item_prepare(struct item *item, uint8_t *stack)
{
    getcontext(&item->context);
    item->context.uc_stack.ss_sp = stack;
    item->context.uc_stack.ss_size = STACK_BYTES;
    item->context.uc_link = &item->run->scheduler;
    uint64_t address = (uint64_t)(uintptr_t)item;
    makecontext(&item->context, (void (*)(void))item_start, 2, (unsigned)address,
                (unsigned)(address >> 32));
}

/* ---- groups ---- */

/* Every item that may go on, up to where it waits next. */
static bool items_run(struct run *run, uint32_t count, enum gen_order order)
{
    for (uint32_t i = 0; i < count; i++) {
        struct item *item = &run->items[order == GEN_FORWARD ? i : count - 1 - i];
        if (item->state == ITEM_READY) {
            swapcontext(&run->scheduler, &item->context);
        }
        if (run->failed) {
            return false;
        }
    }
    return true;
}

/* The first item that is not at its end, or the first. In programs where items return before
 * barriers, those that have do not count. */
static const struct item *first_waiting(const struct run *run, uint32_t count)
{
    for (uint32_t i = 0; run->program->returns && i < count; i++) {
        if (run->items[i].state != ITEM_DONE) {
            return &run->items[i];
        }
    }
    return &run->items[0];
}

/* Every item up to its next barrier (or its end); all must come to the same one. */
static bool group_step(struct run *run, uint32_t count, enum gen_order order, bool *done)
{
    do {
        if (!items_run(run, count, order)) {
            return false;
        }
    } while (gen_subgroups_advance(run));
    const struct item *first = first_waiting(run, count);
    for (uint32_t i = 0; i < count && !run->failed; i++) {
        const struct item *item = &run->items[i];
        bool returned = run->program->returns && item->state == ITEM_DONE;
        if (!returned && (item->state != first->state || gen_path_compare(item, first) != 0)) {
            return gen_run_fail(run, "items of a group do not reach the same barrier");
        }
    }
    if (!run->failed && first->state == ITEM_AT_BARRIER) {
        if (first->stmt->kind == GEN_SUBGROUP && !gen_group_advance(run)) {
            return false;
        }
        run->epoch += first->stmt->kind == GEN_BARRIER;
    }
    *done = first->state == ITEM_DONE;
    for (uint32_t i = 0; i < count && !*done; i++) {
        if (run->items[i].state == ITEM_AT_BARRIER) {
            run->items[i].state = ITEM_READY;
        }
    }
    return !run->failed;
}

static bool group_run(struct run *run, uint8_t *stacks, enum gen_order order)
{
    const uint32_t *local = run->program->local;
    uint32_t count = gen_local_total(run->program);
    memset(run->items, 0, count * sizeof(*run->items));
    for (uint32_t i = 0; i < count; i++) {
        struct item *item = &run->items[i];
        item->run = run;
        item->local[0] = i % local[0];
        item->local[1] = i / local[0] % local[1];
        item->local[2] = i / local[0] / local[1];
    }
    if (!run->coroutines) {
        for (uint32_t i = 0; i < count && !run->failed; i++) {
            gen_item_run(&run->items[order == GEN_FORWARD ? i : count - 1 - i]);
        }
        return !run->failed;
    }
    for (uint32_t i = 0; i < count; i++) {
        item_prepare(&run->items[i], stacks + (size_t)i * STACK_BYTES);
    }
    bool done = false;
    while (!done) {
        if (!group_step(run, count, order, &done)) {
            return false;
        }
    }
    return true;
}

/* Local memory of a group, filled anew for each. */
static void shared_create(struct run *run)
{
    const struct gen_function *kernel = gen_kernel(run->program);
    const struct gen_variables *lists[] = {&kernel->parameters, &run->program->shared};
    for (uint32_t l = 0; l < 2; l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            const struct gen_variable *variable = lists[l]->items[i];
            if (variable->role == GEN_SHARED) {
                size_t bytes = gen_buffer_bytes(run->program, variable);
                if (!run->shared[variable->slot]) {
                    run->shared[variable->slot] = aligned_alloc(128, (bytes + 127) & ~(size_t)127);
                    gen_race_watch(run, run->shared[variable->slot], bytes, true);
                }
                memset(run->shared[variable->slot], GEN_FILL, bytes);
            }
        }
    }
}

bool gen_interpret(const struct gen_program *program, uint8_t *const *memory, enum gen_order order,
                   char *text, size_t text_bytes)
{
    const struct gen_function *kernel = gen_kernel(program);
    uint32_t local = gen_local_total(program), groups = gen_group_total(program);
    struct run run = {.program = program,
                      .memory = memory,
                      .coroutines = kernel->has_barrier || kernel->has_subgroup,
                      .text = text,
                      .text_bytes = text_bytes};
    size_t stack_bytes = (size_t)local * STACK_BYTES;
    uint8_t *stacks = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    run.items = calloc(local, sizeof(*run.items));
    run.shared = calloc(kernel->slot_count + 1, sizeof(*run.shared));
    if (!run.items || !run.shared || stacks == MAP_FAILED) {
        gen_run_fail(&run, "out of memory");
    } else {
        gen_race_create(&run);
    }
    for (uint32_t i = 0; i < groups && !run.failed; i++) {
        uint32_t group = order == GEN_FORWARD ? i : groups - 1 - i;
        run.group_number = group;
        run.group[0] = group % program->groups[0];
        run.group[1] = group / program->groups[0] % program->groups[1];
        run.group[2] = group / program->groups[0] / program->groups[1];
        shared_create(&run);
        gen_race_next_group(&run);
        group_run(&run, stacks, order);
    }
    gen_race_destroy(&run);
    for (uint32_t i = 0; run.shared && i < kernel->slot_count; i++) {
        free(run.shared[i]);
    }
    free(run.shared);
    free(run.items);
    if (stacks != MAP_FAILED) {
        munmap(stacks, stack_bytes);
    }
    return !run.failed;
}
