/* Runs the passes in order, and validates the model after each. See transform.h. */
#include "compiler/transform/passes.h"

#include "compiler/transform/pass/pass.h"
#include "compiler/transform/pass/settle.h"

#include "compiler/builtins/builtins.h"
#include "compiler/ir/remark.h"
#include "compiler/validate/validate.h"

#define MAX_SPLIT_ROUNDS 4 /* bound on the nesting of pointers to variables in variables */

/* The sequence of passes on one module. After a failure, the remaining passes are skipped. */
struct pipeline {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    bool optimize;
    ze_result_t result;
};

/* ---- the table of passes ---- */

#define PASS(name)                                                                                 \
    static ze_result_t run_##name(struct geo_ir_module *module, bool optimize,                     \
                                  struct geo_strbuf *log)
#define PASS_PLAIN(name)                                                                           \
    PASS(name)                                                                                     \
    {                                                                                              \
        (void)optimize, (void)log;                                                                 \
        return geo_transform_##name(module);                                                       \
    }
#define PASS_LOG(name)                                                                             \
    PASS(name)                                                                                     \
    {                                                                                              \
        (void)optimize;                                                                            \
        return geo_transform_##name(module, log);                                                  \
    }
#define PASS_OPTIMIZE(name)                                                                        \
    PASS(name)                                                                                     \
    {                                                                                              \
        return geo_transform_##name(module, optimize, log);                                        \
    }
PASS_LOG(odd_integers)
PASS_LOG(forms)
PASS_LOG(matrices)
PASS_PLAIN(bfloat)
PASS_LOG(reachability)
PASS_LOG(float_modes_spread)
PASS_LOG(fast_math)
PASS_PLAIN(float_modes)
PASS_LOG(resolve_builtin_variables)
PASS_LOG(group_forms)
PASS_LOG(collectives)
PASS_OPTIMIZE(inline)
PASS_LOG(sroa)
PASS_LOG(mem2reg)
PASS_OPTIMIZE(simplify)
PASS_LOG(unroll)
PASS_LOG(contract)
PASS_LOG(dot_products)
PASS_LOG(narrow)
PASS_LOG(large_values)
PASS_LOG(scans)
PASS_LOG(chunk_order)
PASS_LOG(loops)
PASS_LOG(repeated_loops)
PASS_LOG(full_chunks)
PASS_LOG(unroll_rows)
PASS_LOG(clamps)
PASS_LOG(adjacent)
PASS_LOG(near_null)
PASS_PLAIN(sink)
PASS_PLAIN(barriers)

static ze_result_t run_linking(struct geo_ir_module *module, bool optimize, struct geo_strbuf *log)
{
    (void)module, (void)optimize, (void)log;
    return ZE_RESULT_SUCCESS; /* validates what linking made */
}

static ze_result_t run_builtins(struct geo_ir_module *module, bool optimize, struct geo_strbuf *log)
{
    (void)optimize;
    return geo_builtins_resolve(module, log);
}

static const struct geo_transform_pass passes[] = {
    {"linking", run_linking, 0},
    {"odd integers", run_odd_integers, 0},
    {"forms", run_forms, 0},
    {"matrices", run_matrices, 0},
    {"bfloat16", run_bfloat, 0},
    {"reachability", run_reachability, 0},
    {"float modes", run_float_modes_spread, 0},
    {"fast maths", run_fast_math, GEO_PASS_GROWS},
    {"built-ins", run_builtins, 0},
    {"float modes", run_float_modes, GEO_PASS_RESTRUCTURES},
    {"built-in variables", run_resolve_builtin_variables, GEO_PASS_RESTRUCTURES},
    {"group forms", run_group_forms, GEO_PASS_RESTRUCTURES},
    {"collectives", run_collectives, GEO_PASS_RESTRUCTURES | GEO_PASS_GROWS},
    {"inlining", run_inline, GEO_PASS_RESTRUCTURES},
    {"sroa", run_sroa, GEO_PASS_RESTRUCTURES | GEO_PASS_REPEATS},
    {"mem2reg", run_mem2reg, GEO_PASS_RESTRUCTURES | GEO_PASS_REPEATS},
    {"simplify", run_simplify, GEO_PASS_RESTRUCTURES | GEO_PASS_REPEATS},
    {"unrolling", run_unroll, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"simplify", run_simplify, GEO_PASS_RESTRUCTURES},
    {"sroa", run_sroa, GEO_PASS_RESTRUCTURES | GEO_PASS_REPEATS | GEO_PASS_UNROLLED},
    {"mem2reg", run_mem2reg, GEO_PASS_RESTRUCTURES | GEO_PASS_REPEATS | GEO_PASS_UNROLLED},
    {"simplify", run_simplify, GEO_PASS_RESTRUCTURES | GEO_PASS_REPEATS | GEO_PASS_UNROLLED},
    {"contraction", run_contract, GEO_PASS_RESTRUCTURES},
    {"dot products", run_dot_products, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"narrowing", run_narrow, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"large values", run_large_values, GEO_PASS_RESTRUCTURES},
    {"scans", run_scans, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"chunk order", run_chunk_order, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"loops", run_loops, GEO_PASS_RESTRUCTURES},
    {"repeated loops", run_repeated_loops, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"full chunks", run_full_chunks, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"row unrolling", run_unroll_rows, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"clamps", run_clamps, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"adjacent accesses", run_adjacent, GEO_PASS_RESTRUCTURES | GEO_PASS_OPTIMIZES},
    {"barriers", run_barriers, GEO_PASS_RESTRUCTURES},
    {"null pointers", run_near_null, GEO_PASS_RESTRUCTURES},
    {"addresses", run_sink, GEO_PASS_RESTRUCTURES},
};
#define PASSES (sizeof(passes) / sizeof(passes[0]))

