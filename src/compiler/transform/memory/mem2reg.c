/* Turns variables that are only loaded and stored into SSA values.
 *
 * The result is in pruned SSA form: a variable gets a phi in the iterated dominance frontier of its
 * stores, in blocks where it is live. One walk over the dominator tree then replaces each load by
 * the value that was stored last. The walk keeps the current value of every variable, and an undo
 * list for the way up. Values that were never stored are undefined. Work is bounded: variables
 * beyond the bound stay in memory, which is slower but correct.
 *
 * Debug records about the memory of such a variable become records about its values: one behind
 * each store, and one behind each phi. Where stores meet and no phi is needed, the source variable
 * is unknown. Beyond a bound on the work for that, source variables are unknown everywhere. None of
 * this changes which phis are made. */
#include "compiler/analysis/frontier.h"
#include "compiler/transform/memory/declared.h"

#define MAX_WORK ((uint64_t)1 << 26) /* blocks visited for all variables of a function */
/* Bound on the operands of new phis: a base for every function, and more for large functions. */
#define OPERANDS_FLOOR  (1u << 17)
#define OPERANDS_FACTOR 16u /* per value of the function */

/* A variable that becomes a value. */
struct slot {
    struct geo_ir_inst *variable;
    struct geo_ir_block **stores; /* blocks that store to it, each once */
    uint32_t store_count;
    struct geo_ir_block **needs; /* blocks that load it before they store to it */
    uint32_t need_count;
    bool lost; /* its source variables are unknown everywhere */
};

/* A new phi of a variable, in the list of its block. */
struct join {
    struct geo_ir_inst *phi;
    uint32_t slot;
    struct join *next;
};

/* The value of a slot before the walk entered a block. */
struct undo {
    uint32_t slot;
    struct geo_ir_value *value;
};

/* The pass on one function. */
struct promoter {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_uses uses;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_iterated_frontier frontier;
    uint32_t *slot_of; /* by value index: 1 + slot of a promotable variable; 0: other values */
    struct slot *slots;
    uint32_t slot_count;
    struct join **joins;           /* by block */
    struct geo_ir_value **current; /* by slot */
    struct {
        struct undo *items;
        size_t count, capacity;
    } undo;
    uint32_t *stored;              /* by block: 1 + last slot that stores in it */
    bool *live;                    /* by block: the current slot is live into it */
    struct geo_ir_block **touched; /* blocks where `live` is set */
    uint64_t work, operands;
    struct declared_map declared;
    struct geo_iterated_frontier debug_frontier; /* with work of its own */
    const struct join **debug_joins;  /* by block: the joins that joins_lose has yet to look at */
    struct geo_ir_inst **behind_phis; /* by block, for debug records; NULL: not looked for yet */
};

/* ---- promotable variables ---- */

static bool is_promotable(const struct promoter *p, const struct geo_ir_inst *variable)
{
    uint32_t count;
    const struct geo_use *use = geo_uses_of(&p->uses, &variable->value, &count);
    if (variable->operand_count > 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_inst *user = use[i].user;
        if ((user->op != SpvOpLoad && user->op != SpvOpStore) || use[i].operand != 0 ||
            (user->memory_flags & SpvMemoryAccessVolatileMask)) {
            return false;
        }
    }
    return true;
}

static bool slots_list(struct promoter *p)
{
    uint32_t count = 0;
    p->slot_of = geo_arena_new_array(&p->pass->arena, uint32_t, p->function->value_count);
    if (!p->slot_of) {
        return geo_pass_no_memory(p->pass);
    }
    geo_ir_for_each_block(block, p->function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpVariable && is_promotable(p, inst)) {
                p->slot_of[inst->value.index] = ++count;
            }
        }
    }
    p->slots = geo_arena_new_array(&p->pass->arena, struct slot, count);
    if (!p->slots) {
        return geo_pass_no_memory(p->pass);
    }
    geo_ir_for_each_block(block, p->function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpVariable && p->slot_of[inst->value.index]) {
                p->slots[p->slot_count++].variable = inst;
            }
        }
    }
    return true;
}

/* Returns the slot that a load or store accesses, or NULL. */
static struct slot *slot_find(const struct promoter *p, const struct geo_ir_inst *inst)
{
    if ((inst->op != SpvOpLoad && inst->op != SpvOpStore) ||
        inst->operands[0]->kind != GEO_VALUE_INST) {
        return NULL;
    }
    const struct geo_ir_inst *variable = geo_ir_as_inst(inst->operands[0]);
    /* New instructions are phis, which have no index yet: test for a variable first. */
    if (variable->op != SpvOpVariable) {
        return NULL;
    }
    uint32_t number = p->slot_of[variable->value.index];
    return number ? &p->slots[number - 1] : NULL;
}

