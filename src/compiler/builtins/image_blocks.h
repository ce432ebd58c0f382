/* Replaces reads and writes of image blocks by sub-groups (SPV_INTEL_subgroups,
 * SPV_INTEL_media_block_io). Each item's elements become calls of functions of image.cl. */
#ifndef GEO_COMPILER_BUILTINS_IMAGE_BLOCKS_H
#define GEO_COMPILER_BUILTINS_IMAGE_BLOCKS_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces such an instruction, whose operands are validated. Returns false if it is another
 * instruction, or if memory runs out (writer->out_of_memory). */
bool geo_builtins_image_block(struct geo_builtins_functions *functions, struct geo_writer *writer,
                              struct geo_ir_inst *inst);

#endif
