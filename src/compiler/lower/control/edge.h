/* Emits the control flow between blocks: masks, phis and branches. Blocks are identified by their
 * position in the plan's order (analysis/linear.h). */
#ifndef GEO_COMPILER_LOWER_CONTROL_EDGE_H
#define GEO_COMPILER_LOWER_CONTROL_EDGE_H

#include "compiler/analysis/regions.h"
#include "compiler/lower/state/function.h"

/* Emits the terminator of the block at `position`: masks and phis of its successors, and the
 * branch. */
void geo_lower_leave(struct geo_lower_function *f, uint32_t position);
/* Emits a branch that all lanes take alike. edges[position] is the LLVM block for each target. */
void geo_lower_branch(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                      LLVMValueRef selector, const LLVMBasicBlockRef *edges);
/* Branches to where control continues if no lane is active in the block at `position`. */
void geo_lower_skip(struct geo_lower_function *f, uint32_t position);
/* Resets the masks and phis of the blocks directly in a loop, which may hold values of its previous
 * iterations. `level` NULL means the function. */
void geo_lower_level_reset(struct geo_lower_function *f, const struct geo_loop *level);
/* Resets all blocks, before a chunk starts or resumes. */
void geo_lower_all_reset(struct geo_lower_function *f);
/* Resets the blocks that the edges of a region lead to. */
void geo_lower_region_reset(struct geo_lower_function *f, const struct geo_region *region);
/* Sets the mask of the block `at`, where a chunk resumes, to all lanes of the body. */
void geo_lower_resume_all(struct geo_lower_function *f, uint32_t at);

#endif
