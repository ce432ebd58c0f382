/* Emits the control flow between blocks: masks, phis and branches. Blocks are identified by their
 * position in the plan's order (analysis/linear.h). */
#ifndef GEO_COMPILER_LOWER_CPU_CONTROL_EDGE_H
#define GEO_COMPILER_LOWER_CPU_CONTROL_EDGE_H

#include "compiler/analysis/regions.h"
#include "compiler/lower/state/function.h"

/* Emits the terminator of the block at `position`: masks and phis of its successors, and the
 * branch. */
void geo_control_edge_leave(struct geo_lower_function *f, uint32_t position);
/* Emits a branch that all lanes take alike. edges[position] is the LLVM block for each target. */
void geo_control_edge_branch(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                             LLVMValueRef selector, const LLVMBasicBlockRef *edges);
/* Branches to where control continues if no lane is active in the block at `position`. */
void geo_control_edge_skip(struct geo_lower_function *f, uint32_t position);
/* Resets the masks and phis of the blocks directly in a loop, which may hold values of its previous
 * iterations. `level` NULL means the function. */
void geo_control_edge_reset_level(struct geo_lower_function *f, const struct geo_loop *level);
/* Resets all blocks, before a chunk starts or resumes. */
void geo_control_edge_reset_all(struct geo_lower_function *f);
/* Resets the blocks that the edges of a region lead to. */
void geo_control_edge_reset_region(struct geo_lower_function *f,
                                   const struct geo_barrier_region *region);
/* Sets the mask of the block `at`, where a chunk resumes, to all lanes of the body. */
void geo_control_edge_resume_all(struct geo_lower_function *f, uint32_t at);

/* Returns whether an edge leads to the block at a position. That is not so for the second case of a
 * load where chunks at a border start again in another body (analysis/agreement.h). */
bool geo_control_edge_reaches(struct geo_lower_function *f, uint32_t position);

#endif
