/* The SPIR-V reader: which accesses are volatile. */
#ifndef GEO_COMPILER_SPIRV_VOLATILE_H
#define GEO_COMPILER_SPIRV_VOLATILE_H

#include "compiler/ir/ir.h"

/* Marks the accesses through pointers that are decorated Volatile, or are derived from such
 * pointers, in their own memory operands. Called at the end of each function, when all operands are
 * known. Later passes replace pointers and lose their decorations; they read the memory operands
 * only. */
void spirv_volatile_spread(struct geo_ir_function *function);

#endif
