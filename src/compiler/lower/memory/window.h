/* Accesses of lanes at known distances inside a small range of memory, the window. The distances
 * come from a pattern (analysis/pattern.h) or a stride of a few elements. */
#ifndef GEO_COMPILER_LOWER_MEMORY_WINDOW_H
#define GEO_COMPILER_LOWER_MEMORY_WINDOW_H

#include "compiler/lower/memory/access.h"

/* Returns whether geo_window_load would load this way. */
bool geo_window_load_fits(const struct geo_access *access, const struct geo_ir_type *type);
/* Load or store a scalar, or a vector whose components are adjacent: values[] has one vector of
 * lanes for each component. Return false without emitting code if the access has another form or
 * another way is faster. */
bool geo_window_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values);
bool geo_window_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values);

#endif
