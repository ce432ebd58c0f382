/* Homes: the allocas through which a value gets from the block of a body that computes it to the
 * blocks that use it, and across barriers. */
#ifndef GEO_COMPILER_LOWER_CONTROL_HOME_H
#define GEO_COMPILER_LOWER_CONTROL_HOME_H

#include "compiler/lower/frame/cut.h"

/* The type a part is held in: scalar or vector, by the value's shape. */
LLVMTypeRef geo_lower_held_type(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part);
/* The alloca of the mask of the block at `position`. */
LLVMValueRef geo_lower_mask_slot(struct geo_lower_function *f, uint32_t position);
/* The allocas of a value; NULL after a failure. */
LLVMValueRef *geo_lower_home(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Gives a value that was just set to the group, if it keeps it. */
void geo_lower_home_hand_on(struct geo_lower_function *f, const struct geo_ir_value *value);
/* The same, and stores it to its home, if it needs one. */
void geo_lower_home_keep(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Loads what the instructions and outgoing phis of a block read from other blocks. */
void geo_lower_home_load_block(struct geo_lower_function *f, const struct geo_ir_block *block);
/* Loads a value's home into its parts (phis). */
void geo_lower_home_load(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Between the homes and the chunk's record, what lives across a barrier. */
void geo_lower_home_save(struct geo_lower_function *f, uint32_t barrier);
void geo_lower_home_restore(struct geo_lower_function *f, uint32_t barrier);
/* The same of a region: what its chunk reads, what it leaves. */
void geo_lower_home_enter(struct geo_lower_function *f, const struct geo_lower_region *region);
void geo_lower_home_exit(struct geo_lower_function *f, const struct geo_lower_region *region);

/* The allocas of what the group keeps; NULL after a failure. */
LLVMValueRef *geo_lower_group_home(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Between them and the value's parts. */
void geo_lower_group_load(struct geo_lower_function *f, const struct geo_ir_value *value);
void geo_lower_group_store(struct geo_lower_function *f, const struct geo_ir_value *value);

#endif
