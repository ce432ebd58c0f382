/* Emits calls whose code is loaded from a descriptor (indirect.c) or exists for W = 1 only
 * (call.c). It lays out the arguments of every call, and merges results of several calls in
 * allocas. */
#include "compiler/lower/cpu/call/target.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/instance/signature.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/turn.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

static LLVMValueRef *arguments_new(struct geo_lower_function *f, LLVMTypeRef type,
                                   LLVMValueRef memory, LLVMValueRef context)
{
    GEO_ASSERT(f->frame->contract.launch && f->frame->contract.worker && memory && context);
    LLVMValueRef *arguments =
        geo_arena_new_array(f->arena, LLVMValueRef, LLVMCountParamTypes(type) + 1);
    if (!arguments) {
        geo_state_no_memory(f);
        return NULL;
    }
    arguments[GEO_CALL_LAUNCH] = f->frame->contract.launch;
    arguments[GEO_CALL_WORKER] = f->frame->contract.worker;
    arguments[GEO_CALL_MEMORY] = memory;
    arguments[GEO_CALL_CONTEXT] = context;
    return arguments;
}

/* Returns whether the arguments have the number and the types of the function's parameters. */
static bool arguments_fit(struct geo_lower_function *f, LLVMTypeRef type,
                          const LLVMValueRef *arguments, uint32_t count)
{
    LLVMTypeRef *types =
        geo_arena_new_array(f->arena, LLVMTypeRef, (size_t)LLVMCountParamTypes(type) + 1);
    bool good = count == LLVMCountParamTypes(type);
    if (!types || !good) {
        return good; /* without memory the types stay unchecked */
    }
    LLVMGetParamTypes(type, types);
    for (uint32_t i = 0; i < count; i++) {
        good = good && LLVMTypeOf(arguments[i]) == types[i];
    }
    return good;
}

LLVMValueRef geo_call_target_emit(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                  LLVMTypeRef type, LLVMValueRef code, LLVMValueRef memory)
{
    uint32_t count = LLVMCountParamTypes(type), at = geo_signature_first_argument(f->lanes);
    LLVMValueRef *arguments = arguments_new(f, type, memory, f->frame->contract.context);
    if (!arguments) {
        return NULL;
    }
    if (f->lanes > 1) {
        arguments[GEO_CALL_MASK] = geo_signature_mask(f);
    }
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        uint32_t parts = geo_part_count(inst->operands[i]->type);
        for (uint32_t part = 0; part < parts && at < count; part++) {
            arguments[at++] = geo_value_vector(f, inst->operands[i], part);
        }
    }
    GEO_ASSERT(arguments_fit(f, type, arguments, at));
    return LLVMBuildCall2(f->llvm.builder, type, code, arguments, at, "");
}

/* ---- all lanes at once ---- */

void geo_call_target_wide(struct geo_lower_function *f, struct geo_call_target *call)
{
    LLVMValueRef result = geo_call_target_emit(f, call->inst, call->wide, call->code, call->memory);
    for (uint32_t p = 0; result && p < call->parts; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        LLVMValueRef old = LLVMBuildLoad2(f->llvm.builder, type, call->slots[p], "");
        LLVMValueRef new = geo_signature_result(f, result, p, type);
        LLVMBuildStore(f->llvm.builder, geo_emit_mask_active_select(f, new, old), call->slots[p]);
    }
}

/* ---- lane by lane ---- */

/* Stores the context of one lane, as a chunk of one work-item in rows. */
static void place_store(struct geo_lower_function *f, const struct geo_call_target *call,
                        LLVMValueRef lane)
{
    LLVMBuilderRef b = f->llvm.builder;
    const struct geo_lower_ids *ids = &f->frame->ids;
    struct geo_lower_ids own = *ids;
    lane = LLVMBuildZExt(b, lane, geo_type_i64(f), "");
    if (f->body.shapes->linear) {
        own.linear = LLVMBuildAdd(b, ids->linear, lane, "");
        LLVMValueRef row = LLVMBuildUDiv(b, own.linear, ids->local_size[0], "");
        own.local[0] = LLVMBuildURem(b, own.linear, ids->local_size[0], "");
        own.local[1] = LLVMBuildURem(b, row, ids->local_size[1], "");
        own.local[2] = LLVMBuildUDiv(b, row, ids->local_size[1], "");
    } else {
        own.local[0] = LLVMBuildAdd(b, ids->local[0], lane, "");
        own.linear = geo_emit_const_i64(f, 0);
    }
    geo_frame_ids_context_store(f, call->place, &own);
}

