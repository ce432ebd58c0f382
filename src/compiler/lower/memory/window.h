/* Accesses of lanes that lie in a window of memory, each at a place that is known: by a pattern
 * (analysis/pattern.h), or a few elements apart. */
#ifndef GEO_COMPILER_LOWER_MEMORY_WINDOW_H
#define GEO_COMPILER_LOWER_MEMORY_WINDOW_H

#include "compiler/lower/memory/access.h"

/* Scalars, and vectors whose components lie side by side: one vector of lanes in values[] for each
 * component. False: nothing was emitted, the access is not of this kind or other ways are faster. */
bool geo_window_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values);
bool geo_window_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values);

#endif
