/* Chooses the width of a kernel. With sub-group operations it is the sub-group size. Otherwise it
 * is the width that the options request, or that fills a vector register with 32-bit values. Models
 * of the kernel choose more lanes, or one. Irreducible control flow runs at W = 1. cpu/module.c
 * calls it before a kernel is emitted. */
#include "compiler/lower/cpu/function/width.h"

#include "base/assert.h"
#include "compiler/analysis/address.h"
#include "compiler/analysis/exchange.h"
#include "compiler/analysis/grouping.h"
#include "compiler/analysis/latency.h"
#include "compiler/analysis/one_lane.h"
#include "compiler/analysis/shared_row.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/global/local_memory.h"
#include "compiler/lower/memory/table_load.h"
#include "native/abi.h"
#include "native/native.h"

/* A kernel of at most this many instructions has twice the lanes, up to JOINED_LANES, if lanes join
 * their atomics: its values take two registers each. */
#define INSTRUCTIONS_LIMIT 256u
#define JOINED_LANES       32u
/* Kernels with barriers that have at most this many instructions have twice the lanes on processors
 * with registers of this many bits. */
#define REGIONS_SIZE 600u
#define REGIONS_BITS 256u
/* Rows of local memory make chunks no shorter than this. */
#define LEAST_ROW 4u
/* Most lanes that are chosen. */
#define WIDEST 64u
/* Most steps between a pointer and what it is made of that are followed. */
#define POINTER_STEPS 8u

/* Remarks on a step in the choice of the width. */
static void explain(const struct geo_ir_function *function, uint32_t lanes, const char *why)
{
    geo_remark(function, NULL, "width", "\"lanes\": %u, \"why\": \"%s\"", lanes, why);
}

static uint32_t native_lanes(const struct geo_lower *lower)
{
    uint32_t bits = lower->options->target.vector_bits;
    return bits >= 512 ? 16 : bits >= 256 ? 8 : 4;
}

uint32_t geo_function_width_subgroup_size(const struct geo_lower *lower)
{
    if (lower->module->matrix_items) {
        return lower->module->matrix_items;
    }
    return lower->options->target.vector_bits >= 512 ? 16 : 8;
}

/* Rounds down to a power of two. */
static uint32_t round_lanes(uint32_t lanes)
{
    lanes = lanes > GEO_LOWER_LANES_LIMIT ? GEO_LOWER_LANES_LIMIT : lanes;
    while (lanes & (lanes - 1)) {
        lanes &= lanes - 1;
    }
    return lanes;
}

/* Returns whether the kernel may run in groups that the launch chooses. Kernels whose required size
 * fills the chunks would gain nothing. */
static bool takes_any_groups(const struct geo_lower *lower, const struct geo_lower_code *code)
{
    uint32_t required = code->function->required_size[0];
    return (!required || required % geo_function_width_default(lower)) && !code->calls &&
           !code->service_slots && !code->barriers.count && !code->subgroups &&
           geo_grouping_is_free(code->function);
}

/* ---- atomics on one address ---- */

/* Returns whether a pointer has one value in all items: it is made of arguments, variables and
 * constants alone. */
static bool is_one_address(const struct geo_ir_value *value, uint32_t depth)
{
    if (value->kind != GEO_VALUE_INST) {
        return true;
    }
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    bool steps = inst->op == SpvOpAccessChain || inst->op == SpvOpInBoundsAccessChain ||
                 inst->op == SpvOpPtrAccessChain || inst->op == SpvOpInBoundsPtrAccessChain ||
                 inst->op == SpvOpBitcast || inst->op == SpvOpPtrCastToGeneric;
    for (uint32_t i = 0; steps && depth && i < inst->operand_count; i++) {
        steps = is_one_address(inst->operands[i], depth - 1);
    }
    return steps && depth;
}

/* Returns whether lanes join their operations on memory of several threads to one. */
static bool joins_lanes(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpAtomicLoad:
    case SpvOpAtomicStore:
    case SpvOpAtomicExchange:
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFlagClear:
        return false;
    default:
        break;
    }
    if (!geo_op_is(inst->op, GEO_IS_ATOMIC) || !inst->operand_count ||
        inst->operands[0]->type->kind != GEO_TYPE_POINTER) {
        return false;
    }
    return !geo_ir_is_of_group(inst->operands[0]->type) &&
           is_one_address(inst->operands[0], POINTER_STEPS);
}

/* Returns whether twice the lanes save locked instructions: the kernel is small, and has atomics
 * that lanes join. */