/* Stores part `p` of a call's result to a lane of an alloca. */
static void lane_store(struct geo_lower_function *f, LLVMValueRef slot, LLVMValueRef lane,
                       LLVMValueRef result, uint32_t p)
{
    LLVMTypeRef type = LLVMGetAllocatedType(slot), element = LLVMGetElementType(type);
    LLVMValueRef new = geo_signature_result(f, result, p, element);
    if (element == geo_type_i1(f)) { /* i1 elements are packed in memory */
        LLVMValueRef old = LLVMBuildLoad2(f->llvm.builder, type, slot, "");
        LLVMBuildStore(f->llvm.builder, LLVMBuildInsertElement(f->llvm.builder, old, new, lane, ""),
                       slot);
        return;
    }
    LLVMBuildStore(f->llvm.builder, new,
                   LLVMBuildInBoundsGEP2(f->llvm.builder, element, slot, &lane, 1, ""));
}

static LLVMValueRef call_lane(struct geo_lower_function *f, const struct geo_turn *turn, void *data)
{
    struct geo_call_target *call = data;
    LLVMValueRef *arguments = arguments_new(f, call->narrow, call->memory, call->place);
    uint32_t at = geo_signature_first_argument(1);
    if (!arguments) {
        return NULL;
    }
    place_store(f, call, turn->lane);
    for (uint32_t i = 0; i < call->argument_count; i++) {
        arguments[at++] = geo_emit_turn_value(f, turn, call->arguments[i]);
    }
    GEO_ASSERT(arguments_fit(f, call->narrow, arguments, at));
    LLVMValueRef result =
        LLVMBuildCall2(f->llvm.builder, call->narrow, call->code, arguments, at, "");
    for (uint32_t p = 0; p < call->parts; p++) {
        lane_store(f, call->slots[p], turn->lane, result, p);
    }
    return NULL;
}

void geo_call_target_lanes(struct geo_lower_function *f, struct geo_call_target *call)
{
    call->arguments =
        geo_arena_new_array(f->arena, LLVMValueRef, LLVMCountParamTypes(call->narrow));
    if (!call->arguments) {
        geo_state_no_memory(f);
        return;
    }
    call->argument_count = 0;
    for (uint32_t i = 1; i < call->inst->operand_count; i++) {
        for (uint32_t p = 0; p < geo_part_count(call->inst->operands[i]->type); p++) {
            call->arguments[call->argument_count++] =
                geo_value_vector(f, call->inst->operands[i], p);
        }
    }
    geo_emit_turns(f, NULL, GEO_TURN_LARGE, call_lane, call);
}

/* ---- the result ---- */

bool geo_call_target_begin(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           struct geo_call_target *call)
{
    const struct geo_ir_type *type = inst->value.type;
    *call = (struct geo_call_target){.inst = inst,
                                     .wide = geo_signature_type_of(f, inst, f->lanes),
                                     .narrow = geo_signature_type_of(f, inst, 1),
                                     .parts = geo_part_count(type)};
    call->slots = geo_arena_new_array(f->arena, LLVMValueRef, call->parts);
    if (!call->slots || !call->wide || !call->narrow || f->failed) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef part = geo_type_vector(f, geo_type_of(f, geo_part_type(type, p)));
        call->slots[p] = geo_emit_alloca(f, part, "result");
        LLVMBuildStore(f->llvm.builder, LLVMConstNull(part), call->slots[p]);
    }
    call->place = geo_frame_ids_context_alloca(f, "place");
    return true;
}

void geo_call_target_end(struct geo_lower_function *f, const struct geo_call_target *call)
{
    for (uint32_t p = 0; p < call->parts && !f->failed; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        geo_value_set(f, call->inst, p, LLVMBuildLoad2(f->llvm.builder, type, call->slots[p], ""));
    }
}
