/* Random kernels: the interpreter's statements and functions, for one item. See
 * evaluate_internal.h. */
#include "evaluate_internal.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_LIMIT = 4000000 };

/* ---- statements ---- */

/* One statement or iteration more. */
static bool step(struct run *run)
{
    return ++run->steps <= STEP_LIMIT || gen_run_fail(run, "too many steps");
}

/* One level deeper into the program; path_leave goes back. */
static bool path_enter(struct frame *frame, uint32_t number)
{
    struct item *item = frame->item;
    if (item->path_length == GEN_MAX_PATH) {
        return gen_run_fail(item->run, "nested too deeply");
    }
    item->path[item->path_length++] = number;
    return true;
}

static void path_leave(struct frame *frame)
{
    frame->item->path_length--;
}

static enum flow run_block(struct frame *frame, const struct gen_block *block);
static bool call(struct item *item, const struct gen_function *function, uint8_t *const *given,
                 const uint64_t (*values)[GEN_MAX_LEAVES], uint64_t *result);

static bool store(struct frame *frame, const struct gen_place *place, const uint64_t *leaves)
{
    uint8_t *address = gen_eval_address(frame, place);
    if (!address || !gen_access(frame->item, address, place->type->size, GEN_ACCESS_WRITE)) {
        return false;
    }
    gen_leaves_store(place->type, leaves, address);
    return true;
}

static enum flow run_assign(struct frame *frame, const struct gen_stmt *stmt)
{
    uint64_t leaves[GEN_MAX_LEAVES];
    if (!gen_eval(frame, stmt->value, leaves)) {
        return FLOW_FAILED;
    }
    return store(frame, stmt->place, leaves) ? FLOW_NEXT : FLOW_FAILED;
}

static enum flow run_vstore(struct frame *frame, const struct gen_stmt *stmt)
{
    const struct gen_variable *buffer = stmt->place->base;
    uint32_t count = stmt->value->type->count, index = 0;
    uint64_t leaves[GEN_MAX_LEAVES];
    if (!gen_eval(frame, stmt->value, leaves) ||
        !gen_eval_index(frame, stmt->place->element, buffer->length / count, &index)) {
        return FLOW_FAILED;
    }
    uint8_t *address = frame->address[buffer->slot] + (size_t)index * count * buffer->type->size;
    if (!gen_access(frame->item, address, (size_t)count * buffer->type->size, GEN_ACCESS_WRITE)) {
        return FLOW_FAILED;
    }
    for (uint32_t i = 0; i < count; i++) {
        gen_leaves_store(buffer->type, &leaves[i], address + (size_t)i * buffer->type->size);
    }
    return FLOW_NEXT;
}

static enum flow run_atomic(struct frame *frame, const struct gen_stmt *stmt)
{
    const struct gen_type *type = stmt->atomic_place->type;
    uint64_t operands[3] = {0}, leaves[GEN_MAX_LEAVES], value;
    if (!gen_eval(frame, stmt->value, leaves)) {
        return FLOW_FAILED;
    }
    uint8_t *address = gen_eval_address(frame, stmt->atomic_place);
    if (!address || !gen_access(frame->item, address, type->size, GEN_ACCESS_ATOMIC)) {
        return FLOW_FAILED;
    }
    operands[1] = leaves[0];
    gen_leaves_load(type, address, operands);
    gen_interpret_scalar(stmt->atomic, type, type, operands, NULL, &value);
    value = stmt->atomic_form == GEN_ATOMIC_SWAP ? operands[1] : value;
    gen_leaves_store(type, &value, address);
    return !stmt->place || store(frame, stmt->place, operands) ? FLOW_NEXT : FLOW_FAILED;
}

/* True when the loop is left; *flow then goes on outside. */
static bool loop_left(struct frame *frame, const struct gen_stmt *loop, enum flow *flow)
{
    if (*flow == FLOW_NEXT) {
        return false;
    }
    if (*flow == FLOW_CONTINUE && frame->target == loop) {
        *flow = FLOW_NEXT;
        return false;
    }
    if (*flow == FLOW_BREAK && frame->target == loop) {
        *flow = FLOW_NEXT;
    }
    return true;
}

