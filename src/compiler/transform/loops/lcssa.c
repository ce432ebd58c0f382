/* Brings loops into loop-closed SSA form. A value that is used outside of its loop gets a phi in
 * each exit that it reaches, and further phis where those meet. The uses outside then use the phis.
 * A phi that is inside an outer loop is treated in the same way. See loop_form.h. */
#include "compiler/analysis/frontier.h"
#include "compiler/transform/loops/loop_form.h"

#define MAX_WORK ((uint64_t)1 << 26) /* blocks and exits visited for all values of a function */

/* A value and its uses. */
struct item {
    struct geo_ir_value *value;
    struct geo_ir_block *block; /* block of its definition */
    struct {
        struct geo_use *items;
        size_t count, capacity;
    } uses;
    struct item *next;
};

/* The pass on one function. */
struct closer {
    struct loop_pass *p;
    struct geo_iterated_frontier frontier;
    struct item *work;
    /* by block: phi of the current value; valid where mark_made equals the epoch */
    struct item **made;
    uint32_t *mark_made, *mark_live;
    bool *live; /* by block; `touched` lists the blocks where it is set */
    struct geo_ir_block **touched;
    struct geo_ir_block **exits;
    uint32_t epoch;
    uint64_t visited;
};

static struct geo_ir_block *use_block(const struct geo_use *use)
{
    return use->user->op == SpvOpPhi ? use->user->targets[use->operand] : use->user->block;
}

static void item_finish(struct item *item)
{
    geo_array_finish(&item->uses);
}

static bool item_use(struct closer *c, struct item *item, struct geo_ir_inst *user,
                     uint32_t operand)
{
    if (!geo_array_reserve(&item->uses, 1)) {
        return geo_pass_no_memory(c->p->pass);
    }
    item->uses.items[item->uses.count++] = (struct geo_use){user, operand};
    return true;
}

/* ---- phis ---- */

static bool phi_place(struct closer *c, struct geo_ir_block *block,
                      const struct geo_ir_value *value)
{
    struct geo_pass *pass = c->p->pass;
    struct item *item = geo_arena_new(&pass->arena, struct item);
    struct geo_ir_inst *phi =
        geo_make_phi(pass, block, value->type, c->p->cfg.preds[block->index].count);
    if (!item || !phi) {
        return geo_pass_no_memory(pass);
    }
    phi->value.name = value->name;
    phi->value.id = value->id;
    phi->value.align = value->align;
    item->value = &phi->value;
    item->block = block;
    c->made[block->index] = item;
    c->mark_made[block->index] = c->epoch;
    item->next = c->work;
    c->work = item;
    return true;
}

/* Lists the exits of the loop that the value reaches, each once. */
static uint32_t exits_list(struct closer *c, const struct geo_loop *loop,
                           const struct geo_ir_block *home)
{
    uint32_t count = 0;
    c->visited += loop->exit_count;
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        struct geo_ir_block *to = loop->exits[i].to;
        if (c->mark_made[to->index] != c->epoch && geo_block_dominates(&c->p->tree, home, to)) {
            c->mark_made[to->index] = c->epoch;
            c->made[to->index] = NULL;
            c->exits[count++] = to;
        }
    }
    return count;
}

/* Marks the blocks at whose start the value is live outside the loop, from the uses up to the
 * exits. */
static uint32_t live_mark(struct closer *c, const struct item *item, const struct geo_loop *loop)
{
    uint32_t count = 0, at = 0;
    for (size_t i = 0; i < item->uses.count; i++) {
        struct geo_ir_block *block = use_block(&item->uses.items[i]);
        if (!geo_loop_contains(&c->p->loops, loop, block) && !c->live[block->index]) {
            c->live[block->index] = true;
            c->touched[count++] = block;
        }
    }
    while (at < count) {
        struct geo_ir_block *block = c->touched[at++];
        c->visited++;
        if (c->mark_made[block->index] == c->epoch) {
            continue; /* an exit: its phi provides the value */
        }
        const struct geo_cfg_edges *preds = &c->p->cfg.preds[block->index];
        for (uint32_t i = 0; i < preds->count; i++) {
            struct geo_ir_block *pred = preds->blocks[i];
            if (!c->live[pred->index] && !geo_loop_contains(&c->p->loops, loop, pred)) {
                c->live[pred->index] = true;
                c->touched[count++] = pred;
            }
        }
    }
    return count;
}