const struct geo_transform_pass *geo_transform_passes(size_t *count)
{
    *count = PASSES;
    return passes;
}

ze_result_t geo_transform_pass_run(const struct geo_transform_pass *pass,
                                   struct geo_ir_module *module, bool optimize,
                                   struct geo_strbuf *log)
{
    ze_result_t result = pass->run(module, optimize, log);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    geo_pass_debug_settle_all(module);
    result = geo_validate(module, pass->name, log);
    if (result == ZE_RESULT_SUCCESS) {
        geo_remark_model(module, pass->name);
    }
    return result;
}

/* ---- the order ---- */

static uint32_t variable_count(const struct geo_ir_module *module)
{
    uint32_t count = 0;
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                count += inst->op == SpvOpVariable;
            }
        }
    }
    return count;
}

static bool limits_check(struct pipeline *p)
{
    uint64_t total = 0;
    geo_ir_for_each_function(function, p->module) {
        uint32_t count = geo_pass_instruction_count(function);
        char label[256];
        total += count;
        if (count > GEO_LIMIT_FUNCTION_INSTRUCTIONS || total > GEO_LIMIT_MODULE_INSTRUCTIONS) {
            geo_strbuf_printf(p->log, "error: %s is too large: %u instructions\n",
                              geo_pass_function_label(function, label, sizeof(label)), count);
            p->result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
            return false;
        }
    }
    return true;
}

/* Sets the owner of local variables that only one function uses. */
static bool owners_find(struct pipeline *p)
{
    struct geo_pass pass;
    if (!geo_pass_begin(&pass, p->module, p->log)) {
        p->result = geo_pass_end(&pass);
        return false;
    }
    bool *shared = geo_arena_new_array(&pass.arena, bool, p->module->next_index);
    if (!shared) {
        geo_pass_no_memory(&pass);
    }
    for (size_t i = 0; shared && i < p->module->variables.count; i++) {
        p->module->variables.items[i]->owner = NULL;
    }
    geo_ir_for_each_function(function, p->module) {
        geo_ir_for_each_block(block, function) {
            for (const struct geo_ir_inst *inst = block->first; shared && inst; inst = inst->next) {
                for (uint32_t i = 0; i < inst->operand_count; i++) {
                    struct geo_ir_variable *variable = geo_ir_as_variable(inst->operands[i]);
                    if (!variable) {
                        continue;
                    }
                    shared[variable->value.index] |= variable->owner && variable->owner != function;
                    variable->owner = function;
                }
            }
        }
    }
    for (size_t i = 0; shared && i < p->module->variables.count; i++) {
        struct geo_ir_variable *variable = p->module->variables.items[i];
        if (shared[variable->value.index] ||
            variable->value.type->storage != SpvStorageClassWorkgroup) {
            variable->owner = NULL;
        }
    }
    p->result = geo_pass_end(&pass);
    return p->result == ZE_RESULT_SUCCESS;
}

/* Runs one pass. Returns false if the pipeline must end. */
static bool pass_step(struct pipeline *p, const struct geo_transform_pass *pass)
{
    if ((pass->traits & GEO_PASS_OPTIMIZES) && !p->optimize) {
        return true;
    }
    p->result = geo_transform_pass_run(pass, p->module, p->optimize, p->log);
    return p->result == ZE_RESULT_SUCCESS && (!(pass->traits & GEO_PASS_GROWS) || limits_check(p));
}

/* Runs the passes [first, end) of the table, which repeat: they turn variables into values. A
 * variable whose address is stored in another variable can be analysed only when that one has
 * become a value. So the passes repeat while variables disappear. */
static bool passes_repeat(struct pipeline *p, size_t first, size_t end)
{
    uint32_t before = variable_count(p->module), after = before;
    for (int round = 0; round < MAX_SPLIT_ROUNDS && after > 0; round++) {
        for (size_t i = first; i < end; i++) {
            if (!pass_step(p, &passes[i])) {
                return false;
            }
        }
        after = variable_count(p->module);
        if (after == before) {
            break;
        }
        before = after;
    }
    return true;
}

/* Runs the passes of one half of the table. */
static bool half_run(struct pipeline *p, uint32_t half)
{
    for (size_t i = 0; i < PASSES; i++) {
        size_t end = i;
        if ((passes[i].traits & GEO_PASS_RESTRUCTURES) != half ||
            ((passes[i].traits & GEO_PASS_UNROLLED) && !p->module->unrolled)) {
            continue;
        }
        while (end < PASSES && (passes[end].traits & GEO_PASS_REPEATS)) {
            end++;
        }
        if (end > i ? !passes_repeat(p, i, end) : !pass_step(p, &passes[i])) {
            return false;
        }
        i = end > i ? end - 1 : i;
    }
    return true;
}

ze_result_t geo_transform_canonicalize_calls(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct pipeline p = {.module = module, .log = log};
    (void)half_run(&p, 0);
    return p.result;
}

ze_result_t geo_transform_canonicalize_code(struct geo_ir_module *module, bool optimize,
                                            bool concurrent_items, struct geo_strbuf *log)
{
    module->concurrent_items = concurrent_items;
    struct pipeline p = {.module = module, .log = log, .optimize = optimize};
    (void)(half_run(&p, GEO_PASS_RESTRUCTURES) && owners_find(&p));
    return p.result;
}

ze_result_t geo_transform_canonicalize(struct geo_ir_module *module, bool optimize,
                                       struct geo_strbuf *log)
{
    ze_result_t result = geo_transform_canonicalize_calls(module, log);
    return result == ZE_RESULT_SUCCESS
               ? geo_transform_canonicalize_code(module, optimize, false, log)
               : result;
}
