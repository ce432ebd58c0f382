/* Calls through pointers to functions, which are addresses of descriptors (descriptor.c).
 *
 * A pointer may differ from lane to lane: the distinct targets are called in turn, each with the
 * lanes that have it. A target is called at the caller's own width where its descriptor has code
 * for that, else for one lane after the other: descriptors of other modules, and those made before
 * a caller was known, have code for one work-item at least. Bad pointers trap, which is a fault
 * of the kernel. */
#include "compiler/lower/frame.h"
#include "compiler/lower/instruction.h"

static uint32_t width_of(uint32_t lanes)
{
    return (uint32_t)__builtin_ctz(lanes);
}

struct call {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    LLVMTypeRef wide, narrow; /* of the function at the caller's width, and for one work-item */
    LLVMValueRef *slots;      /* [parts of the result] allocas at the caller's width */
    uint32_t parts;
    LLVMValueRef memory;       /* where the target's private variables start */
    LLVMValueRef limit;        /* where they have to end */
    LLVMValueRef place;        /* alloca of i64[7]: the context of one work-item */
    LLVMValueRef target, code; /* the descriptor; the code being called */
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
                     LLVMBuildPtrToInt(f->builder, call->memory, word, ""), "room");
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
    arguments[2] = call->memory;
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
    LLVMValueRef result = LLVMBuildCall2(f->builder, call->wide, call->code, arguments, at, "");
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        LLVMValueRef old = LLVMBuildLoad2(f->builder, type, call->slots[p], "");
        LLVMValueRef new = LLVMBuildExtractValue(f->builder, result, p, "");
        LLVMBuildStore(f->builder, geo_lower_select_mask(f, new, old), call->slots[p]);
    }
}

/* ---- a call for each lane ---- */

/* The context of one lane, as a chunk of one work-item in rows. */
static void place_store(struct call *call, LLVMValueRef lane)
{
    struct geo_lower_function *f = call->f;
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
    struct call *call = data;
    LLVMValueRef *arguments = arguments_new(call, call->narrow, call->place);
    uint32_t at = 4;
    if (!arguments) {
        return NULL;
    }
    place_store(call, lane);
    for (uint32_t i = 1; i < call->inst->operand_count; i++) {
        for (uint32_t p = 0; p < geo_lower_part_count(call->inst->operands[i]->type); p++) {
            LLVMValueRef wide = geo_lower_vector(f, call->inst->operands[i], p);
            arguments[at++] = LLVMBuildExtractElement(f->builder, wide, lane, "");
        }
    }
    LLVMValueRef result = LLVMBuildCall2(f->builder, call->narrow, call->code, arguments, at, "");
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        LLVMValueRef old = LLVMBuildLoad2(f->builder, type, call->slots[p], "");
        LLVMValueRef new = LLVMBuildExtractValue(f->builder, result, p, "");
        LLVMBuildStore(f->builder, LLVMBuildInsertElement(f->builder, old, new, lane, ""),
                       call->slots[p]);
    }
    return NULL;
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
    call->code = entry_load(call, width_of(f->lanes), f->shapes->linear, &bytes);
    LLVMValueRef found = LLVMBuildIsNotNull(f->builder, call->code, "");
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
    call->code = entry_load(call, 0, false, &bytes);
    require(f, LLVMBuildIsNotNull(f->builder, call->code, ""));
    require_memory(call, bytes);
    geo_lower_for_each_lane(f, NULL, call_lane, call);
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

static bool call_types(struct call *call)
{
    struct geo_lower_function *f = call->f;
    uint32_t count = call->inst->operand_count - 1;
    const struct geo_ir_type **types =
        geo_arena_new_array(f->arena, const struct geo_ir_type *, count);
    if (!types) {
        geo_lower_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = call->inst->operands[1 + i]->type;
    }
    const struct geo_ir_type *result = call->inst->value.type;
    call->wide = geo_lower_call_type(f, result, types, count, f->lanes);
    call->narrow = geo_lower_call_type(f, result, types, count, 1);
    return call->wide && call->narrow && !f->failed;
}

static bool call_slots(struct call *call)
{
    struct geo_lower_function *f = call->f;
    const struct geo_ir_type *type = call->inst->value.type;
    call->parts = geo_lower_part_count(type);
    call->slots = geo_arena_new_array(f->arena, LLVMValueRef, call->parts);
    if (!call->slots) {
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

bool geo_lower_indirect_call(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct call call = {.f = f, .inst = inst};
    struct geo_ir_value *pointer = inst->operands[0];
    if (!call_types(&call) || !call_slots(&call)) {
        return false;
    }
    f->lower->indirect_shapes[f->shapes->linear][width_of(f->lanes)] = true;
    call.memory = geo_lower_offset(f, f->frame->callee_memory, GEO_LOWER_STEP_BYTES);
    call.limit = geo_lower_offset_by(
        f, f->frame->scratch,
        geo_lower_launch_field(f, geo_lower_i64(f), offsetof(struct geo_launch, chunk_offset),
                               "frame.end"));
    if (geo_lower_as_scalar(f, pointer) && geo_lower_shape(f, pointer).kind == GEO_SHAPE_UNIFORM) {
        call_target(&call, geo_lower_scalar(f, pointer, 0));
    } else {
        call_targets(&call, geo_lower_vector(f, pointer, 0));
    }
    for (uint32_t p = 0; p < call.parts && !f->failed; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call.slots[p]);
        geo_lower_set(f, inst, p, LLVMBuildLoad2(f->builder, type, call.slots[p], ""));
    }
    return !f->failed;
}
