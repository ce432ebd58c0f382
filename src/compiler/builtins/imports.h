/* Imports that name a built-in: OpenCL C's mangled functions and what else producers leave instead
 * of an instruction. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_H
#define GEO_COMPILER_BUILTINS_IMPORTS_H

#include "compiler/builtins/write.h"

/* Replaces a call of the import `name` by instructions of the model. False: not a built-in we know,
 * or memory ran out (writer->out_of_memory). On success the call is gone; an OpExtInst it became is
 * still to be expanded. */
bool geo_builtins_import(struct geo_writer *writer, struct geo_ir_inst *call, const char *name);

#endif
