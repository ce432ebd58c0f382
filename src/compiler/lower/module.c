/* Lowering one module: every kernel at its width, then what they call.
 *
 * The width of a kernel: sub-group operations make it the sub-group's size; else what was asked
 * for; else what fills a vector register with 32-bit values. Irreducible control flow runs at
 * W = 1. */
#include "compiler/lower/frame/frame.h"

#include "native/native.h"

#include <stdlib.h>

struct module_state {
    struct geo_lower lower;
    struct geo_lower_result *result;
    struct geo_lower_callees *callees; /* [kernel] */
    size_t callees_count;
};

/* ---- functions ---- */

static int code_compare(const void *a, const void *b)
{
    const struct geo_lower_code *x = *(struct geo_lower_code *const *)a;
    const struct geo_lower_code *y = *(struct geo_lower_code *const *)b;
    return (uintptr_t)x->function<(uintptr_t)y->function ? -1 : (uintptr_t)x->function>(uintptr_t)
        y->function;
}

struct geo_lower_code *geo_lower_code_find(struct geo_lower *lower,
                                           const struct geo_ir_function *function)
{
    struct geo_lower_code key = {.function = (struct geo_ir_function *)function};
    struct geo_lower_code *wanted = &key;
    struct geo_lower_code **found =
        bsearch(&wanted, lower->codes, lower->code_count, sizeof(*lower->codes), code_compare);
    return found ? *found : NULL;
}

/* Whether something that this code calls, itself, uses sub-groups. */
static bool calls_subgroups(struct geo_lower *lower, const struct geo_lower_code *code)
{
    for (uint32_t i = 0; i < code->cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, code->cfg.order[i]) {
            const struct geo_ir_function *function =
                inst->op == SpvOpFunctionCall ? geo_ir_as_function(inst->operands[0]) : NULL;
            const struct geo_lower_code *callee =
                function ? geo_lower_code_find(lower, function) : NULL;
            if (callee && callee->subgroups) {
                return true;
            }
        }
    }
    return false;
}

/* What calls code that uses sub-groups uses them: a kernel's width and kind of chunk follow from
 * what it calls, too. Operations are inlined, built-ins may stand in functions. */
static void subgroups_spread(struct geo_lower *lower)
{
    bool changed = false;
    for (uint32_t i = 0; i < lower->code_count; i++) {
        changed |= lower->codes[i]->subgroups && !lower->codes[i]->function->is_kernel;
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < lower->code_count; i++) {
            struct geo_lower_code *code = lower->codes[i];
            if (code->calls && !code->subgroups && calls_subgroups(lower, code)) {
                code->subgroups = changed = true;
            }
        }
    }
}

static bool codes_prepare(struct geo_lower *lower)
{
    uint32_t count = 0;
    geo_ir_for_each_function(function, lower->module) {
        count += function->first_block != NULL;
    }
    lower->codes = geo_arena_array(&lower->arena, count + 1, sizeof(*lower->codes));
    if (!lower->codes) {
        return false;
    }
    geo_ir_for_each_function(function, lower->module) {
        if (!function->first_block) {
            continue;
        }
        struct geo_lower_code *code = geo_arena_new(&lower->arena, struct geo_lower_code);
        if (!code || !geo_lower_prepare(lower, function, code)) {
            return false;
        }
        lower->codes[lower->code_count++] = code;
    }
    qsort(lower->codes, lower->code_count, sizeof(*lower->codes), code_compare);
    subgroups_spread(lower);
    return true;
}

void geo_lower_module_scope(struct geo_lower_function *f, struct geo_lower *lower,
                            struct geo_arena *arena)
{
    geo_arena_init(arena, GEO_LOWER_ARENA_LIMIT);
    *f = (struct geo_lower_function){.lower = lower,
                                     .module = lower->module,
                                     .options = lower->options,
                                     .context = lower->context,
                                     .llvm_module = lower->llvm_module,
                                     .builder = LLVMCreateBuilderInContext(lower->context),
                                     .lanes = 1,
                                     .log = lower->log,
                                     .arena = arena};
}

