/* Lowers calls through function pointers, which are addresses of descriptors
 * (instance/descriptor.c).
 *
 * A pointer may differ between lanes. Then the distinct targets are called one after another, each
 * for the lanes that have it. A target is called at the caller's width if its descriptor has code
 * for it, otherwise lane by lane. Every descriptor has code for W = 1, including those of other
 * modules. Invalid pointers trap, which is reported as a fault of the kernel. */
#include "compiler/lower/cpu/call/indirect.h"

#include "base/assert.h"
#include "compiler/lower/cpu/call/target.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/instance/descriptor.h"
#include "compiler/lower/cpu/instance/entries.h"
#include "compiler/lower/cpu/instance/module_frame.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

/* Returns the index of a width in descriptors. */
static uint32_t width_of(uint32_t lanes)
{
    GEO_ASSERT(lanes && (lanes & (lanes - 1)) == 0 && lanes < 1u << GEO_FUNCTION_WIDTHS);
    return (uint32_t)__builtin_ctz(lanes);
}

/* One call through a pointer. */
struct call {
    struct geo_lower_function *f;
    struct geo_call_target target;
    LLVMValueRef limit;      /* end of the memory for private variables of callees */
    LLVMValueRef descriptor; /* descriptor of the function that is called */
};

/* Emits a trap unless the condition holds. */
static void require(struct geo_lower_function *f, LLVMValueRef condition)
{
    LLVMBasicBlockRef bad = geo_emit_block_last(f, "bad.pointer");
    LLVMBasicBlockRef good = geo_emit_block_last(f, "pointer");
    LLVMBuildCondBr(f->llvm.builder, condition, good, bad);
    LLVMPositionBuilderAtEnd(f->llvm.builder, bad);
    geo_emit_intrinsic_of(f, "llvm.trap", NULL, 0, NULL, 0);
    LLVMBuildUnreachable(f->llvm.builder);
    LLVMPositionBuilderAtEnd(f->llvm.builder, good);
}

static LLVMValueRef load_field(struct call *call, LLVMTypeRef type, uint64_t offset)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef value = LLVMBuildLoad2(f->llvm.builder, type,
                                        geo_emit_offset_const(f, call->descriptor, offset), "");
    LLVMSetAlignment(value, 8);
    return value;
}

static LLVMValueRef equal(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(f->llvm.builder, LLVMIntEQ, a, b, "");
}

/* Loads the code and the frame size of the descriptor's entry for a width and kind of chunk. */
static LLVMValueRef entry_load(struct call *call, uint32_t width, bool linear, LLVMValueRef *bytes)
{
    uint64_t at = offsetof(struct geo_function, entries) +
                  (linear ? sizeof(struct geo_function_entry[GEO_FUNCTION_WIDTHS]) : 0) +
                  width * sizeof(struct geo_function_entry);
    *bytes = load_field(call, geo_type_i64(call->f),
                        at + offsetof(struct geo_function_entry, frame_bytes));
    return load_field(call, geo_type_ptr(call->f), at);
}

/* Emits a trap unless `bytes` bytes are left for the callee's private variables. */
static void require_memory(struct call *call, LLVMValueRef bytes)
{
    struct geo_lower_function *f = call->f;
    LLVMTypeRef word = geo_type_i64(f);
    LLVMValueRef room =
        LLVMBuildSub(f->llvm.builder, LLVMBuildPtrToInt(f->llvm.builder, call->limit, word, ""),
                     LLVMBuildPtrToInt(f->llvm.builder, call->target.memory, word, ""), "room");
    require(f, LLVMBuildAnd(
                   f->llvm.builder,
                   LLVMBuildICmp(f->llvm.builder, LLVMIntSGE, room, geo_emit_const_i64(f, 0), ""),
                   LLVMBuildICmp(f->llvm.builder, LLVMIntUGE, room, bytes, ""), ""));
}

/* ---- one target ---- */

