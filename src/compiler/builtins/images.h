/* Replaces instructions on images and samplers by calls of image.cl's functions. */
#ifndef GEO_COMPILER_BUILTINS_IMAGES_H
#define GEO_COMPILER_BUILTINS_IMAGES_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces an instruction on images, samplers and their handles, whose operands are validated, and
 * removes it. Instructions that make sampled images stay: their users look through them, and they
 * become dead. Returns false for other instructions, or if memory runs out
 * (writer->out_of_memory). */
bool geo_builtins_image(struct geo_builtins_functions *functions, struct geo_writer *writer,
                        struct geo_ir_inst *inst);

#endif
