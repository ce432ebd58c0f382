/* Calls through pointers to functions, which are addresses of descriptors (descriptor.c).
 *
 * A pointer may differ from lane to lane: the distinct targets are called in turn, each with the
 * lanes that have it. A target is called at the caller's own width where its descriptor has code
 * for that, else for one lane after the other: descriptors of other modules, and those made before
 * a caller was known, have code for one work-item at least. Bad pointers trap, which is a fault
 * of the kernel. */
#include "compiler/lower/frame/frame.h"
#include "compiler/lower/instruction/instruction.h"

static uint32_t width_of(uint32_t lanes)
{
    return (uint32_t)__builtin_ctz(lanes);
}

struct call {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    LLVMTypeRef wide;                 /* of the function at the caller's width */
    struct geo_lower_lane_call lanes; /* its memory and code are those of call_wide, too */
    LLVMValueRef limit;               /* where the target's private variables have to end */
    LLVMValueRef target;              /* the descriptor */
};

/* Goes on when the condition holds, traps when not. */
static void require(struct geo_lower_function *f, LLVMValueRef condition)
{
    LLVMBasicBlockRef bad = geo_lower_block(f, "bad.pointer");
    LLVMBasicBlockRef good = geo_lower_block(f, "pointer");
    LLVMBuildCondBr(f->builder, condition, good, bad);
    LLVMPositionBuilderAtEnd(f->builder, bad);
    geo_emit_intrinsic_of(f, "llvm.trap", NULL, 0, NULL, 0);
    LLVMBuildUnreachable(f->builder);
    LLVMPositionBuilderAtEnd(f->builder, good);
}

static LLVMValueRef load_field(struct call *call, LLVMTypeRef type, uint64_t offset)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef value =
        LLVMBuildLoad2(f->builder, type, geo_lower_offset(f, call->target, offset), "");
    LLVMSetAlignment(value, 8);
    return value;
}

static LLVMValueRef equal(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(f->builder, LLVMIntEQ, a, b, "");
}

/* Reads the descriptor's entry for a width and checks what it needs. */
static LLVMValueRef entry_load(struct call *call, uint32_t width, bool linear, LLVMValueRef *bytes)
{
    uint64_t at = offsetof(struct geo_function, entries) +
                  (linear ? sizeof(struct geo_function_entry[GEO_FUNCTION_WIDTHS]) : 0) +
                  width * sizeof(struct geo_function_entry);
    *bytes = load_field(call, geo_lower_i64(call->f),
                        at + offsetof(struct geo_function_entry, frame_bytes));
    return load_field(call, geo_lower_ptr(call->f), at);
}

static void require_memory(struct call *call, LLVMValueRef bytes)
{
    struct geo_lower_function *f = call->f;
    LLVMTypeRef word = geo_lower_i64(f);
    LLVMValueRef room =
        LLVMBuildSub(f->builder, LLVMBuildPtrToInt(f->builder, call->limit, word, ""),
                     LLVMBuildPtrToInt(f->builder, call->lanes.memory, word, ""), "room");
    require(f,
            LLVMBuildAnd(f->builder,
                         LLVMBuildICmp(f->builder, LLVMIntSGE, room, geo_lower_const_i64(f, 0), ""),
                         LLVMBuildICmp(f->builder, LLVMIntUGE, room, bytes, ""), ""));
}

static LLVMValueRef *arguments_new(struct call *call, LLVMTypeRef type, LLVMValueRef context)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef *arguments =
        geo_arena_new_array(f->arena, LLVMValueRef, LLVMCountParamTypes(type) + 1);
    if (!arguments) {
        geo_lower_no_memory(f);
        return NULL;
    }
    arguments[0] = f->frame->launch;
    arguments[1] = f->frame->worker;
    arguments[2] = call->lanes.memory;
    arguments[3] = context;
    return arguments;
}

/* ---- one call for all lanes ---- */

static void call_wide(struct call *call)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef *arguments = arguments_new(call, call->wide, f->frame->context);
    uint32_t at = 4;
    if (!arguments) {
        return;
    }
    if (f->lanes > 1) {
        arguments[at++] = geo_lower_mask_argument(f);
    }
    for (uint32_t i = 1; i < call->inst->operand_count; i++) {
        for (uint32_t p = 0; p < geo_lower_part_count(call->inst->operands[i]->type); p++) {
            arguments[at++] = geo_lower_vector(f, call->inst->operands[i], p);
        }
    }
    LLVMValueRef result =
        LLVMBuildCall2(f->builder, call->wide, call->lanes.code, arguments, at, "");
    for (uint32_t p = 0; p < call->lanes.parts; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->lanes.slots[p]);
        LLVMValueRef old = LLVMBuildLoad2(f->builder, type, call->lanes.slots[p], "");
        LLVMValueRef new = geo_lower_call_result(f, result, p, type);
        LLVMBuildStore(f->builder, geo_lower_select_mask(f, new, old), call->lanes.slots[p]);
    }
}

/* ---- one target ---- */

