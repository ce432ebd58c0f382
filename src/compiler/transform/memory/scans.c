/* Replaces scans that a work-group computes in local memory by doubling distances (Hillis and
 * Steele) with a scan by atomics. Compilers have unrolled them:
 *
 *     step of distance d = 1, 2, 4 ... n / 2
 *         block:  branch lid < d ? join : taken
 *         taken:  v = a[lid - d]                            a, integers in local memory
 *         join:   phi(v, 0); barrier; a[lid] += phi; barrier
 *
 * In a group of at most n items, a[lid] then holds the sum of a[0] ... a[lid]. One thread
 * runs the items in the order of their ids (expand/collectives.c), so one step computes the same:
 *
 *     block:  branch at most n items ? fast : steps
 *     fast:   total = 0; barrier; a[lid] = atomic_add(total, a[lid]) + a[lid]; barrier
 *
 * The sums of integers do not depend on the order of additions. Floats do, so their scans stay. */
#include "compiler/transform/pass/pass.h"

#include "compiler/transform/memory/local_element.h"

#include <string.h>

#define STEPS_LEAST 4u  /* shorter scans are as fast as they are */
#define STEPS_LIMIT 16u /* of one scan */
#define SCANS_LIMIT 8u  /* in one function */

/* One step of a scan. */
struct step {
    struct geo_ir_inst *branch; /* terminator of the block */
    struct geo_ir_block *taken, *join;
    struct geo_ir_inst *before, *after; /* the barriers */
    struct geo_ir_inst *load, *store;   /* of a[lid] */
};

/* A scan that was found. */
struct scan {
    const struct geo_ir_value *array;
    const struct geo_ir_type *type; /* of an element */
    struct geo_ir_inst *id;         /* the local id */
    struct step steps[STEPS_LIMIT];
    uint32_t count;
};

struct search {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_cfg cfg;
};

/* ---- indexes ---- */

/* Returns whether a condition is `local id < distance`, or the opposite if *holds becomes false. */
static bool compares(struct geo_ir_value *condition, uint64_t distance, bool *holds)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(condition);
    uint64_t limit;
    if (!inst || inst->operand_count != 2 || !geo_local_element_id(inst->operands[0]) ||
        !geo_ir_constant_bits(inst->operands[1], &limit)) {
        return false;
    }
    *holds = inst->op == SpvOpULessThan || inst->op == SpvOpSLessThan ||
             inst->op == SpvOpULessThanEqual || inst->op == SpvOpSLessThanEqual ||
             inst->op == SpvOpIEqual;
    switch (inst->op) {
    case SpvOpULessThan:
    case SpvOpSLessThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpSGreaterThanEqual:
        return limit == distance;
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
    case SpvOpUGreaterThan:
    case SpvOpSGreaterThan:
        return limit == distance - 1;
    case SpvOpIEqual:
    case SpvOpINotEqual:
        return limit == 0 && distance == 1;
    default:
        return false;
    }
}

/* ---- steps ---- */

/* Returns the first instruction from `inst` on that is not pure: the terminator at the latest. */
static struct geo_ir_inst *effect_from(struct geo_ir_inst *inst)
{
    while (geo_op_is(inst->op, GEO_IS_PURE)) {
        inst = inst->next;
    }
    return inst;
}

static bool is_barrier(const struct geo_ir_inst *inst)
{
    uint64_t semantics, scope;
    return inst->op == SpvOpControlBarrier && geo_ir_constant_bits(inst->operands[0], &scope) &&
           scope == SpvScopeWorkgroup && geo_ir_constant_bits(inst->operands[2], &semantics) &&
           (semantics & SpvMemorySemanticsWorkgroupMemoryMask);
}

/* Returns whether a load or store is of the scan's array at the local id plus a distance. The first
 * one decides which array it is. */
static bool is_access(struct scan *scan, const struct geo_ir_inst *inst, SpvOp op, int64_t distance)
{
    struct geo_local_element element;
    if (inst->op != op || inst->memory_flags & SpvMemoryAccessVolatileMask) {
        return false;
    }
    const struct geo_ir_type *type = op == SpvOpLoad ? inst->value.type : inst->operands[1]->type;
    bool is_word = type->kind == GEO_TYPE_INT && (type->width == 32 || type->width == 64) &&
                   !geo_ir_is_odd_int(type);
    if (!is_word || !geo_local_element(inst->operands[0], type->size, &element) || element.less ||
        element.distance != distance) {
        return false;
    }
    if (!scan->array) {
        scan->array = element.array;
        scan->type = type;
        scan->id = element.id;
    }
    return scan->array == element.array && scan->type == type;
}