static bool saves_atomics(const struct geo_ir_function *function)
{
    uint32_t count = 0;
    bool joins = false;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            joins |= joins_lanes(inst);
            count++;
        }
    }
    return joins && count <= INSTRUCTIONS_LIMIT;
}

/* ---- lanes ---- */

static bool has_rows_of_items(const struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == (SpvOp)GEO_OP_BUILTIN && inst->literals[1] == 1 &&
                (inst->literals[0] == SpvBuiltInLocalInvocationId ||
                 inst->literals[0] == SpvBuiltInGlobalInvocationId)) {
                return true;
            }
        }
    }
    return false;
}

/* Multiplies *lanes by two or four if a kernel takes less time per item then. Only groups that the
 * launch chooses fill that many lanes for certain. If lanes were doubled for atomics, the larger
 * width is taken. Returns false when memory runs out. */
static bool widen(struct geo_lower *lower, const struct geo_lower_code *code, uint32_t *lanes)
{
    const struct geo_lower_target *facts = &lower->options->target;
    uint32_t usual = geo_function_width_default(lower), found = *lanes < usual ? *lanes : usual;
    const struct geo_shape_options options = {.lanes = found, .ids_fit_31_bits = true};
    const struct geo_latency_target target = {
        .vector_bits = facts->vector_bits,
        .registers = facts->arch->registers(facts->vector_bits),
        .lanes_limit = WIDEST,
        .table_limit = geo_access_table_load_limit(facts),
        .gathers = facts->gathers == GEO_GATHERS_ALWAYS,
        .has_fma = facts->has_fma,
        .rows = has_rows_of_items(code->function),
    };
    struct geo_shapes shapes;
    if (lower->options->lanes || !code->canonical) {
        return true;
    }
    if (!geo_shapes_compute(&code->loops, &options, &lower->arena, &shapes) ||
        !geo_latency_lanes(&code->loops, &shapes, &target, &lower->arena, &found)) {
        lower->no_memory = true;
        return false;
    }
    if (found > *lanes) {
        explain(code->function, found,
                "more work-items hide the latency of results and memory (cost model latency)");
    }
    *lanes = found > *lanes ? found : *lanes;
    return true;
}

/* ---- rows of local memory ---- */

/* Returns the elements of the longest row of the kernel's local arrays; 0: none is two-dimensional,
 * or items have no second dimension. */
static uint64_t local_row(const struct geo_lower *lower, const struct geo_ir_function *function)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < lower->module->variables.count; i++) {
        const struct geo_ir_variable *variable = lower->module->variables.items[i];
        const struct geo_ir_type *type = variable->value.type;
        if (type->storage != SpvStorageClassWorkgroup || variable->owner != function) {
            continue;
        }
        const struct geo_ir_type *row =
            type->element->kind == GEO_TYPE_ARRAY ? type->element->element : NULL;
        while (row && row->kind == GEO_TYPE_ARRAY && row->element->kind == GEO_TYPE_ARRAY) {
            row = row->element;
        }
        if (row && row->kind == GEO_TYPE_ARRAY && row->count > longest) {
            longest = row->count;
        }
    }
    return longest && has_rows_of_items(function) ? longest : 0;
}

/* ---- kernels with barriers ---- */

static uint32_t size_of(const struct geo_ir_function *function)
{
    uint32_t size = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            size++;
        }
    }
    return size;
}