static enum flow run_branch(struct frame *frame, const struct gen_block *block, uint32_t number)
{
    if (!path_enter(frame, number)) {
        return FLOW_FAILED;
    }
    enum flow flow = run_block(frame, block);
    path_leave(frame);
    return flow;
}

/* One iteration. `skip`: without the part before the second entry. */
static enum flow run_iteration(struct frame *frame, const struct gen_stmt *stmt, uint64_t number,
                               bool skip)
{
    if (!stmt->entry) {
        return run_branch(frame, &stmt->body, (uint32_t)number);
    }
    enum flow flow = skip ? FLOW_NEXT : run_branch(frame, &stmt->other, (uint32_t)(2 * number));
    return flow == FLOW_NEXT ? run_branch(frame, &stmt->body, (uint32_t)(2 * number + 1)) : flow;
}

static enum flow run_loop(struct frame *frame, const struct gen_stmt *stmt)
{
    const struct gen_type *type = stmt->counter->type;
    uint8_t *counter = frame->address[stmt->counter->slot];
    uint64_t bound[GEN_MAX_LEAVES];
    bool skip = false;
    for (uint64_t i = 0;; i++) {
        gen_leaves_store(type, &i, counter);
        if (!step(frame->item->run)) {
            return FLOW_FAILED;
        }
        if (i == 0 && stmt->entry && !gen_eval_bool(frame, stmt->entry, &skip)) {
            return FLOW_FAILED;
        }
        if (!stmt->post_test || i > 0) {
            if (!gen_eval(frame, stmt->value, bound)) {
                return FLOW_FAILED;
            }
            if (i >= bound[0]) {
                return FLOW_NEXT;
            }
        }
        enum flow flow = run_iteration(frame, stmt, i, skip && i == 0);
        if (loop_left(frame, stmt, &flow)) {
            return flow;
        }
    }
}

static enum flow run_switch(struct frame *frame, const struct gen_stmt *stmt)
{
    uint64_t selector[GEN_MAX_LEAVES];
    if (!gen_eval(frame, stmt->value, selector)) {
        return FLOW_FAILED;
    }
    uint32_t chosen = 0;
    while (!stmt->cases[chosen].is_default && stmt->cases[chosen].value != selector[0]) {
        chosen++;
    }
    for (;; chosen++) {
        enum flow flow = run_branch(frame, &stmt->cases[chosen].body, chosen);
        if (flow != FLOW_NEXT || !stmt->cases[chosen].falls_through) {
            return flow;
        }
    }
}

static enum flow run_call(struct frame *frame, const struct gen_stmt *stmt)
{
    const struct gen_function *callee = stmt->function;
    uint64_t (*values)[GEN_MAX_LEAVES] = calloc(GEN_MAX_ARGS, sizeof(*values));
    uint8_t *given[GEN_MAX_ARGS] = {NULL};
    uint64_t result[GEN_MAX_LEAVES];
    bool good = values != NULL;
    for (uint32_t i = 0; good && i < callee->parameters.count; i++) {
        const struct gen_argument *argument = &stmt->arguments[i];
        if (argument->value) {
            good = gen_eval(frame, argument->value, values[i]);
        } else if (argument->address) {
            given[i] = gen_eval_address(frame, argument->address);
            good = given[i] != NULL;
        } else {
            given[i] = frame->address[argument->variable->slot];
        }
    }
    good = good && call(frame->item, callee, given, values, result);
    free(values);
    good = good && (!stmt->place || store(frame, stmt->place, result));
    return good ? FLOW_NEXT : FLOW_FAILED;
}

