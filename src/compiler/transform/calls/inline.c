/* Inlines calls, callees first. Inlined are
 *
 * - always, callees with a barrier or group operation, their own or in their callees, since regions
 *   are formed in one function;
 * - always, bodies of kernels that are separate functions: clang's copies, and the function of the
 *   same name that an entry point of llvm-spirv calls;
 * - always, callees that take or return large values (large_values.c);
 * - always, callees that have variables and return a pointer to private memory: it may be the state
 *   of a ray query (builtins/imports_ray.c), which the caller goes on to use;
 * - unless marked DontInline: small callees, those called once, those marked Inline, and those of
 *   moderate size that get the address of a private variable, for SROA.
 *
 * Sizes are bounded. Optional inlining stops when the caller reaches a soft limit, or all copies
 * together a multiple of the module. Mandatory inlining has a hard limit. */
#include "compiler/transform/calls/call_graph.h"
#include "compiler/transform/calls/clone.h"
#include "compiler/transform/memory/by_value.h"
#include "compiler/transform/pass/settle.h"

#include <string.h>

#define SMALL_CALLEE      100u
#define POINTER_CALLEE    1000u
#define MARKED_CALLEE     5000u
#define SOFT_CALLER_LIMIT 20000u
/* instructions that may be copied in any module, plus a multiple of its size */
#define GROWTH_FLOOR  100000u
#define GROWTH_FACTOR 8u

/* The pass on one module. */
struct inliner {
    struct geo_pass *pass;
    struct geo_call_graph graph;
    uint64_t total;  /* instructions of the module, with inlined copies */
    uint64_t budget; /* instructions that optional inlining may still copy */
};

static bool is_large(const struct geo_ir_type *type)
{
    return type->leaves > GEO_LIMIT_VALUE_LEAVES;
}

static bool passes_large_values(const struct geo_ir_function *function)
{
    bool large = is_large(function->value.type->element);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        large = large || is_large(function->parameters[i]->type);
    }
    return large;
}

/* Returns whether a function is the body of a kernel: the kernel calls it, and both have the same
 * name. */
static bool is_body_of(const struct geo_ir_function *function, const struct geo_ir_function *kernel)
{
    return kernel->is_kernel && function->linkage == GEO_LINKAGE_EXPORT && function->linkage_name &&
           strcmp(function->linkage_name, kernel->entry_name) == 0;
}

static bool has_variables(const struct geo_ir_function *function)
{
    geo_ir_for_each_inst(inst, function->first_block) {
        if (inst->op == SpvOpVariable) {
            return true;
        }
    }
    return false;
}

/* Returns whether a function returns a pointer that may be to a variable of its own. */
static bool returns_variable(const struct geo_ir_function *function)
{
    const struct geo_ir_type *type = function->value.type->element;
    return type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassFunction &&
           function->first_block && has_variables(function);
}

static bool must_inline(const struct geo_call_node *caller, const struct geo_call_node *callee)
{
    return callee->collective || geo_ir_is_kernel_twin(callee->function->linkage_name) ||
           is_body_of(callee->function, caller->function) ||
           passes_large_values(callee->function) || returns_variable(callee->function);
}

static bool passes_private_address(const struct geo_ir_inst *call)
{
    for (uint32_t i = 1; i < call->operand_count; i++) {
        const struct geo_ir_type *type = call->operands[i]->type;
        if (type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassFunction) {
            return true;
        }
    }
    return false;
}

static bool pays(const struct inliner *inliner, const struct geo_call_node *callee,
                 const struct geo_ir_inst *call)
{
    const struct geo_ir_function *function = callee->function;
    if (!inliner->pass->optimize || (function->control & SpvFunctionControlDontInlineMask)) {
        return false;
    }
    bool only_here = callee->call_sites == 1 && !callee->address_taken && !function->is_kernel &&
                     function->linkage != GEO_LINKAGE_EXPORT;
    return only_here || callee->instructions <= SMALL_CALLEE ||
           ((function->control & SpvFunctionControlInlineMask) &&
            callee->instructions <= MARKED_CALLEE) ||
           (callee->instructions <= POINTER_CALLEE && passes_private_address(call));
}