/* Returns whether an access of the kernel takes each lane's time. */
static bool accesses_lanes_apart(const struct geo_ir_function *function,
                                 const struct geo_shapes *shapes)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (!geo_address_is_access(inst)) {
                continue;
            }
            const struct geo_ir_type *type =
                inst->op == SpvOpStore ? inst->operands[1]->type : inst->value.type;
            if (geo_shape_is_apart(shapes, inst->operands[0], geo_ir_scalar_of(type)->size)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether the kernel has a loop in which each item has a number of turns of its own. */
static bool has_own_turns(const struct geo_loops *loops, const struct geo_shapes *shapes)
{
    for (uint32_t i = 0; i < loops->count; i++) {
        if (shapes->divergent_loop[i] && !geo_shared_row_walks(loops, shapes, loops->loops[i])) {
            return true;
        }
    }
    return false;
}

/* Doubles *lanes if the kernel has barriers, so that the loops over chunks between them take fewer
 * turns. Groups of one dimension fill the lanes. Groups of two dimensions fill them if rows of
 * local memory are long enough. Returns false when memory runs out. */
static bool shorten_regions(struct geo_lower *lower, const struct geo_lower_code *code,
                            uint32_t *lanes)
{
    const struct geo_ir_function *function = code->function;
    const struct geo_shape_options options = {.lanes = *lanes, .ids_fit_31_bits = true};
    struct geo_shapes shapes;
    if (lower->options->lanes || !code->canonical || !code->barriers.count || code->calls ||
        lower->options->target.vector_bits != REGIONS_BITS ||
        *lanes != geo_function_width_default(lower) || function->required_size[0] % (2 * *lanes) ||
        size_of(function) > REGIONS_SIZE) {
        return true;
    }
    bool rows = has_rows_of_items(function);
    if (rows && !function->required_size[0] && local_row(lower, function) < 2 * *lanes) {
        return true;
    }
    if (!geo_shapes_compute(&code->loops, &options, &lower->arena, &shapes)) {
        lower->no_memory = true;
        return false;
    }
    bool apart = rows && accesses_lanes_apart(function, &shapes);
    uint32_t before = *lanes;
    *lanes *= apart || has_own_turns(&code->loops, &shapes) ? 1 : 2;
    if (*lanes != before) {
        explain(function, *lanes, "the loops over work-items between barriers take fewer turns");
    }
    return true;
}

/* Sets *lanes to one if items take less time one after another. Items that exchange values without
 * a barrier keep their lanes. Returns false when memory runs out. */
static bool narrow(struct geo_lower *lower, const struct geo_lower_code *code, uint32_t *lanes)
{
    const struct geo_lower_target *facts = &lower->options->target;
    const struct geo_shape_options options = {.lanes = *lanes, .ids_fit_31_bits = true};
    const struct geo_one_lane_target target = {
        .vector_bits = facts->vector_bits,
        .table_limit = geo_access_table_load_limit(facts),
        .gathers = facts->gathers == GEO_GATHERS_ALWAYS,
        .scatters = facts->has_masks,
    };
    struct geo_shapes shapes;
    bool one = false, exchanges = false;
    /* such kernels have loops, or barriers around counters in local memory */
    bool may_pay = code->loops.count || code->barriers.count;
    if (lower->options->lanes || !may_pay || !code->canonical || code->calls ||
        code->function->required_subgroup_size) {
        return true;
    }
    if (!geo_shapes_compute(&code->loops, &options, &lower->arena, &shapes) ||
        !geo_one_lane_pays(&code->loops, &shapes, &target, &lower->arena, &one) ||
        (one &&
         !geo_exchange_find(&code->cfg, &code->barriers, &shapes, &lower->arena, &exchanges))) {
        lower->no_memory = true;
        return false;
    }
    if (one && exchanges) {
        explain(code->function, *lanes,
                "work-items may read local memory that others write between the same barriers, as "
                "if they ran in step, so they do not run one after another");
    } else if (one) {
        *lanes = 1;
        explain(code->function, 1,
                "work-items take less time one after another, because most work of a chunk is done "
                "lane by lane (cost model one lane)");
    }
    return true;
}

/* Returns the width before the cost models. */
static uint32_t choose_lanes(const struct geo_lower *lower, const struct geo_lower_code *code,
                             bool any_groups)
{
    const struct geo_ir_function *function = code->function;
    uint32_t lanes = geo_function_width_default(lower);
    if (function->one_lane) {
        explain(function, 1, "the code for several work-items at a time would be very large");
        return 1;
    }
    if (lower->options->lanes) {
        explain(function, lanes,
                lower->options->optimize ? "the build asks for it" : "the code is not optimised");
        return lanes;
    }
    explain(function, lanes, "a vector register holds so many values of 32 bits");
    if (2 * lanes <= JOINED_LANES && saves_atomics(function)) {
        lanes *= 2;
        explain(function, lanes, "twice as many work-items share an atomic operation");
    }
    if (any_groups) {
        return lanes;
    }
    uint32_t before = lanes;
    while (function->required_size[0] && lanes > 1 && lanes / 2 >= function->required_size[0]) {
        lanes /= 2;
    }
    if (lanes != before) {
        explain(function, lanes, "the required work-group has no more work-items along x");
    }
    before = lanes;
    /* Rows of local memory are as long as those of groups, or a little longer. Half-empty chunks
       would store with masks, and loads do not take values from such stores. */
    uint64_t row = function->required_size[0] ? 0 : local_row(lower, function);
    while (row && lanes > LEAST_ROW && row < lanes) {
        lanes /= 2;
    }
    if (lanes != before) {
        explain(function, lanes, "rows of local memory are shorter than a vector");
    }
    return lanes;
}

static bool is_subgroup_size(uint32_t size)
{
    return size == 8 || size == 16 || size == 32;
}

/* ---- barriers ---- */

static bool barriers_possible(struct geo_lower *lower, const struct geo_ir_function *function)
{
    static const char *const scopes[] = {"CrossDevice", "Device",     "Workgroup",
                                         "Subgroup",    "Invocation", "QueueFamily"};
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op != SpvOpControlBarrier || geo_barrier_is_possible(inst)) {
                continue;
            }
            uint64_t scope = UINT64_MAX;
            bool known = geo_ir_constant_bits(inst->operands[0], &scope);
            geo_strbuf_printf(lower->log,
                              "error: kernel %s: a barrier at %s scope is not supported\n",
                              function->entry_name,
                              !known                                       ? "a variable"
                              : scope < sizeof(scopes) / sizeof(scopes[0]) ? scopes[scope]
                                                                           : "an unknown");
            return false;
        }
    }
    return true;
}