static enum flow run_barrier(struct frame *frame, const struct gen_stmt *stmt)
{
    return gen_item_wait(frame->item, ITEM_AT_BARRIER, stmt) ? FLOW_NEXT : FLOW_FAILED;
}

static enum flow run_subgroup(struct frame *frame, const struct gen_stmt *stmt)
{
    const struct gen_subgroup *subgroup = stmt->subgroup;
    struct lane lane = {0};
    uint64_t number[GEN_MAX_LEAVES] = {0};
    if ((stmt->value && !gen_eval(frame, stmt->value, lane.value)) ||
        (subgroup->second && !gen_eval(frame, subgroup->second, lane.second)) ||
        (subgroup->number && !gen_eval(frame, subgroup->number, number))) {
        return FLOW_FAILED;
    }
    lane.number = number[0];
    frame->item->lane = &lane;
    if (!gen_item_wait(frame->item, subgroup->of_group ? ITEM_AT_BARRIER : ITEM_AT_SUBGROUP,
                       stmt)) {
        return FLOW_FAILED;
    }
    return store(frame, stmt->place, lane.result) ? FLOW_NEXT : FLOW_FAILED;
}

/* Each item moves its own elements, once all are there and mean the same block. */
static enum flow run_block_io(struct frame *frame, const struct gen_stmt *stmt)
{
    const struct gen_subgroup *subgroup = stmt->subgroup;
    const struct gen_variable *buffer = subgroup->block->base;
    bool writes = subgroup->op == GEN_SG_BLOCK_WRITE;
    const struct gen_type *type = writes ? stmt->value->type : stmt->place->type;
    struct item *item = frame->item;
    struct lane lane = {0};
    uint32_t full = item->run->program->subgroup_size, index = 0;
    if ((writes && !gen_eval(frame, stmt->value, lane.value)) ||
        !gen_eval_index(frame, subgroup->block->element, buffer->length, &index)) {
        return FLOW_FAILED;
    }
    lane.number = index;
    item->lane = &lane;
    if (!gen_item_wait(item, ITEM_AT_SUBGROUP, stmt)) {
        return FLOW_FAILED;
    }
    index += (uint32_t)(item - item->run->items) % full;
    for (uint32_t c = 0; c < gen_components(type); c++, index += full) {
        uint8_t *address = frame->address[buffer->slot] + (size_t)index * buffer->type->size;
        if (index >= buffer->length) {
            gen_run_fail(item->run, "block out of bounds");
            return FLOW_FAILED;
        }
        if (!gen_access(item, address, buffer->type->size,
                        writes ? GEN_ACCESS_WRITE : GEN_ACCESS_READ)) {
            return FLOW_FAILED;
        }
        if (writes) {
            gen_leaves_store(buffer->type, &lane.value[c], address);
        } else {
            gen_leaves_load(buffer->type, address, &lane.result[c]);
        }
    }
    return writes || store(frame, stmt->place, lane.result) ? FLOW_NEXT : FLOW_FAILED;
}

static enum flow run_stmt(struct frame *frame, const struct gen_stmt *stmt)
{
    bool condition;
    if (!step(frame->item->run)) {
        return FLOW_FAILED;
    }
    switch (stmt->kind) {
    case GEN_ASSIGN:
        return run_assign(frame, stmt);
    case GEN_IF:
        if (!gen_eval_bool(frame, stmt->value, &condition)) {
            return FLOW_FAILED;
        }
        return run_branch(frame, condition ? &stmt->body : &stmt->other, !condition);
    case GEN_LOOP:
        return run_loop(frame, stmt);
    case GEN_SWITCH:
        return run_switch(frame, stmt);
    case GEN_BREAK:
        frame->target = stmt->target;
        return FLOW_BREAK;
    case GEN_CONTINUE:
        frame->target = stmt->target;
        return FLOW_CONTINUE;
    case GEN_RETURN:
        return !stmt->value || gen_eval(frame, stmt->value, frame->result) ? FLOW_RETURN
                                                                           : FLOW_FAILED;
    case GEN_CALL:
        return run_call(frame, stmt);
    case GEN_BARRIER:
        return run_barrier(frame, stmt);
    case GEN_SUBGROUP:
        return stmt->subgroup->block ? run_block_io(frame, stmt) : run_subgroup(frame, stmt);
    case GEN_VSTORE:
        return run_vstore(frame, stmt);
    default:
        return run_atomic(frame, stmt);
    }
}