/* Decides whether to inline a call. Fails if it must be inlined but is too large. */
static bool decide(struct inliner *inliner, const struct geo_call_node *caller,
                   const struct geo_call_node *callee, const struct geo_ir_inst *call, bool *yes)
{
    char label[256];
    uint64_t size = (uint64_t)caller->instructions + callee->instructions;
    bool must = must_inline(caller, callee);
    *yes = false;
    if (!callee->function->first_block) {
        return true;
    }
    if (must && (size > GEO_LIMIT_FUNCTION_INSTRUCTIONS ||
                 inliner->total + callee->instructions > GEO_LIMIT_MODULE_INSTRUCTIONS)) {
        return geo_pass_fail(inliner->pass,
                             "%s would have more than %u instructions after inlining",
                             geo_pass_function_label(caller->function, label, sizeof(label)),
                             GEO_LIMIT_FUNCTION_INSTRUCTIONS);
    }
    *yes = must || (size <= SOFT_CALLER_LIMIT && callee->instructions <= inliner->budget &&
                    pays(inliner, callee, call));
    if (*yes && !must) {
        inliner->budget -= callee->instructions;
    }
    return true;
}

/* Inlines the calls of a block from last to first, so that each instruction moves at most once. */
static bool block_inline(struct inliner *inliner, struct geo_call_node *caller,
                         struct geo_ir_block *block, struct geo_ir_block **ends, bool *changed)
{
    struct geo_ir_inst *previous;
    for (struct geo_ir_inst *inst = block->last; inst; inst = previous) {
        previous = inst->prev;
        const struct geo_ir_function *callee =
            inst->op == SpvOpFunctionCall ? geo_ir_as_function(inst->operands[0]) : NULL;
        if (!callee) {
            continue;
        }
        const struct geo_call_node *node =
            &inliner->graph.nodes[inliner->graph.node_of[callee->value.index]];
        bool yes;
        if (!decide(inliner, caller, node, inst, &yes)) {
            return false;
        }
        if (!yes) {
            continue;
        }
        if (!geo_transform_inline_call(inliner->pass, inst, ends)) {
            return false;
        }
        *changed = true;
        caller->instructions += node->instructions;
        inliner->total += node->instructions;
    }
    return true;
}

static bool function_inline(struct inliner *inliner, struct geo_call_node *caller)
{
    struct geo_ir_function *function = caller->function;
    bool changed = false;
    if (caller->callee_count == 0) {
        return true;
    }
    /* Only the original blocks are visited: calls in copied blocks were decided when their own
       function was processed. */
    geo_ir_function_number(function);
    uint32_t count = function->block_count, i = 0;
    struct geo_ir_block **blocks =
        geo_arena_new_array(&inliner->pass->arena, struct geo_ir_block *, count);
    struct geo_ir_block **ends =
        geo_arena_new_array(&inliner->pass->arena, struct geo_ir_block *, count);
    if (!blocks || !ends) {
        return geo_pass_no_memory(inliner->pass);
    }
    geo_ir_for_each_block(block, function) {
        blocks[i++] = block;
    }
    for (i = 0; i < count; i++) {
        if (!block_inline(inliner, caller, blocks[i], ends, &changed)) {
            return false;
        }
    }
    if (!changed) {
        return true;
    }
    for (i = 0; i < count; i++) {
        geo_phis_follow(blocks[i], ends);
    }
    geo_ir_function_resolve(function);
    if (!geo_remove_unreachable(inliner->pass, function)) {
        return false;
    }
    geo_pass_debug_settle(function); /* its records are copied when it is inlined */
    return true;
}

static bool module_inline(struct inliner *inliner)
{
    struct geo_pass *pass = inliner->pass;
    geo_ir_for_each_function(function, pass->module) {
        if (!geo_expand_by_value(pass, function)) {
            return false;
        }
    }
    if (!geo_call_graph_build(pass, &inliner->graph)) {
        return false;
    }
    for (uint32_t i = 0; i < inliner->graph.count; i++) {
        inliner->total += inliner->graph.nodes[i].instructions;
    }
    inliner->budget = GROWTH_FLOOR + GROWTH_FACTOR * inliner->total;
    for (uint32_t i = 0; i < inliner->graph.count; i++) {
        if (!function_inline(inliner, &inliner->graph.nodes[inliner->graph.order[i]])) {
            return false;
        }
    }
    return true;
}

ze_result_t geo_transform_inline(struct geo_ir_module *module, bool optimize,
                                 struct geo_strbuf *log)
{
    struct geo_pass pass;
    struct inliner inliner = {.pass = &pass};
    if (geo_pass_begin(&pass, module, log)) {
        pass.optimize = optimize;
        module_inline(&inliner);
    }
    ze_result_t result = geo_pass_end(&pass);
    /* functions that were inlined everywhere are now unreachable */
    return result == ZE_RESULT_SUCCESS ? geo_transform_reachability(module, log) : result;
}
