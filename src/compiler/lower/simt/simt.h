/* The SIMT machine: a work-item is a thread (NVPTX). Functions of this folder that are rows of the
 * table (machine.h), or that its files share.
 *
 *     kernel(arguments by value, offset x, y, z, work_dim)
 *
 * Ids come from special registers, local memory is one block of shared memory, and control flow is
 * that of the model. */
#ifndef GEO_COMPILER_LOWER_SIMT_SIMT_H
#define GEO_COMPILER_LOWER_SIMT_SIMT_H

#include "compiler/ir/group_op.h"
#include "compiler/lower/simt/frame.h"

/* ---- rows of the table, see machine.h ---- */

bool geo_simt_module_emit(struct geo_lower *lower, struct geo_lower_result *result);
void geo_simt_module_finish(struct geo_lower *lower);
uint32_t geo_simt_ids_subgroup_size(const struct geo_lower *lower);
unsigned geo_simt_address_space(SpvStorageClass storage);
struct geo_lower_space geo_simt_space_of(struct geo_lower_function *f, struct geo_ir_value *pointer,
                                         bool as_scalar);
LLVMValueRef geo_simt_space_local_variable(struct geo_lower_function *f, size_t index);
LLVMValueRef geo_simt_space_local_argument(struct geo_lower_function *f, LLVMValueRef place);
LLVMValueRef geo_simt_space_arguments(struct geo_lower_function *f);
bool geo_simt_space_private_variable(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_ids_builtin(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_order_barrier(struct geo_lower_function *f, const struct geo_ir_inst *inst);
void geo_simt_order_fence(struct geo_lower_function *f, LLVMAtomicOrdering order,
                          const struct geo_ir_value *scope);
unsigned geo_simt_order_sync_scope(struct geo_lower_function *f, const struct geo_ir_value *scope);
bool geo_simt_group_vote(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_group_ballot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_group_broadcast(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_group_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_group_reduce(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_collective(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_call(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_call_pointer(struct geo_lower_function *f, const struct geo_ir_inst *inst);
LLVMValueRef geo_simt_call_function_address(struct geo_lower_function *f,
                                            const struct geo_ir_function *function);
bool geo_simt_call_print(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_simt_call_assert_fail(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* ---- shared by the files ---- */

/* Calls an intrinsic without overloaded types. */
LLVMValueRef geo_simt_ids_intrinsic(struct geo_lower_function *f, const char *name,
                                    LLVMValueRef *args, uint32_t count);
/* Returns an i64: the linear number of the item in its group, and the number of the group's
 * items. */
LLVMValueRef geo_simt_linear_id(struct geo_lower_function *f);
LLVMValueRef geo_simt_ids_group_items(struct geo_lower_function *f);
/* Returns the mask (i32) of the lanes that the item's sub-group has. */
LLVMValueRef geo_simt_ids_lanes_mask(struct geo_lower_function *f);
/* Reports an error if some items of the sub-group may be elsewhere, and returns false. */
bool geo_simt_module_together(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Emits the blocks of the function, from the builder's position. Returns false after a failure. */
bool geo_simt_body(struct geo_lower_function *f);
/* Returns the LLVM type of a function that is not a kernel, or NULL after a failure. */
LLVMTypeRef geo_simt_call_signature(struct geo_lower_function *f, const struct geo_ir_type *result,
                                    const struct geo_ir_type *const *parameters, uint32_t count);

#endif
