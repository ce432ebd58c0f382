/* Imports that name an LLVM intrinsic or a device library function: DPC++ leaves these in its
 * SPIR-V. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_LLVM_H
#define GEO_COMPILER_BUILTINS_IMPORTS_LLVM_H

#include "compiler/builtins/write.h"

/* The value that takes the place of a call of `name`, written before it. NULL: not known here, the
 * call's types do not fit, or memory ran out. *replaced: the call is done; it has no value when the
 * result is void. */
struct geo_ir_value *geo_builtins_llvm(struct geo_writer *writer, const struct geo_ir_inst *call,
                                       const char *name, bool *replaced);

#endif