/* Calls the function of a descriptor for the lanes of f->mask. */
static void call_target(struct call *call, LLVMValueRef target)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef bytes;
    call->target = target;
    require(f, equal(f, load_field(call, geo_lower_i64(f), offsetof(struct geo_function, magic)),
                     LLVMConstInt(geo_lower_i64(f), GEO_FUNCTION_MAGIC, 0)));
    require(f, equal(f, load_field(call, geo_lower_ptr(f), offsetof(struct geo_function, self)),
                     target));
    LLVMValueRef object = load_field(call, geo_lower_ptr(f), offsetof(struct geo_function, object));
    require(f, LLVMBuildOr(f->builder, LLVMBuildIsNull(f->builder, object, ""),
                           equal(f, object, geo_lower_object_mark(f->lower)), ""));
    call->lanes.code = entry_load(call, width_of(f->lanes), f->shapes->linear, &bytes);
    LLVMValueRef found = LLVMBuildIsNotNull(f->builder, call->lanes.code, "");
    if (f->lanes == 1) {
        require(f, found);
        require_memory(call, bytes);
        call_wide(call);
        return;
    }
    LLVMBasicBlockRef wide = geo_lower_block(f, "call.wide");
    LLVMBasicBlockRef narrow = geo_lower_block(f, "call.lanes");
    LLVMBasicBlockRef done = geo_lower_block(f, "called");
    LLVMBuildCondBr(f->builder, found, wide, narrow);
    LLVMPositionBuilderAtEnd(f->builder, wide);
    require_memory(call, bytes);
    call_wide(call);
    LLVMBuildBr(f->builder, done);
    LLVMPositionBuilderAtEnd(f->builder, narrow);
    call->lanes.code = entry_load(call, 0, false, &bytes);
    require(f, LLVMBuildIsNotNull(f->builder, call->lanes.code, ""));
    require_memory(call, bytes);
    geo_lower_lane_call_emit(f, &call->lanes);
    LLVMBuildBr(f->builder, done);
    LLVMPositionBuilderAtEnd(f->builder, done);
}

/* while some lane is left: the first one's target, for all lanes that have it */
static void call_targets(struct call *call, LLVMValueRef pointers)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef mask = f->mask;
    LLVMTypeRef mask_type = geo_lower_mask_type(f);
    LLVMValueRef left = geo_lower_alloca(f, mask_type, "left");
    LLVMBasicBlockRef head = geo_lower_block(f, "targets");
    LLVMBasicBlockRef body = geo_lower_block(f, "target");
    LLVMBasicBlockRef done = geo_lower_block(f, "targets.done");
    LLVMBuildStore(f->builder, geo_lower_mask_vector(f), left);
    LLVMBuildBr(f->builder, head);
    LLVMPositionBuilderAtEnd(f->builder, head);
    LLVMValueRef rest = LLVMBuildLoad2(f->builder, mask_type, left, "");
    LLVMBuildCondBr(f->builder, geo_lower_any(f, rest), body, done);
    LLVMPositionBuilderAtEnd(f->builder, body);
    LLVMValueRef lane = geo_lower_count_zeros(f, geo_lower_mask_bits(f, rest));
    LLVMValueRef target = LLVMBuildExtractElement(f->builder, pointers, lane, "target");
    LLVMValueRef same = equal(f, pointers, geo_lower_splat(f, target));
    f->mask = LLVMBuildAnd(f->builder, rest, same, "");
    LLVMBuildStore(f->builder,
                   LLVMBuildAnd(f->builder, rest, LLVMBuildNot(f->builder, same, ""), ""), left);
    call_target(call, target);
    LLVMBuildBr(f->builder, head);
    LLVMPositionBuilderAtEnd(f->builder, done);
    f->mask = mask;
}

/* ---- the instruction ---- */

static LLVMTypeRef wide_type(struct geo_lower_function *f, const struct geo_ir_inst *inst)
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
    return geo_lower_call_type(f, inst->value.type, types, count, f->lanes);
}

bool geo_lower_indirect_call(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct call call = {.f = f, .inst = inst, .wide = wide_type(f, inst)};
    struct geo_ir_value *pointer = inst->operands[0];
    if (!call.wide || !geo_lower_lane_call_begin(f, inst, &call.lanes)) {
        return false;
    }
    f->lower->indirect_shapes[f->shapes->linear][width_of(f->lanes)] = true;
    call.lanes.memory = geo_lower_offset(f, f->frame->callee_memory, GEO_LOWER_STEP_BYTES);
    call.limit = geo_lower_offset_by(
        f, f->frame->scratch,
        geo_lower_launch_field(f, geo_lower_i64(f), offsetof(struct geo_launch, chunk_offset),
                               "frame.end"));
    if (geo_lower_as_scalar(f, pointer) && geo_lower_shape(f, pointer).kind == GEO_SHAPE_UNIFORM) {
        call_target(&call, geo_lower_scalar(f, pointer, 0));
    } else {
        call_targets(&call, geo_lower_vector(f, pointer, 0));
    }
    geo_lower_lane_call_end(f, &call.lanes);
    return !f->failed;
}
