/* Brings functions into loop form: a single return, and loops with a preheader, one latch,
 * dedicated exits and loop-closed values.
 *
 * - Returns (and OpUnreachable, which may behave in any way) branch to one block that returns.
 * - Several branches back to a header are gathered in a new latch.
 * - A header with several entries, or an entry block that also leads elsewhere, gets a preheader.
 * - Dedicated exits: all predecessors of a block behind a loop leave the same loops.
 * - Loop-closed values: lcssa.c.
 *
 * A function with a cycle that has two entries is marked as irreducible and keeps its graph. */
#include "compiler/transform/loops/loop_form.h"

/* ---- one return ---- */

static bool return_make(struct loop_pass *p, struct geo_ir_block *block, struct geo_ir_value *value,
                        const struct geo_ir_inst *origin)
{
    struct geo_ir_inst *inst = geo_make(p->pass, NULL, value ? SpvOpReturnValue : SpvOpReturn,
                                        p->pass->type_void, value != NULL, 0, 0);
    if (!inst) {
        return false;
    }
    if (value) {
        inst->operands[0] = value;
    }
    geo_ir_inst_from(inst, origin);
    geo_ir_inst_append(block, inst);
    return true;
}

static bool returns_gather(struct loop_pass *p, uint32_t exits)
{
    struct geo_pass *pass = p->pass;
    const struct geo_ir_type *type = p->function->value.type->element;
    struct geo_ir_block *block = geo_ir_block_create(p->function, NULL), *last = block;
    struct geo_ir_inst *phi = NULL;
    const struct geo_ir_inst *origin = NULL;
    if (!block) {
        return geo_pass_no_memory(pass);
    }
    if (type->kind != GEO_TYPE_VOID) {
        phi = geo_make_phi(pass, block, type, exits);
        if (!phi) {
            return false;
        }
    }
    for (struct geo_ir_block *from = p->function->first_block; from != last; from = from->next) {
        struct geo_ir_inst *inst = from->last;
        if (!geo_op_is(inst->op, GEO_IS_EXIT)) {
            continue;
        }
        if (phi) {
            struct geo_ir_value *value =
                inst->op == SpvOpReturnValue ? inst->operands[0] : geo_pass_undef(pass, type);
            if (!value) {
                return false;
            }
            geo_phi_add(phi, value, from);
        }
        struct geo_ir_inst *branch = geo_make(pass, inst, SpvOpBranch, pass->type_void, 0, 0, 1);
        if (!branch) {
            return false;
        }
        branch->targets[0] = block;
        geo_ir_inst_remove(inst);
        origin = inst;
    }
    return return_make(p, block, phi ? &phi->value : NULL, origin);
}

static bool returns_unify(struct loop_pass *p)
{
    const struct geo_ir_type *type = p->function->value.type->element;
    uint32_t exits = 0;
    struct geo_ir_inst *only = NULL;
    geo_ir_for_each_block(block, p->function) {
        if (geo_op_is(block->last->op, GEO_IS_EXIT)) {
            only = block->last;
            exits++;
        }
    }
    if (exits > 1) {
        return returns_gather(p, exits);
    }
    if (exits == 0 || only->op == SpvOpReturn || only->op == SpvOpReturnValue) {
        return true;
    }
    struct geo_ir_block *block = only->block;
    struct geo_ir_value *value = type->kind == GEO_TYPE_VOID ? NULL : geo_pass_undef(p->pass, type);
    if (!value && type->kind != GEO_TYPE_VOID) {
        return false;
    }
    geo_ir_inst_remove(only);
    return return_make(p, block, value, only);
}

/* ---- edges ---- */

bool loop_analyse(struct loop_pass *p)
{
    struct geo_arena *arena = &p->pass->arena;
    geo_ir_function_number(p->function);
    p->mark = geo_arena_new_array(arena, uint32_t, p->function->block_count);
    p->epoch = 1;
    if (!p->mark || !geo_cfg_build(p->function, arena, &p->cfg) ||
        !geo_dominators_compute(&p->cfg, arena, &p->tree) ||
        !geo_loops_compute(&p->tree, arena, &p->loops)) {
        return geo_pass_no_memory(p->pass);
    }
    p->loop_mark = geo_arena_new_array(arena, uint32_t, p->loops.count);
    return p->loop_mark || geo_pass_no_memory(p->pass);
}

