/* Calls that the lanes make one after the other, of code for one work-item: where there is no code
 * for the caller's width (indirect.c), or cannot be (call.c: irreducible control flow). */
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/frame/frame.h"
#include "compiler/lower/instruction/instruction.h"

/* The context of one lane, as a chunk of one work-item in rows. */
static void place_store(struct geo_lower_function *f, const struct geo_lower_lane_call *call,
                        LLVMValueRef lane)
{
    const struct geo_lower_ids *ids = &f->frame->ids;
    LLVMBuilderRef b = f->builder;
    LLVMValueRef fields[GEO_LOWER_CONTEXT_FIELDS] = {ids->group[0], ids->group[1], ids->group[2]};
    lane = LLVMBuildZExt(b, lane, geo_lower_i64(f), "");
    if (f->shapes->linear) {
        LLVMValueRef linear = LLVMBuildAdd(b, ids->linear, lane, "");
        LLVMValueRef row = LLVMBuildUDiv(b, linear, ids->local_size[0], "");
        fields[3] = LLVMBuildURem(b, linear, ids->local_size[0], "");
        fields[4] = LLVMBuildURem(b, row, ids->local_size[1], "");
        fields[5] = LLVMBuildUDiv(b, row, ids->local_size[1], "");
        fields[6] = linear;
    } else {
        fields[3] = LLVMBuildAdd(b, ids->local[0], lane, "");
        fields[4] = ids->local[1];
        fields[5] = ids->local[2];
        fields[6] = geo_lower_const_i64(f, 0);
    }
    for (uint32_t i = 0; i < GEO_LOWER_CONTEXT_FIELDS; i++) {
        LLVMBuildStore(b, fields[i], geo_lower_offset(f, call->place, 8 * (uint64_t)i));
    }
}

static LLVMValueRef call_lane(struct geo_lower_function *f, LLVMValueRef lane, void *data)
{
    struct geo_lower_lane_call *call = data;
    LLVMValueRef *arguments =
        geo_arena_new_array(f->arena, LLVMValueRef, LLVMCountParamTypes(call->type) + 1);
    uint32_t at = 0;
    if (!arguments) {
        geo_lower_no_memory(f);
        return NULL;
    }
    arguments[at++] = f->frame->launch;
    arguments[at++] = f->frame->worker;
    arguments[at++] = call->memory;
    arguments[at++] = call->place;
    place_store(f, call, lane);
    for (uint32_t i = 1; i < call->inst->operand_count; i++) {
        for (uint32_t p = 0; p < geo_lower_part_count(call->inst->operands[i]->type); p++) {
            LLVMValueRef wide = geo_lower_vector(f, call->inst->operands[i], p);
            arguments[at++] = LLVMBuildExtractElement(f->builder, wide, lane, "");
        }
    }
    LLVMValueRef result = LLVMBuildCall2(f->builder, call->type, call->code, arguments, at, "");
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        LLVMValueRef old = LLVMBuildLoad2(f->builder, type, call->slots[p], "");
        LLVMValueRef new = geo_lower_call_result(f, result, p, geo_emit_element(old));
        LLVMBuildStore(f->builder, LLVMBuildInsertElement(f->builder, old, new, lane, ""),
                       call->slots[p]);
    }
    return NULL;
}

void geo_lower_lane_call_emit(struct geo_lower_function *f, struct geo_lower_lane_call *call)
{
    geo_lower_for_each_lane(f, NULL, call_lane, call);
}

static LLVMTypeRef narrow_type(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = inst->operand_count - 1;
    const struct geo_ir_type **types =
        geo_arena_new_array(f->arena, const struct geo_ir_type *, count);
    if (!types) {
        geo_lower_no_memory(f);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = inst->operands[1 + i]->type;
    }
    return geo_lower_call_type(f, inst->value.type, types, count, 1);
}

bool geo_lower_lane_call_begin(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                               struct geo_lower_lane_call *call)
{
    const struct geo_ir_type *type = inst->value.type;
    *call = (struct geo_lower_lane_call){
        .inst = inst, .type = narrow_type(f, inst), .parts = geo_lower_part_count(type)};
    call->slots = geo_arena_new_array(f->arena, LLVMValueRef, call->parts);
    if (!call->slots || !call->type || f->failed) {
        geo_lower_no_memory(f);
        return false;
    }
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef part =
            geo_lower_vector_type(f, geo_lower_scalar_type(f, geo_lower_part_type(type, p)));
        call->slots[p] = geo_lower_alloca(f, part, "result");
        LLVMBuildStore(f->builder, LLVMConstNull(part), call->slots[p]);
    }
    call->place =
        geo_lower_alloca(f, LLVMArrayType2(geo_lower_i64(f), GEO_LOWER_CONTEXT_FIELDS), "place");
    return true;
}

void geo_lower_lane_call_end(struct geo_lower_function *f, const struct geo_lower_lane_call *call)
{
    for (uint32_t p = 0; p < call->parts && !f->failed; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        geo_lower_set(f, call->inst, p, LLVMBuildLoad2(f->builder, type, call->slots[p], ""));
    }
}