static bool phis_place(struct closer *c, const struct geo_ir_value *value, uint32_t exit_count)
{
    uint32_t live_exits = 0;
    for (uint32_t i = 0; i < exit_count; i++) {
        if (c->live[c->exits[i]->index]) {
            c->exits[live_exits++] = c->exits[i];
        } else {
            c->mark_made[c->exits[i]->index] = 0;
        }
    }
    geo_iterated_frontier_compute(&c->frontier, c->exits, live_exits, c->live);
    for (uint32_t i = 0; i < live_exits; i++) {
        if (!phi_place(c, c->exits[i], value)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->frontier.result_count; i++) {
        struct geo_ir_block *join = c->frontier.result[i];
        if (c->mark_made[join->index] != c->epoch && !phi_place(c, join, value)) {
            return false;
        }
    }
    return true;
}

/* Returns the phi that holds the value at the end of a block; NULL if the value itself does. */
static struct item *reaching(struct closer *c, uint32_t block)
{
    while (c->mark_made[block] != c->epoch) {
        block = c->p->tree.parent[block];
        c->visited++;
        if (block == GEO_CFG_NONE) {
            return NULL;
        }
    }
    return c->made[block];
}

static bool phi_fill(struct closer *c, struct item *made, struct item *value,
                     const struct geo_loop *loop)
{
    struct geo_ir_inst *phi = geo_ir_as_inst(made->value);
    const struct geo_cfg_edges *preds = &c->p->cfg.preds[made->block->index];
    for (uint32_t i = 0; i < preds->count; i++) {
        struct geo_ir_block *pred = preds->blocks[i];
        struct item *from =
            geo_loop_contains(&c->p->loops, loop, pred) ? value : reaching(c, pred->index);
        from = from ? from : value;
        if (!item_use(c, from, phi, phi->operand_count)) {
            return false;
        }
        geo_phi_add(phi, from->value, pred);
    }
    return true;
}

/* ---- one value ---- */

static bool has_use_outside(const struct closer *c, const struct item *item,
                            const struct geo_loop *loop)
{
    for (size_t i = 0; i < item->uses.count; i++) {
        if (!geo_loop_contains(&c->p->loops, loop, use_block(&item->uses.items[i]))) {
            return true;
        }
    }
    return false;
}

/* Redirects the uses outside the loop to the phis. */
static bool uses_move(struct closer *c, struct item *item, size_t count,
                      const struct geo_loop *loop)
{
    for (size_t i = 0; i < count; i++) {
        struct geo_use use = item->uses.items[i];
        struct geo_ir_block *block = use_block(&use);
        if (geo_loop_contains(&c->p->loops, loop, block)) {
            continue;
        }
        struct item *to = reaching(c, block->index);
        if (to) {
            use.user->operands[use.operand] = to->value;
            if (!item_use(c, to, use.user, use.operand)) {
                return false;
            }
        }
    }
    return true;
}

static bool item_close(struct closer *c, struct item *item)
{
    const struct geo_loop *loop = c->p->loops.of[item->block->index];
    if (!loop || !has_use_outside(c, item, loop)) {
        return true;
    }
    if (c->visited + c->frontier.work > MAX_WORK) {
        char label[256];
        return geo_pass_fail(c->p->pass,
                             "%s computes too many values in loops that are used after the loops "
                             "(limit: %llu visits of blocks): split the function",
                             geo_pass_function_label(c->p->function, label, sizeof(label)),
                             (unsigned long long)MAX_WORK);
    }
    c->epoch++;
    struct item *before = c->work;
    size_t use_count = item->uses.count;
    uint32_t exit_count = exits_list(c, loop, item->block);
    uint32_t live_count = live_mark(c, item, loop);
    bool good = phis_place(c, item->value, exit_count) && uses_move(c, item, use_count, loop);
    for (struct item *made = c->work; good && made != before; made = made->next) {
        good = phi_fill(c, made, item, loop);
    }
    for (uint32_t i = 0; i < live_count; i++) {
        c->live[c->touched[i]->index] = false;
    }
    return good;
}

/* ---- all values ---- */

static bool closer_init(struct closer *c, struct loop_pass *p)
{
    struct geo_arena *arena = &p->pass->arena;
    uint32_t blocks = p->function->block_count;
    c->p = p;
    c->made = geo_arena_new_array(arena, struct item *, blocks);
    c->mark_made = geo_arena_new_array(arena, uint32_t, blocks);
    c->live = geo_arena_new_array(arena, bool, blocks);
    c->touched = geo_arena_new_array(arena, struct geo_ir_block *, blocks);
    c->exits = geo_arena_new_array(arena, struct geo_ir_block *, blocks);
    return (c->made && c->mark_made && c->live && c->touched && c->exits &&
            geo_iterated_frontier_init(&c->frontier, &p->tree, arena)) ||
           geo_pass_no_memory(p->pass);
}

/* Processes new phis, which may be inside a loop themselves, until none is left. */
static bool work_run(struct closer *c)
{
    bool good = true;
    while (c->work) {
        struct item *item = c->work;
        c->work = item->next;
        good = good && item_close(c, item);
        item_finish(item);
    }
    return good;
}

static bool inst_close(struct closer *c, const struct geo_uses *uses, struct geo_ir_inst *inst)
{
    struct item item = {.value = &inst->value, .block = inst->block};
    const struct geo_loop *loop = c->p->loops.of[inst->block->index];
    uint32_t count;
    const struct geo_use *use = geo_uses_of(uses, &inst->value, &count);
    bool outside = false;
    for (uint32_t i = 0; loop && i < count; i++) {
        outside |= !geo_loop_contains(&c->p->loops, loop, use_block(&use[i]));
    }
    bool good = true;
    for (uint32_t i = 0; outside && good && i < count; i++) {
        good = item_use(c, &item, use[i].user, use[i].operand);
    }
    good = good && (!outside || item_close(c, &item));
    good = work_run(c) && good;
    item_finish(&item);
    return good;
}

bool loop_close_values(struct loop_pass *p)
{
    struct closer c = {0};
    struct geo_uses uses;
    if (!geo_uses_build(p->function, &p->pass->arena, &uses)) {
        return geo_pass_no_memory(p->pass);
    }
    if (!closer_init(&c, p)) {
        return false;
    }
    for (uint32_t i = 0; i < p->loops.count; i++) {
        const struct geo_loop *loop = p->loops.loops[i];
        for (uint32_t b = 0; b < loop->block_count; b++) {
            struct geo_ir_block *block = loop->blocks[b];
            if (p->loops.of[block->index] != loop) {
                continue;
            }
            geo_ir_for_each_inst(inst, block) {
                /* Phis created here have index 0, and are already processed. */
                bool own = inst->op != SpvOpPhi || inst->value.index != 0;
                if (own && !inst_close(&c, &uses, inst)) {
                    return false;
                }
            }
        }
    }
    return true;
}