/* Lists the blocks that store to a slot or need its value. Uses are in block order, so the first
 * use in a block tells whether it needs the value from before. */
static bool slot_blocks(struct promoter *p, struct slot *slot)
{
    uint32_t count;
    const struct geo_use *use = geo_uses_of(&p->uses, &slot->variable->value, &count);
    slot->stores = geo_arena_new_array(&p->pass->arena, struct geo_ir_block *, count);
    slot->needs = geo_arena_new_array(&p->pass->arena, struct geo_ir_block *, count);
    if (!slot->stores || !slot->needs) {
        return geo_pass_no_memory(p->pass);
    }
    const struct geo_ir_block *seen = NULL;
    const struct geo_ir_block *stored = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct geo_ir_block *block = use[i].user->block;
        if (use[i].user->op == SpvOpLoad && block != seen && block != stored) {
            slot->needs[slot->need_count++] = block;
        }
        if (use[i].user->op == SpvOpStore && block != stored) {
            slot->stores[slot->store_count++] = block;
            stored = block;
        }
        seen = block;
    }
    return true;
}

/* ---- phis ---- */

/* Marks the blocks into which the variable is live, from the blocks that need it upwards. Returns
 * their number; `touched` lists them. */
static uint32_t slot_live(struct promoter *p, const struct slot *slot, uint32_t epoch)
{
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < slot->store_count; i++) {
        p->stored[slot->stores[i]->index] = epoch;
    }
    for (uint32_t i = 0; i < slot->need_count; i++) {
        p->live[slot->needs[i]->index] = true;
        p->touched[count++] = slot->needs[i];
    }
    while (at < count) {
        const struct geo_cfg_edges *preds = &p->cfg.preds[p->touched[at++]->index];
        p->work++;
        for (uint32_t i = 0; i < preds->count; i++) {
            struct geo_ir_block *pred = preds->blocks[i];
            if (!p->live[pred->index] && p->stored[pred->index] != epoch) {
                p->live[pred->index] = true;
                p->touched[count++] = pred;
            }
        }
    }
    return count;
}

static bool join_add(struct promoter *p, struct geo_ir_block *block, uint32_t number)
{
    struct join *join = geo_arena_new(&p->pass->arena, struct join);
    if (!join) {
        return geo_pass_no_memory(p->pass);
    }
    const struct geo_ir_inst *variable = p->slots[number].variable;
    join->phi = geo_make_phi(p->pass, block, variable->value.type->element,
                             p->cfg.preds[block->index].count);
    if (!join->phi) {
        return false;
    }
    join->phi->value.name = variable->value.name;
    join->phi->value.id = variable->value.id;
    p->operands += p->cfg.preds[block->index].count;
    join->slot = number;
    join->next = p->joins[block->index];
    p->joins[block->index] = join;
    return true;
}

/* Places the phis of a variable. If the bound on work is reached, the variable stays in memory. */
static bool slot_join(struct promoter *p, uint32_t number)
{
    struct slot *slot = &p->slots[number];
    if (!slot_blocks(p, slot)) {
        return false;
    }
    /* No block needs a value from another one, so no phi can be live. */
    if (slot->need_count == 0 || slot->store_count == 0) {
        return true;
    }
    if (p->work + p->frontier.work > MAX_WORK ||
        p->operands > OPERANDS_FLOOR + (uint64_t)OPERANDS_FACTOR * p->function->value_count) {
        p->slot_of[slot->variable->value.index] = 0;
        return true;
    }
    uint32_t live = slot_live(p, slot, number + 1);
    geo_iterated_frontier_compute(&p->frontier, slot->stores, slot->store_count, p->live);
    bool good = true;
    for (uint32_t i = 0; good && i < p->frontier.result_count; i++) {
        good = join_add(p, p->frontier.result[i], number);
    }
    for (uint32_t i = 0; i < live; i++) {
        p->live[p->touched[i]->index] = false;
    }
    return good;
}

/* ---- debug records ---- */

/* Returns the first instruction of a block that is not a phi. It is looked for once, since a block
 * may have a phi for each of many variables. It stays until the block's own loads and stores are
 * renamed. */