/* Edges that will go through one new block. */
struct bundle {
    struct geo_ir_block *block;
    struct geo_ir_value *same;    /* only for the current phi: the value along these edges */
    struct geo_ir_inst *gathered; /* or the phi in the new block, if the values differ */
    uint32_t count;
};

/* Returns the bundle of the edge from a block; NULL: none. Blocks created in this round have no
 * index yet and count as block 0, the entry. The entry is never gathered together with other
 * blocks. */
static struct bundle *bundle_of(const struct loop_pass *p, struct bundle *bundles,
                                const struct geo_ir_block *from)
{
    uint32_t mark = p->mark[from->index];
    return mark >= p->epoch ? &bundles[mark - p->epoch] : NULL;
}

/* Updates a phi behind bundles. The operands along a bundle become one value or a phi in the
 * bundle's block. */
static bool phi_gather(struct loop_pass *p, struct geo_ir_inst *phi, struct bundle *bundles,
                       uint32_t count)
{
    for (uint32_t b = 0; b < count; b++) {
        bundles[b].same = NULL;
        bundles[b].gathered = NULL;
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        struct bundle *bundle = bundle_of(p, bundles, phi->targets[i]);
        if (bundle && bundle->same && bundle->same != phi->operands[i] && !bundle->gathered) {
            bundle->gathered = geo_make_phi(p->pass, bundle->block, phi->value.type, bundle->count);
            if (!bundle->gathered) {
                return false;
            }
            bundle->gathered->value.name = phi->value.name;
            bundle->gathered->value.id = phi->value.id;
        }
        if (bundle) {
            bundle->same = phi->operands[i];
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        struct bundle *bundle = bundle_of(p, bundles, phi->targets[i]);
        if (!bundle) {
            phi->operands[kept] = phi->operands[i];
            phi->targets[kept++] = phi->targets[i];
        } else if (bundle->gathered) {
            geo_phi_add(bundle->gathered, phi->operands[i], phi->targets[i]);
        }
    }
    phi->operand_count = phi->target_count = kept;
    for (uint32_t b = 0; b < count; b++) {
        struct bundle *bundle = &bundles[b];
        geo_phi_add(phi, bundle->gathered ? &bundle->gathered->value : bundle->same, bundle->block);
    }
    return true;
}

/* Creates the blocks of bundles of edges to `to`, before it in the list. Predecessors in a bundle
 * are marked with epoch + the bundle's number. */
static bool bundles_make(struct loop_pass *p, struct geo_ir_block *const *from, uint32_t from_count,
                         struct bundle *bundles, uint32_t count, struct geo_ir_block *to)
{
    for (uint32_t b = 0; b < count; b++) {
        bundles[b].block = geo_ir_block_create(p->function, to->prev);
        if (!bundles[b].block || !geo_make_branch(p->pass, bundles[b].block, to, from[0]->last)) {
            return geo_pass_no_memory(p->pass);
        }
    }
    for (uint32_t i = 0; i < from_count; i++) {
        struct geo_ir_inst *last = from[i]->last;
        const struct bundle *bundle = bundle_of(p, bundles, from[i]);
        for (uint32_t t = 0; bundle && t < last->target_count; t++) {
            if (last->targets[t] == to) {
                last->targets[t] = bundle->block;
            }
        }
    }
    for (struct geo_ir_inst *phi = to->first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        if (!phi_gather(p, phi, bundles, count)) {
            return false;
        }
    }
    p->epoch += count;
    return true;
}

/* Routes the `count` edges from -> to through a new block. */
static bool edges_gather(struct loop_pass *p, struct geo_ir_block *const *from, uint32_t count,
                         struct geo_ir_block *to)
{
    struct bundle bundle = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        p->mark[from[i]->index] = p->epoch;
    }
    return bundles_make(p, from, count, &bundle, 1, to);
}

static bool latches_unify(struct loop_pass *p)
{
    for (uint32_t i = 0; i < p->loops.count; i++) {
        const struct geo_loop *loop = p->loops.loops[i];
        if (loop->latch_count > 1 &&
            !edges_gather(p, loop->latches, loop->latch_count, loop->header)) {
            return false;
        }
    }
    return true;
}

