/* Control flow of a body from block to block: masks, phis and branches. Blocks are named by their
 * position in the plan's order (analysis/linear.h). */
#ifndef GEO_COMPILER_LOWER_CONTROL_EDGE_H
#define GEO_COMPILER_LOWER_CONTROL_EDGE_H

#include "compiler/analysis/regions.h"
#include "compiler/lower/state/function.h"

/* The terminator of the block at `position`: masks and phis of the targets, and the branch. */
void geo_lower_leave(struct geo_lower_function *f, uint32_t position);
/* The terminator itself, where all lanes take the same way: edges[position] is where each of its
 * targets is entered. */
void geo_lower_branch(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                      LLVMValueRef selector, const LLVMBasicBlockRef *edges);
/* Goes to where control goes from `position` when no lane is left there. */
void geo_lower_skip(struct geo_lower_function *f, uint32_t position);
/* Forgets what loop (NULL: function) turns before this one left in the masks and phis of the blocks
 * directly in it. */
void geo_lower_level_reset(struct geo_lower_function *f, const struct geo_loop *level);
/* The same for all blocks, before a chunk starts or resumes. */
void geo_lower_all_reset(struct geo_lower_function *f);
/* The same for the blocks that a region's edges lead to. */
void geo_lower_region_reset(struct geo_lower_function *f, const struct geo_region *region);
/* A chunk resumes at the block `at`: all its lanes do. */
void geo_lower_resume_all(struct geo_lower_function *f, uint32_t at);

#endif
