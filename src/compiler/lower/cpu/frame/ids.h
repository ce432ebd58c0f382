/* The ids of a chunk: the position of the group and of the chunk, and the built-in ids that are
 * computed from them. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_IDS_H
#define GEO_COMPILER_LOWER_CPU_FRAME_IDS_H

#include "compiler/lower/state/function.h"

/* The position of a chunk. All values are i64 and uniform. local[] is the local id of lane 0. In
 * linear chunks `linear` is the linear id of lane 0. */
struct geo_lower_ids {
    LLVMValueRef group[3];
    LLVMValueRef local[3];
    LLVMValueRef linear;
    /* Properties of the launch. */
    LLVMValueRef work_dim, local_size[3], group_count[3], global_offset[3], global_size[3];
};

/* Loads the properties of the launch. Sizes that the kernel requires become constants; `kernel` is
 * NULL in other functions. */
void geo_frame_ids_launch(struct geo_lower_function *f, const struct geo_ir_function *kernel);
/* Returns the number of items in the sub-group (i64). The last sub-group of a group may have fewer
 * than W. */
LLVMValueRef geo_frame_ids_subgroup_size(struct geo_lower_function *f);
/* Emits the value of a GEO_OP_BUILTIN. Returns false and reports an error for unsupported
 * built-ins. */
bool geo_frame_ids_builtin(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* Allocate, store and load a context, which passes a chunk's position to a call: an i64[7] with
 * group, local and linear. */
LLVMValueRef geo_frame_ids_context_alloca(struct geo_lower_function *f, const char *name);
void geo_frame_ids_context_store(struct geo_lower_function *f, LLVMValueRef context,
                                 const struct geo_lower_ids *ids);
void geo_frame_ids_context_load(struct geo_lower_function *f, LLVMValueRef context,
                                struct geo_lower_ids *ids);

#endif
