/* Replaces loads and stores of two-dimensional blocks by sub-groups (SPV_INTEL_2d_block_io). */
#ifndef GEO_COMPILER_BUILTINS_BLOCK2D_H
#define GEO_COMPILER_BUILTINS_BLOCK2D_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces a load or store by a call of a function of block2d.cl. Returns false if it is another
 * instruction, has an unsupported size, or if memory runs out. */
bool geo_builtins_block2d(struct geo_builtins_functions *functions, struct geo_writer *writer,
                          struct geo_ir_inst *inst);

#endif
