/* Replaces imports that name an LLVM intrinsic or a device library function, which DPC++ leaves in
 * its SPIR-V. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_LLVM_H
#define GEO_COMPILER_BUILTINS_IMPORTS_LLVM_H

#include "compiler/builtins/write.h"

/* Writes the replacement of a call of `name` before it, and returns its value. Returns NULL if the
 * name is unknown, the types do not fit, or memory runs out. Sets *replaced if the call is done and
 * has no value, because its result is void. */
struct geo_ir_value *geo_builtins_imports_llvm(struct geo_writer *writer,
                                               const struct geo_ir_inst *call, const char *name,
                                               bool *replaced);

#endif