void geo_lower_module_scope_finish(struct geo_lower_function *f)
{
    f->lower->no_memory |= f->no_memory;
    LLVMDisposeBuilder(f->builder);
    geo_arena_finish(f->arena);
}

/* ---- widths ---- */

static uint32_t native_lanes(const struct geo_lower *lower)
{
    uint32_t bits = lower->options->target.vector_bits;
    return bits >= 512 ? 16 : bits >= 256 ? 8 : 4;
}

static uint32_t default_subgroup_size(const struct geo_lower *lower)
{
    return lower->options->target.vector_bits >= 512 ? 16 : 8;
}

/* The largest power of two that is no larger. */
static uint32_t round_lanes(uint32_t lanes)
{
    lanes = lanes > GEO_LOWER_LANES_LIMIT ? GEO_LOWER_LANES_LIMIT : lanes;
    while (lanes & (lanes - 1)) {
        lanes &= lanes - 1;
    }
    return lanes;
}

static uint32_t choose_lanes(const struct geo_lower *lower, const struct geo_lower_code *code)
{
    const struct geo_ir_function *function = code->function;
    if (lower->options->lanes) {
        return round_lanes(lower->options->lanes);
    }
    uint32_t lanes = native_lanes(lower);
    while (function->required_size[0] && lanes > 1 && lanes / 2 >= function->required_size[0]) {
        lanes /= 2;
    }
    return lanes;
}

static bool is_subgroup_size(uint32_t size)
{
    return size == 8 || size == 16 || size == 32;
}

static bool kernel_plan(struct geo_lower *lower, const struct geo_lower_code *code,
                        struct geo_lower_kernel *kernel)
{
    const struct geo_ir_function *function = code->function;
    kernel->function = function;
    kernel->subgroup_size = function->required_subgroup_size ? function->required_subgroup_size
                                                             : default_subgroup_size(lower);
    if (!is_subgroup_size(kernel->subgroup_size)) {
        geo_strbuf_printf(lower->log,
                          "error: kernel %s: a sub-group size of %u is not supported (8, 16, 32 "
                          "are)\n",
                          function->entry_name, kernel->subgroup_size);
        return false;
    }
    kernel->lanes = code->subgroups ? kernel->subgroup_size : choose_lanes(lower, code);
    if (!code->canonical && code->subgroups) {
        geo_strbuf_printf(lower->log,
                          "error: kernel %s: sub-group operations in irreducible control flow\n",
                          function->entry_name);
        return false;
    }
    if (!code->canonical && kernel->lanes > 1) {
        geo_strbuf_printf(lower->log,
                          "note: kernel %s: irreducible control flow; one work-item at a time\n",
                          function->entry_name);
        kernel->lanes = 1;
    }
    kernel->flags =
        (code->subgroups ? GEO_KERNEL_LINEAR | GEO_KERNEL_SUBGROUPS : 0) |
        (code->barriers.count ? GEO_KERNEL_BARRIER : 0) |
        (code->service_slots ? GEO_KERNEL_PRINTF : 0) |
        (function->float_modes & GEO_FLOAT_DENORM_FLUSH_32 ? GEO_KERNEL_FLUSH_DENORMS : 0);
    kernel->local_bytes = geo_lower_layout_local_bytes(lower, function);
    return true;
}

/* ---- the module ---- */

static bool kernels_emit(struct module_state *state)
{
    struct geo_lower *lower = &state->lower;
    uint32_t count = 0;
    geo_ir_for_each_function(function, lower->module) {
        count += function->is_kernel && function->first_block;
    }
    state->result->kernels =
        geo_arena_new_array(&lower->module->arena, struct geo_lower_kernel, count + 1);
    state->callees = geo_arena_new_array(&lower->arena, struct geo_lower_callees, count + 1);
    if (!state->result->kernels || !state->callees) {
        lower->no_memory = true;
        return false;
    }
    geo_ir_for_each_function(function, lower->module) {
        struct geo_lower_code *code = geo_lower_code_find(lower, function);
        if (!code || !function->is_kernel) {
            continue;
        }
        uint32_t at = state->result->kernel_count++;
        struct geo_lower_kernel *kernel = &state->result->kernels[at];
        state->callees_count = at + 1;
        if (!kernel_plan(lower, code, kernel) ||
            !geo_lower_kernel_emit(lower, code, kernel, &state->callees[at])) {
            return false;
        }
    }
    return true;
}