/* Finds `taken`: it only loads. Returns the load, or NULL. */
static struct geo_ir_inst *taken_load(const struct search *s, struct scan *scan,
                                      const struct step *step, uint64_t distance)
{
    const struct geo_cfg_edges *preds = &s->cfg.preds[step->taken->index];
    struct geo_ir_inst *load = effect_from(step->taken->first);
    if (preds->count != 1 || !is_access(scan, load, SpvOpLoad, -(int64_t)distance)) {
        return NULL;
    }
    struct geo_ir_inst *end = effect_from(load->next);
    return end->op == SpvOpBranch && end->targets[0] == step->join ? load : NULL;
}

/* Finds the phi of `join`: the value from `taken`, or 0. It is the only one. */
static struct geo_ir_inst *join_phi(const struct search *s, const struct step *step,
                                    const struct geo_ir_inst *load)
{
    struct geo_ir_inst *phi = step->join->first;
    uint64_t zero;
    if (s->cfg.preds[step->join->index].count != 2 || phi->op != SpvOpPhi ||
        phi->next->op == SpvOpPhi) {
        return NULL;
    }
    uint32_t taken = geo_phi_find(phi, step->taken), not = geo_phi_find(phi, step->branch->block);
    return phi->operand_count == 2 && taken < 2 && not < 2 &&
                   phi->operands[taken] == &load->value &&
                   geo_ir_constant_bits(phi->operands[not], &zero) && zero == 0
               ? phi
               : NULL;
}

/* Finds the step of this distance behind a block. */
static bool step_find(const struct search *s, struct scan *scan, struct geo_ir_block *block,
                      uint64_t distance, struct step *step)
{
    struct geo_ir_inst *branch = block->last;
    bool joins;
    if (branch->op != SpvOpBranchConditional || branch->targets[0] == branch->targets[1] ||
        !compares(branch->operands[0], distance, &joins)) {
        return false;
    }
    *step = (struct step){
        .branch = branch, .taken = branch->targets[joins], .join = branch->targets[!joins]};
    struct geo_ir_inst *other = taken_load(s, scan, step, distance);
    struct geo_ir_inst *phi = other ? join_phi(s, step, other) : NULL;
    if (!phi) {
        return false;
    }
    step->before = effect_from(phi->next);
    if (!is_barrier(step->before)) {
        return false;
    }
    step->load = effect_from(step->before->next);
    if (!is_access(scan, step->load, SpvOpLoad, 0)) {
        return false;
    }
    step->store = effect_from(step->load->next);
    if (!is_access(scan, step->store, SpvOpStore, 0)) {
        return false;
    }
    const struct geo_ir_inst *sum = geo_ir_as_inst(step->store->operands[1]);
    step->after = effect_from(step->store->next);
    return is_barrier(step->after) && sum && sum->op == SpvOpIAdd &&
           ((sum->operands[0] == &step->load->value && sum->operands[1] == &phi->value) ||
            (sum->operands[1] == &step->load->value && sum->operands[0] == &phi->value));
}

/* Finds the scan whose first step is behind a block. */
static bool scan_find(const struct search *s, struct geo_ir_block *block, struct scan *scan)
{
    *scan = (struct scan){.array = NULL};
    while (scan->count < STEPS_LIMIT &&
           step_find(s, scan, block, UINT64_C(1) << scan->count, &scan->steps[scan->count])) {
        const struct step *step = &scan->steps[scan->count++];
        block = step->join;
        if (effect_from(step->after->next) != block->last) {
            break;
        }
    }
    return scan->count >= STEPS_LEAST;
}

/* ---- values of the steps ---- */

/* Marks the instructions of a block up to `end` (NULL: all) by index. Pure ones that do not depend
 * on marked ones move in front of the scan and are not marked. */