static struct geo_ir_inst *behind_phis(struct promoter *p, const struct geo_ir_block *block)
{
    struct geo_ir_inst **behind = &p->behind_phis[block->index];
    if (!*behind) {
        *behind = block->first;
        while ((*behind)->op == SpvOpPhi) {
            *behind = (*behind)->next;
        }
    }
    return *behind;
}

/* Adds records in front of an instruction: the source variables in a slot have this value (NULL:
 * unknown) from here on. In a lost slot they are unknown. */
static void records_add(struct promoter *p, uint32_t number, struct geo_ir_inst *at,
                        struct geo_ir_value *value)
{
    const struct geo_ir_inst *variable = p->slots[number].variable;
    for (const struct declared *d = declared_first(&p->declared, variable); d; d = d->next) {
        struct geo_ir_record record = *d->template;
        if (!declared_is_value(&record)) {
            continue;
        }
        declared_to_value(p->pass->module, &record, p->slots[number].lost ? NULL : value);
        geo_ir_record_add_first(at, &record);
    }
}

/* Where stores of a slot meet and no phi is made, its source variables are unknown. The joins of a
 * block descend by slot, as this is called, so each is looked at once. If the bound on work is
 * reached, these joins are not known, and the value of one path would be shown on another: then the
 * source variables are lost. */
static void joins_lose(struct promoter *p, uint32_t number)
{
    struct slot *slot = &p->slots[number];
    if (!declared_first(&p->declared, slot->variable) || slot->store_count == 0) {
        return;
    }
    if (p->debug_frontier.work > MAX_WORK) {
        slot->lost = true;
        return;
    }
    geo_iterated_frontier_compute(&p->debug_frontier, slot->stores, slot->store_count, NULL);
    for (uint32_t i = 0; i < p->debug_frontier.result_count; i++) {
        struct geo_ir_block *block = p->debug_frontier.result[i];
        const struct join **join = &p->debug_joins[block->index];
        while (*join && (*join)->slot > number) {
            *join = (*join)->next;
        }
        if (!*join || (*join)->slot != number) {
            records_add(p, number, behind_phis(p, block), NULL);
        }
    }
}

/* Turns records that are about slots into such about values, from a record to the end of its
 * list. */
static void records_rename(struct promoter *p, struct geo_ir_record *first)
{
    for (struct geo_ir_record *record = first; record; record = record->next) {
        const struct geo_ir_inst *variable = record->value ? geo_ir_as_inst(record->value) : NULL;
        uint32_t number = variable && variable->op == SpvOpVariable && variable->block
                              ? p->slot_of[variable->value.index]
                              : 0;
        if (number) {
            declared_to_value(p->pass->module, record,
                              p->slots[number - 1].lost ? NULL : p->current[number - 1]);
        }
    }
}

/* ---- renaming ---- */

static bool current_set(struct promoter *p, uint32_t slot, struct geo_ir_value *value)
{
    if (!geo_array_reserve(&p->undo, 1)) {
        return geo_pass_no_memory(p->pass);
    }
    p->undo.items[p->undo.count++] = (struct undo){slot, p->current[slot]};
    p->current[slot] = value;
    return true;
}

static struct geo_ir_value *current_get(struct promoter *p, uint32_t slot)
{
    if (!p->current[slot]) {
        return geo_pass_undef(p->pass, p->slots[slot].variable->value.type->element);
    }
    return p->current[slot];
}

static bool block_rename(struct promoter *p, struct geo_ir_block *block)
{
    for (const struct join *join = p->joins[block->index]; join; join = join->next) {
        if (!current_set(p, join->slot, &join->phi->value)) {
            return false;
        }
        if (p->declared.of) {
            records_add(p, join->slot, behind_phis(p, block), &join->phi->value);
        }
    }
    /* The first record that the next instruction has before this one is renamed. Records of removed
     * instructions move in front of it. They are renamed already, so they are not visited again. */
    struct geo_ir_record *first = geo_ir_records(block->first);
    geo_ir_for_each_inst(inst, block) {
        records_rename(p, first);
        first = inst->next ? geo_ir_records(inst->next) : NULL;
        struct slot *slot = slot_find(p, inst);
        if (!slot) {
            continue;
        }
        uint32_t number = (uint32_t)(slot - p->slots);
        if (inst->op == SpvOpStore) {
            if (!current_set(p, number, inst->operands[1])) {
                return false;
            }
            records_add(p, number, inst->next, inst->operands[1]);
        } else {
            inst->value.forward = current_get(p, number);
            if (!inst->value.forward) {
                return false;
            }
        }
        geo_ir_inst_remove(inst);
    }
    const struct geo_cfg_edges *succs = &p->cfg.succs[block->index];
    for (uint32_t i = 0; i < succs->count; i++) {
        for (struct join *join = p->joins[succs->blocks[i]->index]; join; join = join->next) {
            struct geo_ir_value *value = current_get(p, join->slot);
            if (!value) {
                return false;
            }
            geo_phi_add(join->phi, value, block);
        }
    }
    return true;
}

