/* Helpers for sub-group operations. A sub-group is a chunk, W = S, and its items are the lanes. The
 * lowering itself is in move.c (moves and votes), reduce.c (reductions and scans) and block_io.c
 * (block reads and writes). */
#ifndef GEO_COMPILER_LOWER_CPU_GROUP_SUBGROUP_H
#define GEO_COMPILER_LOWER_CPU_GROUP_SUBGROUP_H

#include "compiler/lower/state/function.h"

/* Returns whether the instruction has `count` operands; otherwise reports an error. */
bool geo_subgroup_operands(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           uint32_t count);
/* Reads a cluster size, which must be a constant power of two, and limits it to W. Otherwise
 * reports an error and returns false. */
bool geo_subgroup_cluster(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                          uint32_t operand, uint32_t *cluster);
/* Returns <W x i32> 0, 1, 2 ... */
LLVMValueRef geo_subgroup_lanes(struct geo_lower_function *f);
/* Returns the number of the first active lane (i32). It is below W even if no lane is active. */
LLVMValueRef geo_subgroup_first(struct geo_lower_function *f);
/* Returns part 0 of an operand that is equal in all active lanes, as a scalar. */
LLVMValueRef geo_subgroup_agreed(struct geo_lower_function *f, struct geo_ir_value *value);
/* Return lane `lane` (i32, modulo W) of a vector, or a vector with lane lanes[i] in each lane i.
 * Elements may be bools. */
LLVMValueRef geo_subgroup_pick(struct geo_lower_function *f, LLVMValueRef vector,
                               LLVMValueRef lane);
LLVMValueRef geo_subgroup_permute(struct geo_lower_function *f, LLVMValueRef vector,
                                  LLVMValueRef lanes);
/* Returns the vector whose lane i is lane from[i] of `vector`, or lane from[i] - W of `fill` if
 * from[i] is W or more. */
LLVMValueRef geo_subgroup_rearrange(struct geo_lower_function *f, LLVMValueRef vector,
                                    LLVMValueRef fill, const uint32_t *from);

#endif