/* Checks a descriptor and calls its function for the lanes of f->body.mask. */
static void call_target(struct call *call, LLVMValueRef target)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef bytes;
    call->descriptor = target;
    require(f, equal(f, load_field(call, geo_type_i64(f), offsetof(struct geo_function, magic)),
                     LLVMConstInt(geo_type_i64(f), GEO_FUNCTION_MAGIC, 0)));
    require(f, equal(f, load_field(call, geo_type_ptr(f), offsetof(struct geo_function, self)),
                     target));
    LLVMValueRef object = load_field(call, geo_type_ptr(f), offsetof(struct geo_function, object));
    require(f, LLVMBuildOr(f->llvm.builder, LLVMBuildIsNull(f->llvm.builder, object, ""),
                           equal(f, object, geo_descriptor_object_mark(f->lower)), ""));
    call->target.code = entry_load(call, width_of(f->lanes), f->body.shapes->linear, &bytes);
    LLVMValueRef found = LLVMBuildIsNotNull(f->llvm.builder, call->target.code, "");
    if (f->lanes == 1) {
        require(f, found);
        require_memory(call, bytes);
        geo_call_target_wide(f, &call->target);
        return;
    }
    LLVMBasicBlockRef wide = geo_emit_block_last(f, "call.wide");
    LLVMBasicBlockRef narrow = geo_emit_block_last(f, "call.lanes");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "called");
    LLVMBuildCondBr(f->llvm.builder, found, wide, narrow);
    LLVMPositionBuilderAtEnd(f->llvm.builder, wide);
    require_memory(call, bytes);
    geo_call_target_wide(f, &call->target);
    LLVMBuildBr(f->llvm.builder, done);
    LLVMPositionBuilderAtEnd(f->llvm.builder, narrow);
    call->target.code = entry_load(call, 0, false, &bytes);
    require(f, LLVMBuildIsNotNull(f->llvm.builder, call->target.code, ""));
    require_memory(call, bytes);
    geo_call_target_lanes(f, &call->target);
    LLVMBuildBr(f->llvm.builder, done);
    LLVMPositionBuilderAtEnd(f->llvm.builder, done);
}

/* Emits a loop over distinct targets: while lanes are left, calls the target of the first one for
 * all lanes that have it. */
static void call_targets(struct call *call, LLVMValueRef pointers)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef mask = f->body.mask;
    LLVMTypeRef mask_type = geo_type_mask(f);
    LLVMValueRef left = geo_emit_alloca(f, mask_type, "left");
    LLVMBasicBlockRef head = geo_emit_block_last(f, "targets");
    LLVMBasicBlockRef body = geo_emit_block_last(f, "target");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "targets.done");
    LLVMBuildStore(f->llvm.builder, geo_emit_mask_active(f), left);
    LLVMBuildBr(f->llvm.builder, head);
    LLVMPositionBuilderAtEnd(f->llvm.builder, head);
    LLVMValueRef rest = LLVMBuildLoad2(f->llvm.builder, mask_type, left, "");
    LLVMBuildCondBr(f->llvm.builder, geo_emit_mask_any(f, rest), body, done);
    LLVMPositionBuilderAtEnd(f->llvm.builder, body);
    LLVMValueRef lane = geo_emit_mask_lowest_bit(f, geo_emit_mask_bits(f, rest));
    LLVMValueRef target = LLVMBuildExtractElement(f->llvm.builder, pointers, lane, "target");
    LLVMValueRef same = equal(f, pointers, geo_lanes_splat(f, target));
    f->body.mask = LLVMBuildAnd(f->llvm.builder, rest, same, "");
    LLVMBuildStore(f->llvm.builder,
                   LLVMBuildAnd(f->llvm.builder, rest, LLVMBuildNot(f->llvm.builder, same, ""), ""),
                   left);
    call_target(call, target);
    LLVMBuildBr(f->llvm.builder, head);
    LLVMPositionBuilderAtEnd(f->llvm.builder, done);
    f->body.mask = mask;
}

/* ---- the instruction ---- */

bool geo_call_lower_indirect(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct call call = {.f = f};
    struct geo_ir_value *pointer = inst->operands[0];
    if (!geo_call_target_begin(f, inst, &call.target)) {
        return false;
    }
    f->lower->frame->indirect_shapes[f->body.shapes->linear][width_of(f->lanes)] = true;
    call.target.memory =
        geo_emit_offset_const(f, f->frame->contract.callee_memory, GEO_LOWER_STEP_BYTES);
    call.limit = geo_emit_offset(f, f->frame->contract.scratch,
                                 geo_frame_launch_field(f, geo_type_i64(f),
                                                        offsetof(struct geo_launch, chunk_offset),
                                                        "frame.end"));
    if (geo_value_as_scalar(f, pointer) && geo_value_shape(f, pointer).kind == GEO_SHAPE_UNIFORM) {
        call_target(&call, geo_value_scalar(f, pointer, 0));
    } else {
        call_targets(&call, geo_value_vector(f, pointer, 0));
    }
    geo_call_target_end(f, &call.target);
    return !f->failed;
}