/* Returns whether an item may wait for an item of another group without a barrier, by reading
 * memory repeatedly. */
static bool may_wait(const struct geo_lower_code *code)
{
    if (code->calls || !code->canonical) {
        return true;
    }
    geo_ir_for_each_block(block, code->function) {
        geo_ir_for_each_inst(inst, block) {
            bool looks =
                (geo_op_is(inst->op, GEO_IS_ATOMIC) && inst->op != SpvOpAtomicStore) ||
                (inst->op == SpvOpLoad && inst->memory_flags & SpvMemoryAccessVolatileMask);
            if (looks && code->loops.of[block->index]) {
                return true;
            }
        }
    }
    return false;
}

static uint32_t barrier_flags(const struct geo_lower_code *code)
{
    return (code->barriers.count ? GEO_KERNEL_BARRIER : 0) |
           (code->barriers.any_device ? GEO_KERNEL_DEVICE_BARRIER : 0) |
           (code->barriers.any_device && may_wait(code) ? GEO_KERNEL_WAITS : 0) |
           (code->contended ? GEO_KERNEL_CONTENDS : 0) | (code->pending.is ? GEO_KERNEL_PENDS : 0);
}

/* ---- the plan of a kernel ---- */

bool geo_function_width_plan(struct geo_lower *lower, const struct geo_lower_code *code,
                             struct geo_lower_kernel *kernel)
{
    const struct geo_ir_function *function = code->function;
    kernel->function = function;
    kernel->subgroup_size = function->required_subgroup_size
                                ? function->required_subgroup_size
                                : geo_function_width_subgroup_size(lower);
    if (!is_subgroup_size(kernel->subgroup_size)) {
        geo_strbuf_printf(lower->log,
                          "error: kernel %s: a sub-group size of %u is not supported (8, 16, 32 "
                          "are)\n",
                          function->entry_name, kernel->subgroup_size);
        return false;
    }
    bool any_groups = takes_any_groups(lower, code);
    if (code->subgroups) {
        explain(function, kernel->subgroup_size, "sub-group operations: it is the sub-group size");
    }
    kernel->lanes = code->subgroups ? kernel->subgroup_size : choose_lanes(lower, code, any_groups);
    if (!code->subgroups && kernel->lanes > 1 && !narrow(lower, code, &kernel->lanes)) {
        return false;
    }
    if (!code->subgroups && kernel->lanes > 1 && !shorten_regions(lower, code, &kernel->lanes)) {
        return false;
    }
    if (any_groups && kernel->lanes > 1 && !widen(lower, code, &kernel->lanes)) {
        return false;
    }
    if (!code->canonical && code->subgroups) {
        geo_strbuf_printf(lower->log,
                          "error: kernel %s: sub-group operations in irreducible control flow are "
                          "not supported\n",
                          function->entry_name);
        return false;
    }
    if (!code->canonical && kernel->lanes > 1) {
        geo_strbuf_printf(
            lower->log,
            "note: kernel %s: the control flow is irreducible, so work-items run one at a time\n",
            function->entry_name);
        kernel->lanes = 1;
        explain(function, 1, "the control flow is irreducible");
    }
    GEO_ASSERT(kernel->lanes && (kernel->lanes & (kernel->lanes - 1)) == 0 &&
               kernel->lanes <= GEO_LOWER_LANES_LIMIT);
    kernel->flags = (code->subgroups ? GEO_KERNEL_LINEAR | GEO_KERNEL_SUBGROUPS : 0) |
                    barrier_flags(code) | (code->service_slots ? GEO_KERNEL_PRINTF : 0) |
                    (any_groups ? GEO_KERNEL_ANY_GROUPS : 0);
    kernel->local_bytes = geo_global_local_memory_bytes(lower, function);
    return barriers_possible(lower, function);
}

uint32_t geo_function_width_default(const struct geo_lower *lower)
{
    return round_lanes(lower->options->lanes ? lower->options->lanes : native_lanes(lower));
}
