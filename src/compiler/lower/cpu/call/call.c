/* Lowers calls of functions that were not inlined. A call requests the instance of the caller's
 * width; its body is emitted elsewhere. A function with irreducible control flow exists for W = 1
 * only and is called lane by lane (target.c). cpu/control/body.c calls this file. */
#include "compiler/lower/cpu/call/call.h"

#include "base/array.h"
#include "compiler/lower/cpu/call/target.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/instance/instance.h"
#include "compiler/lower/cpu/instance/signature.h"
#include "compiler/lower/emit/type.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* Adds an instance to the list of those that the current function calls. */
static bool note_callee(struct geo_lower_function *f, struct geo_lower_instance *callee)
{
    struct geo_lower_callees *callees = f->frame->callees;
    for (size_t i = 0; i < callees->count; i++) {
        if (callees->items[i] == callee) {
            return true;
        }
    }
    if (!geo_array_reserve(callees, 1)) {
        geo_state_no_memory(f);
        return false;
    }
    callees->items[callees->count++] = callee;
    return true;
}

static void set_results(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                        LLVMValueRef call)
{
    for (uint32_t part = 0; part < geo_part_count(inst->value.type); part++) {
        LLVMTypeRef type = geo_type_of(f, geo_part_type(inst->value.type, part));
        type = geo_type_vector(f, type);
        geo_value_set(f, inst, part, geo_signature_result(f, call, part, type));
    }
}

/* Calls a function with irreducible control flow, lane by lane. */
static bool call_irreducible(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                             struct geo_lower_code *code)
{
    struct geo_call_target call;
    if (code->subgroups) {
        geo_state_error(f, inst,
                        "sub-group built-ins in irreducible control flow are not supported");
        return false;
    }
    struct geo_lower_instance *callee = geo_instance_get(f, code, 1, false);
    if (!callee || !note_callee(f, callee) || !geo_call_target_begin(f, inst, &call)) {
        return false;
    }
    call.code = callee->function;
    call.memory = f->frame->contract.callee_memory;
    geo_call_target_lanes(f, &call);
    geo_call_target_end(f, &call);
    return !f->failed;
}

bool geo_call_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_function *function = geo_ir_as_function(inst->operands[0]);
    struct geo_lower_code *code = function ? geo_state_code_find(f->lower, function) : NULL;
    if (!code) {
        geo_state_error(f, inst, "call of a function without a body (%s)",
                        function && function->linkage_name ? function->linkage_name : "unnamed");
        return false;
    }
    if (code->barriers.count) {
        geo_state_error(f, inst, "call of a function that has a barrier and was not inlined");
        return false;
    }
    if (f->lanes > 1 && !code->canonical) {
        return call_irreducible(f, inst, code);
    }
    struct geo_lower_instance *callee = geo_instance_get(f, code, f->lanes, f->body.shapes->linear);
    if (!callee || !note_callee(f, callee)) {
        return false;
    }
    LLVMValueRef call = geo_call_target_emit(f, inst, callee->type, callee->function,
                                             f->frame->contract.callee_memory);
    if (call) {
        set_results(f, inst, call);
    }
    return !f->failed;
}
