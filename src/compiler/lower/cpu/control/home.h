/* Homes are the allocas that carry values from the block that computes them to the blocks that use
 * them, and across barriers. */
#ifndef GEO_COMPILER_LOWER_CPU_CONTROL_HOME_H
#define GEO_COMPILER_LOWER_CPU_CONTROL_HOME_H

#include "compiler/lower/cpu/frame/cut.h"

/* Returns the number of allocas that a value needs: one for each part, or one for a dense vector.
 * The value's array must have been reserved. */
uint32_t geo_control_home_parts(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Returns the type of one of these allocas: a vector if the value is varying, otherwise a scalar. */
LLVMTypeRef geo_control_home_type(struct geo_lower_function *f, const struct geo_ir_value *value,
                                  uint32_t part);
/* Returns the alloca of the mask of the block at `position`. */
LLVMValueRef geo_control_home_mask(struct geo_lower_function *f, uint32_t position);
/* Returns the allocas of a value's parts, creating them on the first request. Returns NULL after a
 * failure. */
LLVMValueRef *geo_control_home(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Stores a value that was just computed to the group's alloca, if the group keeps it. */
void geo_control_home_hand_on(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Does what geo_control_home_hand_on does. Also stores the value to its home if another block or
 * region uses it. */
void geo_control_home_keep(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Loads the values from other blocks that a block's instructions and the phis of its successors
 * read. */
void geo_control_home_load_block(struct geo_lower_function *f, const struct geo_ir_block *block);
/* Loads the home of a phi into its parts. */
void geo_control_home_load(struct geo_lower_function *f, const struct geo_ir_value *value);
/* geo_control_home_save copies the values that live across a barrier from their homes to the record
 * of the chunk. geo_control_home_restore copies them back. */
void geo_control_home_save(struct geo_lower_function *f, uint32_t barrier);
void geo_control_home_restore(struct geo_lower_function *f, uint32_t barrier);
/* geo_control_home_enter copies the values that a region reads from the chunk's record to their
 * homes. geo_control_home_exit copies the values that the region writes from their homes to the
 * record. */
void geo_control_home_enter(struct geo_lower_function *f, const struct geo_lower_region *region);
void geo_control_home_exit(struct geo_lower_function *f, const struct geo_lower_region *region);

/* Returns the allocas of a value that the group keeps, or NULL after a failure. */
LLVMValueRef *geo_control_group_home(struct geo_lower_function *f,
                                     const struct geo_ir_value *value);
/* Load the parts of a value from these allocas, and store them. */
void geo_control_home_group_load(struct geo_lower_function *f, const struct geo_ir_value *value);
void geo_control_home_group_store(struct geo_lower_function *f, const struct geo_ir_value *value);

#endif
