/* Reads the launch and the worker, the structures of the calling contract (native/abi.h). */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_LAUNCH_H
#define GEO_COMPILER_LOWER_CPU_FRAME_LAUNCH_H

#include "compiler/lower/state/function.h"
#include "native/abi.h"

/* Loads a field of the launch, which does not change while the kernel runs. */
LLVMValueRef geo_frame_launch_field(struct geo_lower_function *f, LLVMTypeRef type, uint64_t offset,
                                    const char *name);
/* Loads the worker's scratch pointer. */
LLVMValueRef geo_frame_launch_scratch(struct geo_lower_function *f);
/* Returns the address of the worker's field `resume`. */
LLVMValueRef geo_frame_launch_worker_resume(struct geo_lower_function *f);
/* Loads the address of the worker's table of pending additions; NULL: it has none. */
LLVMValueRef geo_frame_launch_worker_pending(struct geo_lower_function *f);
/* Returns the address of one of the worker's counters. */
LLVMValueRef geo_frame_launch_worker_count(struct geo_lower_function *f, enum geo_counted which);

/* ---- rows of the CPU's table (machine.h) ---- */

/* Returns 0: all memory of a process is in one address space. */
unsigned geo_frame_launch_address_space(SpvStorageClass storage);
/* Returns where a generic pointer points: local memory is the scratch memory below the frame, and
 * private memory is the scratch memory above it. All other memory counts as global. */
struct geo_lower_space geo_frame_launch_space_of(struct geo_lower_function *f,
                                                 struct geo_ir_value *pointer, bool as_scalar);
/* Returns the address of a Workgroup variable in scratch memory; NULL outside a function. */
LLVMValueRef geo_frame_launch_local_variable(struct geo_lower_function *f, size_t index);
/* Returns the address of the memory of a local argument, which the launcher placed in scratch. */
LLVMValueRef geo_frame_launch_local_argument(struct geo_lower_function *f, LLVMValueRef place);
/* Lowers OpVariable: a place in the worker's frame, or in the chunk's record. */
bool geo_frame_launch_private_variable(struct geo_lower_function *f,
                                       const struct geo_ir_inst *inst);
/* Loads the address of the block of arguments from the launch. */
LLVMValueRef geo_frame_launch_arguments(struct geo_lower_function *f);

#endif
