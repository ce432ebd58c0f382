/* Two-dimensional blocks of memory that sub-groups load and store (SPV_INTEL_2d_block_io). */
#ifndef GEO_COMPILER_BUILTINS_BLOCK2D_H
#define GEO_COMPILER_BUILTINS_BLOCK2D_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* A load or store becomes a call of block2d.cl's functions. False: none of them, or of a size that
 * there is not. */
bool geo_builtins_block2d(struct geo_builtins_functions *functions, struct geo_writer *writer,
                          struct geo_ir_inst *inst);

#endif
