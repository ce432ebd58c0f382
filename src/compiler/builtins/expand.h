/* OpenCL.std instructions that are functions of the library. */
#ifndef GEO_COMPILER_BUILTINS_EXPAND_H
#define GEO_COMPILER_BUILTINS_EXPAND_H

#include "compiler/builtins/write.h"

/* Finds or imports the library's function of this mangled name. NULL and *out_of_memory false:
 * there is none. */
struct geo_builtins_functions;
struct geo_ir_function *geo_builtins_function(struct geo_builtins_functions *functions,
                                              const char *mangled, bool *out_of_memory);

/* Replaces an OpExtInst by calls of library functions, when the library is where it comes from.
 * False: not ours, or memory ran out (writer->out_of_memory). On success the instruction is gone.
 */
bool geo_builtins_expand(struct geo_builtins_functions *functions, struct geo_writer *writer,
                         struct geo_ir_inst *inst);

#endif
