/* Lowers one module of the model to LLVM IR. This is the top of lower/; codegen and the facade call
 * it.
 *
 * First it emits every kernel at its width. Then it emits the instances and variables that were
 * requested, each of which may request more, until none is left. Last come the descriptors and the
 * sizes of frames, which are known only then. */
#include "compiler/lower/lower.h"

#include "base/assert.h"
#include "compiler/lower/function/instance.h"
#include "compiler/lower/function/kernel.h"
#include "compiler/lower/function/width.h"
#include "compiler/lower/global/initializer.h"
#include "compiler/lower/global/local_memory.h"
#include "compiler/lower/global/variable.h"
#include "compiler/lower/instance/entries.h"
#include "compiler/lower/state/place.h"

#include <stdlib.h>

/* The state of one call of geo_lower_module. */
struct module_state {
    struct geo_lower lower;
    struct geo_lower_result *result;
    struct geo_lower_callees *callees; /* instances that each kernel calls */
    size_t callees_count;
};

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
        struct geo_lower_code *code = geo_state_code_find(lower, function);
        if (!code || !function->is_kernel) {
            continue;
        }
        uint32_t at = state->result->kernel_count++;
        struct geo_lower_kernel *kernel = &state->result->kernels[at];
        state->callees_count = at + 1;
        if (!geo_function_kernel_plan(lower, code, kernel) ||
            !geo_function_kernel_emit(lower, code, kernel, &state->callees[at])) {
            return false;
        }
    }
    return true;
}

/* Emits requested variables and instances until none is left. Emission may request more: by a call,
 * or by the address of a function or of a variable. */
static bool instances_emit(struct geo_lower *lower)
{
    for (;;) {
        if (!geo_global_variables_define(lower) || !geo_entries_queue(lower)) {
            return false;
        }
        if (!lower->queue) {
            return true;
        }
        while (lower->queue) {
            struct geo_lower_instance *instance = lower->queue;
            lower->queue = instance->next_queued;
            if (!geo_function_instance_emit(lower, instance)) {
                return false;
            }
        }
    }
}

/* Computes each kernel's frame size: its own private variables plus those of the deepest chain of
 * calls. */
static bool frames_measure(struct module_state *state)
{
    uint64_t reserve = 0;
    GEO_ASSERT(!state->lower.queue && state->lower.defined_count == state->lower.declared_count);
    if (!geo_entries_fill(&state->lower, &reserve)) {
        state->lower.no_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < state->result->kernel_count; i++) {
        struct geo_lower_kernel *kernel = &state->result->kernels[i];
        uint64_t deepest = 0;
        for (size_t k = 0; k < state->callees[i].count; k++) {
            struct geo_lower_instance *callee = state->callees[i].items[k];
            if (!geo_instance_measure(callee)) {
                state->lower.no_memory = true;
                return false;
            }
            deepest = callee->total_bytes > deepest ? callee->total_bytes : deepest;
        }
        kernel->frame_bytes += deepest + reserve;
        if (kernel->frame_bytes > GEO_PLACE_LIMIT) {
            geo_strbuf_printf(state->lower.log,
                              "error: kernel %.200s: the private variables of the functions that "
                              "it calls have %llu bytes: at most %llu are possible\n",
                              kernel->function->entry_name, (unsigned long long)kernel->frame_bytes,
                              (unsigned long long)GEO_PLACE_LIMIT);
            return false;
        }
    }
    return true;
}

static bool module_emit(struct module_state *state)
{
    struct geo_lower *lower = &state->lower;
    lower->globals =
        geo_arena_new_array(&lower->arena, LLVMValueRef, lower->module->variables.count + 1);
    lower->declared =
        geo_arena_new_array(&lower->arena, size_t, lower->module->variables.count + 1);
    if (!lower->globals || !lower->declared || !geo_state_codes_make(lower)) {
        lower->no_memory = true;
        return false;
    }
    GEO_ASSERT(!lower->queue && !lower->descriptors);
    if (!geo_global_local_place(lower) || !kernels_emit(state)) {
        return false;
    }
    /* a library: its functions are for kernels of other modules */
    if (state->result->kernel_count == 0) {
        lower->indirect_shapes[0][__builtin_ctz(geo_function_default_lanes(lower))] = true;
    }
    return geo_global_shared_variables(lower) && geo_entries_export(lower) &&
           instances_emit(lower) && frames_measure(state);
}

static void module_finish(struct module_state *state)
{
    for (size_t i = 0; i < state->callees_count; i++) {
        free(state->callees[i].items);
    }
    geo_instances_finish(&state->lower);
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
