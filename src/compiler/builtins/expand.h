/* Built-in functions: OpenCL.std instructions that are functions of the library become calls of
 * them. */
#ifndef GEO_COMPILER_BUILTINS_EXPAND_H
#define GEO_COMPILER_BUILTINS_EXPAND_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces an OpExtInst by calls of library functions, when the library is where it comes from
 * (opencl.def). False: it is not, or memory ran out (writer->out_of_memory). On success the
 * instruction is gone. */
bool geo_builtins_expand(struct geo_builtins_functions *functions, struct geo_writer *writer,
                         struct geo_ir_inst *inst);

#endif
