/* Debug information of the code that is emitted: from the model's (ir/debug.h) to LLVM's metadata,
 * which becomes DWARF in the native binary.
 *
 *     source function    one DISubprogram for each LLVM function made from it, and one for each
 *                        width at which it is inlined, because the types of its variables depend
 *                        on the width
 *     scopes, types      made on demand, once
 *     location           set at the builder, and so in every instruction that is emitted
 *
 * Nothing here changes the code. A module without debug information has no struct geo_lower_debug,
 * and all functions do nothing. */
#ifndef GEO_COMPILER_LOWER_DEBUG_DEBUG_H
#define GEO_COMPILER_LOWER_DEBUG_DEBUG_H

#include "compiler/lower/state/function.h"

/* Starts the debug information of a module, if it has any. */
void geo_debug_begin(struct geo_lower *lower);
/* Completes the metadata and frees the rest. */
void geo_debug_end(struct geo_lower *lower);
/* Describes the LLVM function that is being emitted, f->llvm.function. Code that is emitted next
 * has no line. */
void geo_debug_function(struct geo_lower_function *f);
/* Begin and end a copy of the function's code: of a kernel for full chunks and for partial ones, or
 * a region. Each copy is a block of its own, because gdb sets a breakpoint once in each block. */
void geo_debug_copy_begin(struct geo_lower_function *f);
void geo_debug_copy_end(struct geo_lower_function *f);

#endif
