/* Images and samplers: each access becomes a call of a function of image.cl. */
#ifndef GEO_COMPILER_BUILTINS_IMAGES_H
#define GEO_COMPILER_BUILTINS_IMAGES_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces an instruction on images, samplers and their handles; validation has seen its operands.
 * False: it is none that we know, or memory ran out (writer->out_of_memory). On success it is gone,
 * but for what makes a sampled image: that is looked through where it is used, and dead then. */
bool geo_builtins_image(struct geo_builtins_functions *functions, struct geo_writer *writer,
                        struct geo_ir_inst *inst);

#endif
