/* Emits a module for the CPU. First it emits every kernel at its width. Then it emits the instances
 * and variables that were requested, each of which may request more, until none is left. Last come
 * the descriptors and the sizes of frames, which are known only then. */
#include "compiler/lower/cpu/module.h"

#include "base/assert.h"
#include "compiler/lower/cpu/function/instance.h"
#include "compiler/lower/cpu/function/kernel.h"
#include "compiler/lower/cpu/function/width.h"
#include "compiler/lower/cpu/instance/entries.h"
#include "compiler/lower/debug/debug.h"
#include "compiler/lower/global/initializer.h"
#include "compiler/lower/global/variable.h"
#include "compiler/lower/state/place.h"

#include <stdlib.h>

static bool kernels_emit(struct geo_lower *lower, struct geo_lower_result *result)
{
    struct geo_lower_module_frame *frame = lower->frame;
    uint32_t count = 0;
    geo_ir_for_each_function(function, lower->module) {
        count += function->is_kernel && function->first_block;
    }
    result->kernels =
        geo_arena_new_array(&lower->module->arena, struct geo_lower_kernel, count + 1);
    frame->callees = geo_arena_new_array(&lower->arena, struct geo_lower_callees, count + 1);
    if (!result->kernels || !frame->callees) {
        lower->no_memory = true;
        return false;
    }
    geo_ir_for_each_function(function, lower->module) {
        struct geo_lower_code *code = geo_state_code_find(lower, function);
        if (!code || !function->is_kernel) {
            continue;
        }
        uint32_t at = result->kernel_count++;
        struct geo_lower_kernel *kernel = &result->kernels[at];
        frame->callees_count = at + 1;
        if (!geo_function_width_plan(lower, code, kernel) ||
            !geo_function_kernel_emit(lower, code, kernel, &frame->callees[at])) {
            return false;
        }
    }
    return true;
}

/* Emits requested variables and instances until none is left. Emission may request more: by a call,
 * or by the address of a function or of a variable. */
static bool instances_emit(struct geo_lower *lower)
{
    struct geo_lower_module_frame *frame = lower->frame;
    for (;;) {
        if (!geo_global_initializer_define(lower) || !geo_entries_queue(lower)) {
            return false;
        }
        if (!frame->queue) {
            return true;
        }
        while (frame->queue) {
            struct geo_lower_instance *instance = frame->queue;
            frame->queue = instance->next_queued;
            if (!geo_function_instance_emit(lower, instance)) {
                return false;
            }
        }
    }
}

/* Computes each kernel's frame size: its own private variables plus those of the deepest chain of
 * calls. */
static bool frames_measure(struct geo_lower *lower, struct geo_lower_result *result)
{
    struct geo_lower_module_frame *frame = lower->frame;
    uint64_t reserve = 0;
    GEO_ASSERT(!frame->queue && lower->defined_count == lower->declared_count);
    if (!geo_entries_fill(lower, &reserve)) {
        lower->no_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < result->kernel_count; i++) {
        struct geo_lower_kernel *kernel = &result->kernels[i];
        uint64_t deepest = 0;
        for (size_t k = 0; k < frame->callees[i].count; k++) {
            struct geo_lower_instance *callee = frame->callees[i].items[k];
            if (!geo_instance_measure(callee)) {
                lower->no_memory = true;
                return false;
            }
            deepest = callee->total_bytes > deepest ? callee->total_bytes : deepest;
        }
        kernel->frame_bytes += deepest + reserve;
        if (kernel->frame_bytes > GEO_PLACE_LIMIT) {
            geo_strbuf_printf(lower->log,
                              "error: kernel %.200s: the private variables of the functions that "
                              "it calls have %llu bytes: at most %llu are possible\n",
                              kernel->function->entry_name, (unsigned long long)kernel->frame_bytes,
                              (unsigned long long)GEO_PLACE_LIMIT);
            return false;
        }
    }
    return true;
}

static bool frame_make(struct geo_lower *lower)
{
    lower->frame = geo_arena_new(&lower->arena, struct geo_lower_module_frame);
    if (!lower->frame) {
        return false;
    }
    lower->frame->requests =
        geo_arena_new_array(&lower->arena, struct geo_lower_requests, lower->code_count + 1u);
    return lower->frame->requests != NULL;
}

bool geo_cpu_module_emit(struct geo_lower *lower, struct geo_lower_result *result)
{
    if (!frame_make(lower)) {
        lower->no_memory = true;
        return false;
    }
    geo_debug_begin(lower);
    if (!kernels_emit(lower, result)) {
        return false;
    }
    /* a library: its functions are for kernels of other modules */
    if (result->kernel_count == 0) {
        uint32_t width = (uint32_t)__builtin_ctz(geo_function_width_default(lower));
        lower->frame->indirect_shapes[0][width] = true;
    }
    return geo_global_shared_variables(lower) && geo_entries_export(lower) &&
           instances_emit(lower) && frames_measure(lower, result);
}

void geo_cpu_module_finish(struct geo_lower *lower)
{
    struct geo_lower_module_frame *frame = lower->frame;
    geo_debug_end(lower);
    for (size_t i = 0; frame && i < frame->callees_count; i++) {
        free(frame->callees[i].items);
    }
    if (frame) {
        geo_instances_finish(lower);
    }
}
