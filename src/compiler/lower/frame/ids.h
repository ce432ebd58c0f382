/* Ids of a chunk while a function is emitted: where the group and the chunk are, and the built-in
 * ids made of that. */
#ifndef GEO_COMPILER_LOWER_FRAME_IDS_H
#define GEO_COMPILER_LOWER_FRAME_IDS_H

#include "compiler/lower/state/function.h"

/* All i64 and uniform. local[0] is lane 0's x; in linear chunks `linear` is lane 0's linear id. */
struct geo_lower_ids {
    LLVMValueRef group[3];
    LLVMValueRef local[3];
    LLVMValueRef linear;
    /* Of the launch. */
    LLVMValueRef work_dim, local_size[3], group_count[3], global_offset[3], global_size[3];
};

/* Loads what the launch says; constants where the kernel (NULL: a function) requires a size. */
void geo_lower_ids_launch(struct geo_lower_function *f, const struct geo_ir_function *kernel);
/* Items of the sub-group (i64), fewer than W in the last one of a group. */
LLVMValueRef geo_lower_subgroup_size(struct geo_lower_function *f);
/* Sets the value of a GEO_OP_BUILTIN. */
bool geo_lower_builtin(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* The place of a chunk as calls hand it on: group, local, linear in an alloca of i64[7]. */
LLVMValueRef geo_lower_context_alloca(struct geo_lower_function *f, const char *name);
void geo_lower_context_store(struct geo_lower_function *f, LLVMValueRef context,
                             const struct geo_lower_ids *ids);
void geo_lower_context_load(struct geo_lower_function *f, LLVMValueRef context,
                            struct geo_lower_ids *ids);

#endif
