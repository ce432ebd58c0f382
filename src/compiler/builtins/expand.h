/* Replaces OpenCL.std instructions by calls of library functions. */
#ifndef GEO_COMPILER_BUILTINS_EXPAND_H
#define GEO_COMPILER_BUILTINS_EXPAND_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces an OpExtInst by calls of library functions if opencl_std.def says so, and removes it.
 * Returns false if it is emitted in place, or if memory runs out (writer->out_of_memory). */
bool geo_builtins_expand(struct geo_builtins_functions *functions, struct geo_writer *writer,
                         struct geo_ir_inst *inst);

#endif
