/* Lowers calls of host services: printf and failed assertions (struct geo_services in abi.h).
 *
 * Active lanes call one after another, in the order of their work-items. Each stores its values in
 * an array of 64-bit slots on the stack, which the whole function shares, and calls the service
 * through the launch. */
#include "compiler/lower/cpu/call/service.h"

#include "base/assert.h"
#include "compiler/analysis/prints.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/turn.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

#include <stddef.h>

/* Largest number of slots of one call, because the array is on the stack of the calling thread. */
#define SLOTS_LIMIT 2048u

/* One call of a service. */
struct service_call {
    const struct geo_ir_inst *inst;
    uint32_t first;      /* operand whose value goes to slot 0 */
    uint64_t field;      /* offset of the service in struct geo_services */
    LLVMValueRef format; /* format string; only for printf */
    LLVMValueRef types;
    LLVMValueRef slots;  /* alloca of the slots */
    LLVMValueRef *parts; /* by slot: a scalar if equal in all lanes, otherwise a vector */
    uint32_t slot_count;
};

/* ---- the operands ---- */

static LLVMValueRef operand_part(struct geo_lower_function *f, struct geo_ir_value *value,
                                 uint32_t part)
{
    bool uniform = geo_value_is_uniform(f, value);
    return geo_value_operand(f, value, part, uniform);
}

static bool parts_make(struct geo_lower_function *f, struct service_call *call)
{
    uint64_t count = geo_state_code_service_slots(call->inst);
    if (count > SLOTS_LIMIT) {
        geo_state_error(f, call->inst, "it passes more than %u values", SLOTS_LIMIT);
        return false;
    }
    call->parts = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!call->parts) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = call->first; i < call->inst->operand_count; i++) {
        struct geo_ir_value *operand = call->inst->operands[i];
        for (uint32_t part = 0; part < geo_part_count(operand->type); part++) {
            GEO_ASSERT(call->slot_count < count);
            call->parts[call->slot_count++] = operand_part(f, operand, part);
        }
    }
    return true;
}

/* Returns the function's array of slots, creating it on the first request. */
static LLVMValueRef slots_get(struct geo_lower_function *f)
{
    if (!f->frame->service_slots) {
        uint64_t count = f->frame->code->service_slots;
        count = count < SLOTS_LIMIT ? count : SLOTS_LIMIT;
        GEO_ASSERT(count > 0); /* state/code.c has seen this call */
        f->frame->service_slots =
            geo_emit_alloca(f, LLVMArrayType2(geo_type_i64(f), count), "values");
    }
    return f->frame->service_slots;
}

/* ---- one lane ---- */

static LLVMValueRef slot_bits(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind) {
        return LLVMBuildPtrToInt(f->llvm.builder, value, geo_type_i64(f), "");
    }
    return geo_emit_zext(f, geo_emit_to_bits(f, value), 64);
}

static LLVMValueRef emit_lane(struct geo_lower_function *f, const struct geo_turn *turn, void *data)
{
    const struct service_call *call = data;
    LLVMTypeRef ptr = geo_type_ptr(f);
    for (uint32_t i = 0; i < call->slot_count; i++) {
        LLVMValueRef bits = slot_bits(f, geo_emit_turn_value(f, turn, call->parts[i]));
        LLVMBuildStore(f->llvm.builder, bits,
                       geo_emit_offset_const(f, call->slots, 8 * (uint64_t)i));
    }
    LLVMValueRef services =
        geo_frame_launch_field(f, ptr, offsetof(struct geo_launch, services), "services");
    LLVMValueRef function =
        geo_emit_load_invariant(f, ptr, geo_emit_offset_const(f, services, call->field), 8);
    if (!call->format) {
        LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->llvm.context),
                                            (LLVMTypeRef[]){ptr, ptr}, 2, 0);
        LLVMBuildCall2(f->llvm.builder, type, function,
                       (LLVMValueRef[]){f->frame->contract.launch, call->slots}, 2, "");
        return NULL;
    }
    LLVMTypeRef word = geo_type_i32(f);
    LLVMTypeRef type = LLVMFunctionType(word, (LLVMTypeRef[]){ptr, ptr, ptr, word, ptr}, 5, 0);
    LLVMValueRef arguments[] = {f->frame->contract.launch,
                                geo_emit_turn_value(f, turn, call->format), call->types,
                                geo_emit_const_i32(f, call->inst->operand_count - 1), call->slots};
    return LLVMBuildCall2(f->llvm.builder, type, function, arguments, 5, "");
}

/* ---- printf ---- */

/* Returns a constant with the types of the arguments (struct geo_cl_type[]), or NULL after a
 * failure. */
static LLVMValueRef types_make(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = inst->operand_count - 1;
    struct geo_cl_type *types = geo_arena_new_array(f->arena, struct geo_cl_type, count + 1);
    if (!types) {
        geo_state_no_memory(f);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!geo_print_type(inst->operands[i + 1]->type, &types[i])) {
            geo_state_error(f, inst,
                            "argument %u is not a number, a vector of numbers or a pointer", i + 1);
            return NULL;
        }
    }
    LLVMValueRef bytes = LLVMConstStringInContext2(f->llvm.context, (const char *)types,
                                                   count * sizeof(*types), true);
    LLVMValueRef global = LLVMAddGlobal(f->llvm.module, LLVMTypeOf(bytes), "print.types");
    LLVMSetInitializer(global, bytes);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

bool geo_call_service_print(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct service_call call = {
        .inst = inst, .first = 1, .field = offsetof(struct geo_services, print)};
    if (inst->operand_count == 0 || inst->operands[0]->type->kind != GEO_TYPE_POINTER ||
        inst->value.type->kind != GEO_TYPE_INT) {
        geo_state_error(f, inst, "printf needs a format and returns an integer");
        return false;
    }
    call.types = types_make(f, inst);
    if (!call.types || !parts_make(f, &call)) {
        return false;
    }
    call.format = operand_part(f, inst->operands[0], 0);
    call.slots = slots_get(f);
    LLVMValueRef result = geo_emit_turns(f, geo_type_i32(f), GEO_TURN_LARGE, emit_lane, &call);
    geo_value_set_wide(f, inst, 0, geo_emit_sext(f, result, inst->value.type->width));
    return true;
}

/* ---- assert ---- */

bool geo_call_service_assert_fail(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct service_call call = {.inst = inst, .field = offsetof(struct geo_services, assert_fail)};
    if (!parts_make(f, &call)) {
        return false;
    }
    call.slots = slots_get(f);
    geo_emit_turns(f, NULL, GEO_TURN_LARGE, emit_lane, &call);
    return true;
}
