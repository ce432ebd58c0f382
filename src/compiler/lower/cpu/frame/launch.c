/* Implements loads from the launch and the worker, and the addresses of arguments and local memory
 * that follow from them; see launch.h. */
#include "compiler/lower/cpu/frame/launch.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/value/value.h"

#include <stddef.h>
#include <string.h>

LLVMValueRef geo_frame_launch_field(struct geo_lower_function *f, LLVMTypeRef type, uint64_t offset,
                                    const char *name)
{
    LLVMValueRef launch = f->frame->contract.launch;
    uint32_t align = offset % 8 == 0 ? 8 : 4;
    GEO_ASSERT(launch && offset < sizeof(struct geo_launch) && offset % 4 == 0);
    LLVMValueRef value =
        geo_emit_load_invariant(f, type, geo_emit_offset_const(f, launch, (int64_t)offset), align);
    LLVMSetValueName2(value, name, strlen(name));
    return value;
}

LLVMValueRef geo_frame_launch_worker_resume(struct geo_lower_function *f)
{
    return geo_emit_offset_const(f, f->frame->contract.worker, offsetof(struct geo_worker, resume));
}

LLVMValueRef geo_frame_launch_worker_count(struct geo_lower_function *f, enum geo_counted which)
{
    uint64_t offset = offsetof(struct geo_worker, counts) + (uint64_t)which * sizeof(uint64_t);
    return geo_emit_offset_const(f, f->frame->contract.worker, (int64_t)offset);
}

LLVMValueRef geo_frame_launch_worker_pending(struct geo_lower_function *f)
{
    LLVMValueRef address =
        geo_emit_offset_const(f, f->frame->contract.worker, offsetof(struct geo_worker, pending));
    return LLVMBuildLoad2(f->llvm.builder, geo_type_ptr(f), address, "pending.worker");
}

LLVMValueRef geo_frame_launch_scratch(struct geo_lower_function *f)
{
    LLVMValueRef address =
        geo_emit_offset_const(f, f->frame->contract.worker, offsetof(struct geo_worker, scratch));
    return LLVMBuildLoad2(f->llvm.builder, geo_type_ptr(f), address, "scratch");
}

/* ---- addresses ---- */

unsigned geo_frame_launch_address_space(SpvStorageClass storage)
{
    (void)storage;
    return 0;
}

static LLVMValueRef field_load(struct geo_lower_function *f, LLVMValueRef object, uint64_t offset,
                               LLVMTypeRef type)
{
    return LLVMBuildLoad2(f->llvm.builder, type, geo_emit_offset_const(f, object, (int64_t)offset),
                          "");
}

struct geo_lower_space geo_frame_launch_space_of(struct geo_lower_function *f,
                                                 struct geo_ir_value *pointer, bool as_scalar)
{
    LLVMTypeRef word = geo_type_i64(f);
    LLVMValueRef worker = f->frame->contract.worker, launch = f->frame->contract.launch;
    LLVMValueRef start = field_load(f, worker, offsetof(struct geo_worker, scratch), word);
    LLVMValueRef size = field_load(f, worker, offsetof(struct geo_worker, scratch_bytes), word);
    LLVMValueRef frame = field_load(f, launch, offsetof(struct geo_launch, frame_offset), word);
    LLVMValueRef held = geo_value_operand(f, pointer, 0, as_scalar);
    LLVMValueRef at = LLVMBuildPtrToInt(f->llvm.builder, held, geo_type_like(held, word), "");
    if (!as_scalar) {
        start = geo_lanes_splat(f, start);
        size = geo_lanes_splat(f, size);
        frame = geo_lanes_splat(f, frame);
    }
    at = LLVMBuildSub(f->llvm.builder, at, start, "");
    return (struct geo_lower_space){.pointer = held,
                                    .in_local = geo_emit_icmp(f, LLVMIntULT, at, frame),
                                    .in_group = geo_emit_icmp(f, LLVMIntULT, at, size)};
}

LLVMValueRef geo_frame_launch_local_variable(struct geo_lower_function *f, size_t index)
{
    if (!f->frame) {
        return NULL;
    }
    return geo_emit_offset_const(f, f->frame->contract.scratch,
                                 (int64_t)f->lower->local_offsets[index]);
}

LLVMValueRef geo_frame_launch_local_argument(struct geo_lower_function *f, LLVMValueRef place)
{
    return geo_emit_offset(f, f->frame->contract.scratch, place);
}

LLVMValueRef geo_frame_launch_arguments(struct geo_lower_function *f)
{
    return geo_frame_launch_field(f, geo_type_ptr(f), offsetof(struct geo_launch, arguments),
                                  "arguments");
}

bool geo_frame_launch_private_variable(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint64_t offset = f->frame->layout.variables[inst->value.index];
    GEO_ASSERT(f->frame->contract.memory);
    geo_value_set(f, inst, 0, geo_emit_offset_const(f, f->frame->contract.memory, (int64_t)offset));
    return true;
}