static void block_mark(const struct scan *scan, struct geo_ir_block *block,
                       const struct geo_ir_inst *end, bool *inside)
{
    struct geo_ir_inst *next;
    for (struct geo_ir_inst *inst = block->first; inst != end; inst = next) {
        bool free = geo_op_is(inst->op, GEO_IS_PURE);
        next = inst->next;
        for (uint32_t k = 0; k < inst->operand_count; k++) {
            const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[k]);
            free &= !operand || !inside[operand->value.index];
        }
        if (free) {
            geo_ir_inst_remove(inst);
            geo_ir_inst_insert_before(scan->steps[0].branch, inst);
        }
        inside[inst->value.index] = !free;
    }
}

/* Marks the instructions of all steps by index, down to the last barrier. */
static void steps_mark(const struct scan *scan, bool *inside)
{
    for (uint32_t i = 0; i < scan->count; i++) {
        const struct step *step = &scan->steps[i];
        for (struct geo_ir_inst *inst = step->taken->first; inst; inst = inst->next) {
            inside[inst->value.index] = true;
        }
        block_mark(scan, step->join, i + 1 < scan->count ? NULL : step->after, inside);
    }
}

static bool is_used_outside(const struct search *s, const bool *inside)
{
    geo_ir_for_each_block(block, s->function) {
        geo_ir_for_each_inst(inst, block) {
            for (uint32_t i = 0; i < inst->operand_count && !inside[inst->value.index]; i++) {
                const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
                if (operand && inside[operand->value.index]) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* ---- the replacement ---- */

/* Returns the size of the work-group along x. Built-ins are at the function's entry, one for
 * each. */
static struct geo_ir_value *group_size(const struct search *s, const struct scan *scan)
{
    struct geo_ir_block *entry = s->function->first_block;
    geo_ir_for_each_inst(inst, entry) {
        if (inst->op == (SpvOp)GEO_OP_BUILTIN && inst->literals[0] == SpvBuiltInWorkgroupSize &&
            inst->literals[1] == 0) {
            return &inst->value;
        }
    }
    struct geo_ir_inst *inst =
        geo_make(s->pass, entry->first, (SpvOp)GEO_OP_BUILTIN, scan->id->value.type, 0, 2, 0);
    if (inst) {
        inst->literals[0] = SpvBuiltInWorkgroupSize;
    }
    return inst ? &inst->value : NULL;
}

/* Emits in front of the first branch: the group has at most as many items as the scan covers.
 * Several rows would race for the elements. */
static struct geo_ir_value *group_fits(const struct search *s, const struct scan *scan)
{
    struct geo_pass *pass = s->pass;
    struct geo_ir_value *most =
        geo_pass_int(pass, scan->id->value.type, UINT64_C(1) << scan->count);
    return geo_make_binary(pass, scan->steps[0].branch, SpvOpULessThanEqual, pass->type_bool,
                           group_size(s, scan), most);
}

static bool barrier_copy(const struct search *s, struct geo_ir_inst *before,
                         const struct geo_ir_inst *from)
{
    struct geo_ir_inst *copy =
        geo_make(s->pass, before, SpvOpControlBarrier, s->pass->type_void, 3, 0, 0);
    if (copy) {
        memcpy(copy->operands, from->operands, 3 * sizeof(*copy->operands));
    }
    return copy != NULL;
}

/* Fills the block that scans with atomics, in front of its terminator. */
static bool fast_fill(const struct search *s, const struct scan *scan, struct geo_ir_inst *at)
{
    struct geo_pass *pass = s->pass;
    const struct step *last = &scan->steps[scan->count - 1];
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(pass->module, scan->type, SpvStorageClassWorkgroup);
    struct geo_ir_variable *total = pointer ? geo_ir_variable_create(pass->module, pointer) : NULL;
    struct geo_ir_value *zero = geo_pass_int(pass, scan->type, 0);
    if (!total || !zero) {
        return geo_pass_no_memory(pass);
    }
    /* The addresses of the first step are computed in front of the scan. */
    struct geo_ir_value *element = scan->steps[0].load->operands[0];
    geo_make_binary(pass, at, SpvOpStore, pass->type_void, &total->value, zero);
    bool waits = barrier_copy(s, at, last->before);
    struct geo_ir_inst *load = geo_make(pass, at, SpvOpLoad, scan->type, 1, 0, 0);
    if (!waits || !load) {
        return false;
    }
    load->operands[0] = element;
    load->memory_align = scan->steps[0].load->memory_align;
    struct geo_ir_inst *sum = geo_make(pass, at, SpvOpAtomicIAdd, scan->type, 4, 0, 0);
    if (!sum) {
        return false;
    }
    sum->operands[0] = &total->value;
    sum->operands[1] = geo_pass_int(pass, pass->type_i32, SpvScopeWorkgroup);
    sum->operands[2] = geo_pass_int(pass, pass->type_i32, SpvMemorySemanticsMaskNone);
    sum->operands[3] = &load->value;
    struct geo_ir_value *all =
        geo_make_binary(pass, at, SpvOpIAdd, scan->type, &sum->value, &load->value);
    struct geo_ir_value *store =
        geo_make_binary(pass, at, SpvOpStore, pass->type_void, element, all);
    if (!store || !sum->operands[1] || !sum->operands[2]) {
        return false;
    }
    ((struct geo_ir_inst *)store)->memory_align = last->store->memory_align;
    return barrier_copy(s, at, last->after);
}

static bool scan_replace(const struct search *s, const struct scan *scan)
{
    struct geo_pass *pass = s->pass;
    const struct step *last = &scan->steps[scan->count - 1];
    struct geo_ir_inst *branch = scan->steps[0].branch;
    struct geo_ir_block *block = branch->block, *end = last->join;
    struct geo_ir_value *fits = group_fits(s, scan);
    struct geo_ir_block *steps = geo_ir_block_create(s->function, block);
    struct geo_ir_block *fast = geo_ir_block_create(s->function, block);
    struct geo_ir_block *rest = geo_ir_block_create(s->function, end);
    if (!fits || !steps || !fast || !rest) {
        return geo_pass_no_memory(pass);
    }
    geo_block_move_insts(branch, steps);
    geo_edge_moved(scan->steps[0].taken, block, steps);
    geo_edge_moved(scan->steps[0].join, block, steps);
    geo_block_move_insts(last->after->next, rest);
    for (uint32_t i = 0; i < rest->last->target_count; i++) {
        geo_edge_moved(rest->last->targets[i], end, rest);
    }
    struct geo_ir_inst *choice =
        geo_make(pass, NULL, SpvOpBranchConditional, pass->type_void, 1, 0, 2);
    if (!choice || !geo_make_branch(pass, end, rest, last->after)) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_inst_from(choice, branch);
    choice->operands[0] = fits;
    choice->targets[0] = fast;
    choice->targets[1] = steps;
    geo_ir_inst_append(block, choice);
    struct geo_ir_inst *back = geo_make_branch(pass, fast, rest, last->after);
    return back && fast_fill(s, scan, back);
}

/* ---- functions ---- */

/* Replaces the scan behind a block, if there is one and nothing else uses its steps. */
static bool block_scan_replace(struct search *s, struct geo_ir_block *block)
{
    struct scan scan;
    geo_ir_function_number(s->function);
    bool *inside = geo_arena_new_array(&s->pass->arena, bool, s->function->value_count + 1);
    if (!inside || !geo_cfg_build(s->function, &s->pass->arena, &s->cfg)) {
        return geo_pass_no_memory(s->pass);
    }
    if (!scan_find(s, block, &scan)) {
        return true;
    }
    steps_mark(&scan, inside);
    return is_used_outside(s, inside) || scan_replace(s, &scan);
}

/* Replaces the scans of a function, the last one first: a scan may start in the block where another
 * one ends. */
static bool function_scans_replace(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct search s = {.pass = pass, .function = function};
    struct geo_ir_block *starts[SCANS_LIMIT];
    struct scan scan;
    uint32_t count = 0;
    geo_ir_function_number(function);
    if (!geo_cfg_build(function, &pass->arena, &s.cfg)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < s.cfg.reachable_count && count < SCANS_LIMIT; i++) {
        if (scan_find(&s, s.cfg.order[i], &scan)) {
            starts[count++] = s.cfg.order[i];
        }
    }
    bool good = true;
    while (good && count > 0) {
        good = block_scan_replace(&s, starts[--count]);
    }
    return good;
}

/* Returns whether a function has enough barriers for a scan. */
static bool may_scan(const struct geo_ir_function *function)
{
    uint32_t barriers = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            barriers += inst->op == SpvOpControlBarrier;
        }
    }
    return barriers >= 2 * STEPS_LEAST;
}

ze_result_t geo_transform_scans(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block && !module->concurrent_items && may_scan(function)) {
            good = function_scans_replace(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
