/* Removes loops that recompute a known result. Kernels made by fusing operations recompute a row's
 * maximum for each element of the row. Then the same loop occurs a dozen times, or once inside a
 * loop that changes nothing it reads.
 *
 *     for (j ...) m = max(m, a[j])         for (j ...) m = max(m, a[j])
 *     s += exp(a[i] - m)                   s += exp(a[i] - m)
 *     for (j ...) n = max(n, a[j])   -->   s += exp(a[i + 1] - m)
 *     s += exp(a[i + 1] - n)
 *
 * - A loop is hoisted out of the loop around it if nothing that it reads is computed or written
 *   there, and each iteration of the outer loop runs it.
 * - A loop is removed if an equal one has always run before it, and nothing was written in between.
 *
 * Only loops of one block are considered that read memory and compute. They are in loop form
 * (loops.c) and stay so. The work is bounded: a few analyses of the function, a hash for each loop,
 * and a bounded number of blocks visited between equal loops. */
#include "compiler/transform/loops/loop_form.h"

#define HOIST_ROUNDS 4 /* a loop is hoisted out of at most so many loops */
/* bound on the blocks visited between equal loops, as a multiple of the function's blocks */
#define WALK_FACTOR 8

/* The pass on one function. */
struct repeated {
    struct loop_pass p;
    bool *writes;                     /* by block: it writes memory */
    bool *loop_writes;                /* by loop: one of its blocks writes memory */
    struct geo_ir_block **preheaders; /* by loop: the current preheader */
    uint32_t *slots;  /* slot_count entries: 1 + the last loop with this hash; 0: free */
    uint64_t *hashes; /* by loop */
    uint32_t slot_count;
    struct geo_ir_block **stack;
    uint64_t walk_left;
};

/* ---- properties of loops ---- */

static bool block_writes(const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst != block->last; inst = inst->next) {
        if (inst->op != SpvOpPhi && inst->op != SpvOpVariable && geo_ir_has_effect(inst)) {
            return true;
        }
    }
    return false;
}

static bool reads_memory(const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        if (inst->op == SpvOpLoad) {
            return true;
        }
    }
    return false;
}

static bool is_simple(const struct repeated *r, const struct geo_loop *loop)
{
    return loop->block_count == 1 && loop->exit_count == 1 &&
           loop->header->last->op == SpvOpBranchConditional && r->preheaders[loop->index] &&
           !r->writes[loop->header->index];
}

static const struct geo_ir_inst *inst_in(const struct geo_ir_block *block,
                                         struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    return inst && inst->block == block ? inst : NULL;
}

static bool repeated_analyse(struct repeated *r)
{
    struct geo_arena *arena = &r->p.pass->arena;
    if (!loop_analyse(&r->p)) {
        return false;
    }
    const struct geo_loops *loops = &r->p.loops;
    r->writes = geo_arena_new_array(arena, bool, r->p.cfg.block_count + 1);
    r->loop_writes = geo_arena_new_array(arena, bool, loops->count + 1);
    r->preheaders = geo_arena_new_array(arena, struct geo_ir_block *, loops->count + 1);
    if (!r->writes || !r->loop_writes || !r->preheaders) {
        return geo_pass_no_memory(r->p.pass);
    }
    geo_ir_for_each_block(block, r->p.function) {
        r->writes[block->index] = block_writes(block);
    }
    for (uint32_t i = loops->count; i-- > 0;) {
        struct geo_loop *loop = loops->loops[i];
        r->preheaders[i] = geo_loop_preheader(loops, loop);
        for (uint32_t b = 0; b < loop->block_count; b++) {
            const struct geo_loop *inner = loops->of[loop->blocks[b]->index];
            if (inner != loop) { /* an inner loop: already known, and contiguous */
                while (inner->parent != loop) {
                    inner = inner->parent;
                }
                r->loop_writes[i] |= r->loop_writes[inner->index];
                b += inner->block_count - 1;
            } else {
                r->loop_writes[i] |= r->writes[loop->blocks[b]->index];
            }
        }
    }
    return true;
}