static enum flow run_block(struct frame *frame, const struct gen_block *block)
{
    enum flow flow = path_enter(frame, 0) ? FLOW_NEXT : FLOW_FAILED;
    for (uint32_t i = 0; i < block->count && flow == FLOW_NEXT; i++) {
        frame->item->path[frame->item->path_length - 1] = i;
        flow = block->items[i]->deleted ? FLOW_NEXT : run_stmt(frame, block->items[i]);
    }
    path_leave(frame);
    return flow;
}

/* ---- functions ---- */

/* Places every value of the function in one block of memory, aligned to 128 bytes. */
static bool frame_lay_out(struct frame *frame)
{
    const struct gen_function *function = frame->function;
    size_t bytes = 0;
    frame->address = calloc(function->slot_count + 1, sizeof(*frame->address));
    for (int pass = 0; pass < 2; pass++) {
        size_t at = 0;
        for (uint32_t i = 0; i < function->parameters.count + function->locals.count; i++) {
            const struct gen_variable *variable =
                i < function->parameters.count
                    ? function->parameters.items[i]
                    : function->locals.items[i - function->parameters.count];
            if (variable->role != GEN_PRIVATE && variable->role != GEN_PARAMETER) {
                continue;
            }
            if (pass == 1) {
                frame->address[variable->slot] = frame->memory + at;
            }
            at += ((size_t)variable->type->size + 127) & ~(size_t)127;
        }
        if (pass == 0) {
            bytes = at + 128;
            frame->memory = aligned_alloc(128, bytes);
            if (!frame->memory || !frame->address) {
                return gen_run_fail(frame->item->run, "out of memory");
            }
            memset(frame->memory, GEN_FILL, bytes);
        }
    }
    return true;
}

static bool call(struct item *item, const struct gen_function *function, uint8_t *const *given,
                 const uint64_t (*values)[GEN_MAX_LEAVES], uint64_t *result)
{
    struct frame frame = {.item = item, .function = function};
    bool good = frame_lay_out(&frame);
    for (uint32_t i = 0; good && i < function->parameters.count; i++) {
        const struct gen_variable *parameter = function->parameters.items[i];
        if (parameter->role == GEN_PARAMETER) {
            gen_leaves_store(parameter->type, function->is_kernel ? parameter->initial : values[i],
                             frame.address[parameter->slot]);
        } else {
            frame.address[parameter->slot] = given[i];
        }
    }
    for (uint32_t i = 0; good && i < function->locals.count; i++) {
        const struct gen_variable *local = function->locals.items[i];
        gen_leaves_store(local->type, local->initial, frame.address[local->slot]);
    }
    if (good && function->is_kernel) {
        for (uint32_t i = 0; i < function->slot_count; i++) {
            frame.address[i] = item->run->shared[i] ? item->run->shared[i] : frame.address[i];
        }
    }
    good = good && run_block(&frame, &function->body) != FLOW_FAILED;
    if (good && result && function->result->kind != GEN_VOID) {
        memcpy(result, frame.result, function->result->leaves * sizeof(*result));
    }
    free(frame.memory);
    free(frame.address);
    return good;
}

void gen_item_run(struct item *item)
{
    const struct gen_function *kernel = gen_kernel(item->run->program);
    uint8_t *given[64] = {NULL};
    for (uint32_t i = 0; i < kernel->parameters.count; i++) {
        given[i] = item->run->memory[i];
    }
    call(item, kernel, given, NULL, NULL);
    item->state = ITEM_DONE;
    item->stmt = NULL;
}
