/* Replaces imports that name a built-in: mangled functions of OpenCL C, and other names that
 * producers leave instead of an instruction. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_H
#define GEO_COMPILER_BUILTINS_IMPORTS_H

#include "compiler/builtins/write.h"

/* Replaces a call of the import `name` by instructions of the model, and removes it. If it becomes
 * an OpExtInst, that has to be expanded later. Returns false if the name is not a known built-in,
 * or if memory runs out (writer->out_of_memory). */
bool geo_builtins_imports(struct geo_writer *writer, struct geo_ir_inst *call, const char *name);

#endif
