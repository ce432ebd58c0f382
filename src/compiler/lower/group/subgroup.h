/* Sub-group operations: a sub-group is a chunk, W = S, its items are the lanes. subgroup.c
 * holds what the files of this room share, move.c moves and votes, reduce.c reduces and scans,
 * block_io.c reads and writes blocks; group.c dispatches. */
#ifndef GEO_COMPILER_LOWER_GROUP_SUBGROUP_H
#define GEO_COMPILER_LOWER_GROUP_SUBGROUP_H

#include "compiler/lower/state/function.h"

/* The instruction has `count` operands; else an error. */
bool geo_subgroup_operands(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           uint32_t count);
/* The size of clusters in an operand: a constant power of two, at most W here; else an error. */
bool geo_subgroup_cluster(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                          uint32_t operand, uint32_t *cluster);
/* <W x i32> 0, 1, 2 ... */
LLVMValueRef geo_subgroup_lanes(struct geo_lower_function *f);
/* Number of the first lane that is on (i32), below W also when none is. */
LLVMValueRef geo_subgroup_first(struct geo_lower_function *f);
/* Part 0 of an operand that is the same for all lanes that are on, as a scalar. */
LLVMValueRef geo_subgroup_agreed(struct geo_lower_function *f, struct geo_ir_value *value);
/* Lane `lane` (i32, taken modulo W) of a vector, or lane by lane of a vector of numbers. Bools
 * too. */
LLVMValueRef geo_subgroup_pick(struct geo_lower_function *f, LLVMValueRef vector,
                               LLVMValueRef lane);
LLVMValueRef geo_subgroup_permute(struct geo_lower_function *f, LLVMValueRef vector,
                                  LLVMValueRef lanes);
/* Lane i gets lane from[i] of `vector`, of `fill` where from[i] is W or more. */
LLVMValueRef geo_subgroup_rearrange(struct geo_lower_function *f, LLVMValueRef vector,
                                    LLVMValueRef fill, const uint32_t *from);

#endif