/* Walks down and up the dominator tree. On the way up, the block's stores are undone. */
static bool rename_all(struct promoter *p)
{
    size_t *marks = geo_arena_new_array(&p->pass->arena, size_t, p->cfg.block_count);
    uint32_t node = p->cfg.order[0]->index;
    if (!marks) {
        return geo_pass_no_memory(p->pass);
    }
    for (;;) {
        marks[node] = p->undo.count;
        if (!block_rename(p, p->cfg.blocks[node])) {
            return false;
        }
        if (p->tree.first_child[node] != GEO_CFG_NONE) {
            node = p->tree.first_child[node];
            continue;
        }
        for (;;) {
            while (p->undo.count > marks[node]) {
                const struct undo *undo = &p->undo.items[--p->undo.count];
                p->current[undo->slot] = undo->value;
            }
            if (p->tree.next_sibling[node] != GEO_CFG_NONE) {
                node = p->tree.next_sibling[node];
                break;
            }
            node = p->tree.parent[node];
            if (node == GEO_CFG_NONE) {
                return true;
            }
        }
    }
}

static void variables_remove(struct promoter *p)
{
    for (uint32_t i = 0; i < p->slot_count; i++) {
        struct geo_ir_inst *variable = p->slots[i].variable;
        if (p->slot_of[variable->value.index]) {
            geo_ir_inst_remove(variable);
        }
    }
}

/* ---- the pass ---- */

static bool debug_init(struct promoter *p)
{
    struct geo_arena *arena = &p->pass->arena;
    p->behind_phis = geo_arena_new_array(arena, struct geo_ir_inst *, p->function->block_count);
    p->debug_joins = geo_arena_new_array(arena, const struct join *, p->function->block_count);
    return p->behind_phis && p->debug_joins &&
           geo_iterated_frontier_init(&p->debug_frontier, &p->tree, arena);
}

static bool analyse(struct promoter *p)
{
    struct geo_arena *arena = &p->pass->arena;
    uint32_t blocks = p->function->block_count;
    p->joins = geo_arena_new_array(arena, struct join *, blocks);
    p->current = geo_arena_new_array(arena, struct geo_ir_value *, p->slot_count);
    p->stored = geo_arena_new_array(arena, uint32_t, blocks);
    p->live = geo_arena_new_array(arena, bool, blocks);
    p->touched = geo_arena_new_array(arena, struct geo_ir_block *, blocks);
    return (p->joins && p->current && p->stored && p->live && p->touched &&
            geo_cfg_build(p->function, arena, &p->cfg) &&
            geo_dominators_compute(&p->cfg, arena, &p->tree) &&
            geo_iterated_frontier_init(&p->frontier, &p->tree, arena) &&
            (!p->declared.of || debug_init(p))) ||
           geo_pass_no_memory(p->pass);
}

static bool function_promote(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct promoter p = {.pass = pass, .function = function};
    if (!geo_remove_unreachable(pass, function)) {
        return false;
    }
    if (!geo_uses_build(function, &pass->arena, &p.uses)) {
        return geo_pass_no_memory(pass);
    }
    if (!slots_list(&p) || !declared_find(pass, function, &p.declared)) {
        return false;
    }
    if (p.slot_count == 0) {
        return true;
    }
    bool good = analyse(&p);
    for (uint32_t i = 0; good && i < p.slot_count; i++) {
        good = slot_join(&p, i);
    }
    for (uint32_t i = 0; good && p.declared.of && i < function->block_count; i++) {
        p.debug_joins[i] = p.joins[i];
    }
    for (uint32_t i = p.slot_count; good && p.declared.of && i > 0; i--) {
        joins_lose(&p, i - 1);
    }
    good = good && rename_all(&p);
    if (good) {
        variables_remove(&p);
        geo_ir_function_resolve(function);
        good = geo_remove_dead(pass, function);
    }
    geo_array_finish(&p.undo);
    return good;
}

ze_result_t geo_transform_mem2reg(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block) {
            good = function_promote(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