/* ---- hoisting ---- */

/* Returns whether every iteration of the outer loop passes through the block. */
static bool always_runs(const struct repeated *r, const struct geo_loop *outer,
                        const struct geo_ir_block *block)
{
    for (uint32_t i = 0; i < outer->latch_count; i++) {
        if (!geo_block_dominates(&r->p.tree, block, outer->latches[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < outer->exit_count; i++) {
        if (!geo_block_dominates(&r->p.tree, block, outer->exits[i].from)) {
            return false;
        }
    }
    return outer->exit_count != 0;
}

static bool is_invariant(const struct repeated *r, const struct geo_loop *outer,
                         const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            struct geo_ir_value *operand = geo_ir_value_end(inst->operands[i]);
            const struct geo_ir_inst *from = geo_ir_as_inst(operand);
            if (from && from->block != block &&
                geo_loop_contains(&r->p.loops, outer, from->block)) {
                return false;
            }
        }
    }
    return true;
}

static bool leaves(const struct repeated *r, const struct geo_loop *loop)
{
    const struct geo_loop *outer = loop->parent;
    return outer && is_simple(r, loop) && r->preheaders[outer->index] &&
           !(r->loop_writes[outer->index] && reads_memory(loop->header)) &&
           always_runs(r, outer, loop->header) && is_invariant(r, outer, loop->header);
}

static void target_change(struct geo_ir_inst *branch, const struct geo_ir_block *was,
                          struct geo_ir_block *now)
{
    for (uint32_t i = 0; i < branch->target_count; i++) {
        branch->targets[i] = branch->targets[i] == was ? now : branch->targets[i];
    }
}

/* Hoists a loop: before -> outer, from -> loop -> exit becomes before -> loop -> closing -> outer,
 * from -> exit. The exit's phis move into the closing block. */
static bool loop_move(struct repeated *r, const struct geo_loop *loop)
{
    struct geo_pass *pass = r->p.pass;
    struct geo_ir_block *body = loop->header, *exit = loop->exits[0].to;
    struct geo_ir_block *from = r->preheaders[loop->index];
    struct geo_ir_block *before = r->preheaders[loop->parent->index];
    struct geo_ir_block *outer = loop->parent->header;
    struct geo_ir_block *closing = geo_ir_block_create(r->p.function, before);
    if (!closing || !geo_make_branch(pass, closing, outer, before->last)) {
        return geo_pass_no_memory(pass);
    }
    target_change(before->last, outer, body);
    target_change(from->last, body, exit);
    target_change(body->last, exit, closing);
    geo_edge_moved(body, from, before);
    geo_edge_moved(outer, before, closing);
    for (struct geo_ir_inst *phi; (phi = exit->first)->op == SpvOpPhi;) {
        geo_ir_inst_remove(phi);
        geo_ir_inst_insert_before(closing->last, phi);
    }
    r->preheaders[loop->index] = before;
    r->preheaders[loop->parent->index] = closing;
    return true;
}

static bool loops_leave(struct repeated *r, bool *changed)
{
    const struct geo_loops *loops = &r->p.loops;
    *changed = false;
    for (uint32_t i = 0; i < loops->count; i++) {
        if (leaves(r, loops->loops[i])) {
            *changed = true;
            if (!loop_move(r, loops->loops[i])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- equal loops ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t loop_hash(const struct geo_loop *loop)
{
    const struct geo_ir_block *block = loop->header;
    uint64_t hash = (uintptr_t)loop->parent;
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        hash = mix(hash, inst->op);
        hash = mix(hash, (uintptr_t)inst->value.type);
        uint64_t sum = 0; /* for phis: a sum, since their operands have no order */
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            struct geo_ir_value *operand = geo_ir_value_end(inst->operands[i]);
            uint64_t word = inst_in(block, operand) ? 0 : (uintptr_t)operand;
            hash = inst->op == SpvOpPhi ? hash : mix(hash, word);
            sum += word;
        }
        hash = mix(hash, sum);
        for (uint32_t i = 0; i < inst->literal_count; i++) {
            hash = mix(hash, inst->literals[i]);
        }
    }
    return hash;
}

/* Returns the operand of b that corresponds to operand i of a: the same one, or for phis the one
 * along the corresponding edge. */
static uint32_t operand_of(const struct geo_ir_inst *a, const struct geo_ir_inst *b, uint32_t i)
{
    if (a->op != SpvOpPhi) {
        return i;
    }
    uint32_t around = geo_phi_find(b, b->block);
    return a->targets[i] == a->block ? around : 1 - around;
}

static uint32_t place_of(const struct geo_ir_inst *inst)
{
    return inst->value.index - inst->block->first->value.index;
}

/* Compares the operands of two instructions. Values from outside must be the same; values of the
 * loops must have the same position. */
static bool operands_match(const struct geo_ir_inst *a, const struct geo_ir_inst *b)
{
    for (uint32_t i = 0; i < a->operand_count; i++) {
        uint32_t j = operand_of(a, b, i);
        struct geo_ir_value *of_a = geo_ir_value_end(a->operands[i]);
        struct geo_ir_value *of_b = geo_ir_value_end(b->operands[j]);
        const struct geo_ir_inst *in_a = inst_in(a->block, of_a), *in_b = inst_in(b->block, of_b);
        if (in_a || in_b) {
            if (!in_a || !in_b || place_of(in_a) != place_of(in_b)) {
                return false;
            }
        } else if (of_a != of_b) {
            return false;
        }
    }
    return true;
}

static bool insts_match(const struct geo_ir_inst *a, const struct geo_ir_inst *b)
{
    if (a->op != b->op || a->value.type != b->value.type || a->value.flags != b->value.flags ||
        a->operand_count != b->operand_count || a->literal_count != b->literal_count ||
        a->target_count != b->target_count || a->memory_flags != b->memory_flags ||
        (a->op == SpvOpPhi && a->operand_count != 2)) {
        return false;
    }
    for (uint32_t i = 0; i < a->literal_count; i++) {
        if (a->literals[i] != b->literals[i]) {
            return false;
        }
    }
    return operands_match(a, b);
}

static bool loops_match(const struct geo_loop *a, const struct geo_loop *b)
{
    const struct geo_ir_inst *of_a = a->header->first, *of_b = b->header->first;
    for (; of_a && of_b; of_a = of_a->next, of_b = of_b->next) {
        if (!insts_match(of_a, of_b)) {
            return false;
        }
    }
    return !of_a && !of_b &&
           (a->header->last->targets[0] == a->header) == (b->header->last->targets[0] == b->header);
}

/* Returns whether no block writes memory on any path from `first`, which dominates `block`, to the
 * end of `block`. */
static bool unwritten_between(struct repeated *r, const struct geo_ir_block *first,
                              struct geo_ir_block *block)
{
    uint32_t count = 0, epoch = ++r->p.epoch;
    r->stack[count++] = block;
    r->p.mark[block->index] = epoch;
    while (count) {
        block = r->stack[--count];
        if (r->writes[block->index] || r->walk_left-- <= 1) {
            r->walk_left += r->walk_left == 0;
            return false;
        }
        const struct geo_cfg_edges *preds = &r->p.cfg.preds[block->index];
        for (uint32_t i = 0; i < preds->count; i++) {
            struct geo_ir_block *pred = preds->blocks[i];
            if (pred != first && r->p.mark[pred->index] != epoch) {
                r->p.mark[pred->index] = epoch;
                r->stack[count++] = pred;
            }
        }
    }
    return true;
}

static bool repeats(struct repeated *r, const struct geo_loop *first, const struct geo_loop *loop)
{
    return first->parent == loop->parent &&
           geo_block_dominates(&r->p.tree, first->header, loop->header) &&
           loops_match(first, loop) &&
           (!reads_memory(loop->header) ||
            unwritten_between(r, first->header, r->preheaders[loop->index]));
}

/* Returns the phi in the exit of `loop` for the value at a position of its body; creates it if
 * needed. */
static struct geo_ir_value *leaving(struct repeated *r, const struct geo_loop *loop, uint32_t place)
{
    struct geo_ir_block *exit = loop->exits[0].to;
    struct geo_ir_inst *inst = loop->header->first;
    while (place--) {
        inst = inst->next;
    }
    struct geo_ir_inst *phi = exit->first;
    for (; phi->op == SpvOpPhi; phi = phi->next) {
        if (geo_ir_value_end(phi->operands[0]) == &inst->value) {
            return &phi->value;
        }
    }
    phi = geo_make_phi(r->p.pass, exit, inst->value.type, 1);
    if (!phi) {
        return NULL;
    }
    geo_phi_add(phi, &inst->value, loop->header);
    return &phi->value;
}

/* Replaces a loop: its results become those of the first one, and its block is removed. */
static bool loop_replace(struct repeated *r, const struct geo_loop *first,
                         const struct geo_loop *loop)
{
    struct geo_ir_block *body = loop->header, *exit = loop->exits[0].to;
    for (struct geo_ir_inst *phi; (phi = exit->first)->op == SpvOpPhi;) {
        struct geo_ir_value *value = geo_ir_value_end(phi->operands[0]);
        const struct geo_ir_inst *inst = inst_in(body, value);
        if (inst) {
            value = leaving(r, first, place_of(inst));
        }
        if (!value) {
            return false;
        }
        phi->value.forward = value;
        geo_ir_inst_remove(phi);
    }
    target_change(r->preheaders[loop->index]->last, body, exit);
    geo_ir_block_remove(body);
    return true;
}

static bool loop_look_up(struct repeated *r, const struct geo_loop *loop)
{
    uint64_t hash = loop_hash(loop);
    uint32_t at = (uint32_t)hash & (r->slot_count - 1);
    while (r->slots[at] && r->hashes[r->slots[at] - 1] != hash) {
        at = (at + 1) & (r->slot_count - 1);
    }
    if (r->slots[at]) {
        const struct geo_loop *first = r->p.loops.loops[r->slots[at] - 1];
        if (repeats(r, first, loop)) {
            return loop_replace(r, first, loop);
        }
    }
    r->slots[at] = loop->index + 1;
    r->hashes[loop->index] = hash;
    return true;
}

static bool loops_join(struct repeated *r)
{
    struct geo_arena *arena = &r->p.pass->arena;
    const struct geo_loops *loops = &r->p.loops;
    for (r->slot_count = 2; r->slot_count < 2 * loops->count;) {
        r->slot_count *= 2;
    }
    r->slots = geo_arena_new_array(arena, uint32_t, r->slot_count);
    r->hashes = geo_arena_new_array(arena, uint64_t, loops->count + 1);
    r->stack = geo_arena_new_array(arena, struct geo_ir_block *, r->p.cfg.block_count + 1);
    r->walk_left = WALK_FACTOR * (uint64_t)r->p.cfg.block_count;
    if (!r->slots || !r->hashes || !r->stack) {
        return geo_pass_no_memory(r->p.pass);
    }
    for (uint32_t i = 0; i < loops->count; i++) {
        if (is_simple(r, loops->loops[i]) && !loop_look_up(r, loops->loops[i])) {
            return false;
        }
    }
    geo_ir_function_resolve(r->p.function);
    return true;
}

/* ---- the pass ---- */

static bool function_loops(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct repeated r = {.p = {.pass = pass, .function = function}};
    bool changed = true;
    for (uint32_t round = 0; changed && round < HOIST_ROUNDS; round++) {
        if (!repeated_analyse(&r)) {
            return false;
        }
        if (r.p.loops.count < 2) {
            return true;
        }
        if (!loops_leave(&r, &changed)) {
            return false;
        }
    }
    bool good = (!changed || repeated_analyse(&r)) && loops_join(&r);
    geo_ir_function_number(function);
    return good;
}

ze_result_t geo_transform_repeated_loops(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block && !function->irreducible) {
            good = function_loops(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
