/* The SPIR-V reader: which accesses are volatile. */
#ifndef GEO_COMPILER_SPIRV_VOLATILE_H
#define GEO_COMPILER_SPIRV_VOLATILE_H

#include "compiler/ir/ir.h"

/* Accesses through pointers that are decorated Volatile, or lead into what is, say so themselves:
 * the rest of the compiler asks their memory operands and nothing else. For a function whose
 * operands are all known. */
void spirv_volatile_spread(struct geo_ir_function *function);

#endif