/* What is emitted may ask for more, by calls or by the address of a function. */
static bool instances_emit(struct geo_lower *lower)
{
    if (!geo_lower_indirect_instances(lower)) {
        return false;
    }
    while (lower->queue) {
        struct geo_lower_instance *instance = lower->queue;
        lower->queue = instance->next_queued;
        if (!geo_lower_instance_emit(lower, instance) ||
            (!lower->queue && !geo_lower_indirect_instances(lower))) {
            return false;
        }
    }
    return true;
}

/* The frame holds the kernel's own private variables and those of the deepest chain of calls. */
static bool frames_measure(struct module_state *state)
{
    uint64_t reserve = 0;
    if (!geo_lower_indirect_finish(&state->lower, &reserve)) {
        state->lower.no_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < state->result->kernel_count; i++) {
        struct geo_lower_kernel *kernel = &state->result->kernels[i];
        uint64_t deepest = 0;
        for (size_t k = 0; k < state->callees[i].count; k++) {
            struct geo_lower_instance *callee = state->callees[i].items[k];
            if (!geo_lower_instance_measure(callee)) {
                state->lower.no_memory = true;
                return false;
            }
            deepest = callee->total_bytes > deepest ? callee->total_bytes : deepest;
        }
        kernel->frame_bytes += deepest + reserve;
    }
    return true;
}

static bool module_emit(struct module_state *state)
{
    struct geo_lower *lower = &state->lower;
    lower->globals =
        geo_arena_new_array(&lower->arena, LLVMValueRef, lower->module->variables.count + 1);
    if (!lower->globals || !codes_prepare(lower)) {
        lower->no_memory = true;
        return false;
    }
    if (!geo_lower_layout_local(lower)) {
        geo_strbuf_printf(lower->log, "error: local memory is too large\n");
        return false;
    }
    geo_lower_indirect_plan(lower);
    if (!kernels_emit(state)) {
        return false;
    }
    if (state->result->kernel_count == 0) { /* functions for kernels of other modules */
        uint32_t lanes = lower->options->lanes ? lower->options->lanes : native_lanes(lower);
        lower->indirect_shapes[0][__builtin_ctz(round_lanes(lanes))] = true;
    }
    return geo_lower_shared_variables(lower) && geo_lower_indirect_exports(lower) &&
           instances_emit(lower) && frames_measure(state);
}

static void module_finish(struct module_state *state)
{
    for (size_t i = 0; i < state->callees_count; i++) {
        free(state->callees[i].items);
    }
    geo_lower_instances_finish(&state->lower);
    geo_arena_finish(&state->lower.arena);
}

ze_result_t geo_lower_module(struct geo_ir_module *module, const struct geo_lower_options *options,
                             LLVMContextRef context, struct geo_lower_result *result,
                             struct geo_strbuf *log)
{
    struct module_state state = {
        .lower = {.module = module, .options = options, .context = context, .log = log},
        .result = result,
    };
    *result = (struct geo_lower_result){0};
    geo_arena_init(&state.lower.arena, GEO_LOWER_ARENA_LIMIT);
    state.lower.llvm_module = LLVMModuleCreateWithNameInContext("geoid", context);
    bool good = module_emit(&state);
    bool no_memory = state.lower.no_memory;
    module_finish(&state);
    if (good) {
        result->module = state.lower.llvm_module;
        return ZE_RESULT_SUCCESS;
    }
    LLVMDisposeModule(state.lower.llvm_module);
    return no_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}