static bool preheaders_make(struct loop_pass *p)
{
    for (uint32_t i = 0; i < p->loops.count; i++) {
        const struct geo_loop *loop = p->loops.loops[i];
        const struct geo_cfg_edges *preds = &p->cfg.preds[loop->header->index];
        if (geo_loop_preheader(&p->loops, loop)) {
            continue;
        }
        struct geo_ir_block **outside =
            geo_arena_new_array(&p->pass->arena, struct geo_ir_block *, preds->count);
        uint32_t count = 0;
        if (!outside) {
            return geo_pass_no_memory(p->pass);
        }
        for (uint32_t e = 0; e < preds->count; e++) {
            if (!geo_loop_contains(&p->loops, loop, preds->blocks[e])) {
                outside[count++] = preds->blocks[e];
            }
        }
        if (!edges_gather(p, outside, count, loop->header)) {
            return false;
        }
    }
    return true;
}

/* Returns the innermost loop that the edge from -> to leaves; NULL: none. */
static const struct geo_loop *loop_left(const struct loop_pass *p, const struct geo_ir_block *from,
                                        const struct geo_ir_block *to)
{
    const struct geo_loop *loop = p->loops.of[from->index];
    return loop && !geo_loop_contains(&p->loops, loop, to) ? loop : NULL;
}

/* Forms the bundles of a block behind loops, in the order of their first edges. */
static bool exits_bundle(struct loop_pass *p, const struct geo_cfg_edges *preds,
                         struct geo_ir_block *block)
{
    struct geo_arena *arena = &p->pass->arena;
    struct bundle *bundles = geo_arena_new_array(arena, struct bundle, preds->count);
    uint32_t count = 0;
    if (!bundles) {
        return geo_pass_no_memory(p->pass);
    }
    for (uint32_t i = 0; i < preds->count; i++) {
        const struct geo_loop *loop = loop_left(p, preds->blocks[i], block);
        if (!loop) {
            continue;
        }
        if (p->loop_mark[loop->index] < p->epoch) {
            p->loop_mark[loop->index] = p->epoch + count++;
        }
        uint32_t mark = p->loop_mark[loop->index];
        bundles[mark - p->epoch].count++;
        p->mark[preds->blocks[i]->index] = mark;
    }
    return bundles_make(p, preds->blocks, preds->count, bundles, count, block);
}

/* Gathers the predecessors of a block by the innermost loop that they leave, if these differ. */
static bool exits_of_block(struct loop_pass *p, struct geo_ir_block *block)
{
    const struct geo_cfg_edges *preds = &p->cfg.preds[block->index];
    bool differ = false;
    for (uint32_t i = 1; i < preds->count; i++) {
        differ |= loop_left(p, preds->blocks[i], block) != loop_left(p, preds->blocks[0], block);
    }
    if (!differ) {
        return true;
    }
    return exits_bundle(p, preds, block);
}

static bool exits_dedicate(struct loop_pass *p)
{
    for (uint32_t i = 0; i < p->cfg.reachable_count; i++) {
        if (!exits_of_block(p, p->cfg.order[i])) {
            return false;
        }
    }
    return true;
}

/* ---- the pass ---- */

static bool depth_check(struct loop_pass *p)
{
    char label[256];
    return p->loops.max_depth <= GEO_LIMIT_LOOP_DEPTH ||
           geo_pass_fail(p->pass, "loops of %s nest deeper than %u",
                         geo_pass_function_label(p->function, label, sizeof(label)),
                         GEO_LIMIT_LOOP_DEPTH);
}

bool loop_form_make(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct loop_pass p = {.pass = pass, .function = function};
    if (!geo_remove_unreachable(pass, function) || !returns_unify(&p) || !loop_analyse(&p) ||
        !depth_check(&p)) {
        return false;
    }
    function->irreducible = p.loops.irreducible;
    if (p.loops.irreducible || p.loops.count == 0) {
        return true;
    }
    bool good = latches_unify(&p) && loop_analyse(&p) && preheaders_make(&p) && loop_analyse(&p) &&
                exits_dedicate(&p) && loop_analyse(&p) && loop_close_values(&p);
    geo_ir_function_number(function);
    return good;
}

ze_result_t geo_transform_loops(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block) {
            good = loop_form_make(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
