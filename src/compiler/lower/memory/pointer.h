/* Lowers pointer arithmetic, comparisons and casts. */
#ifndef GEO_COMPILER_LOWER_MEMORY_POINTER_H
#define GEO_COMPILER_LOWER_MEMORY_POINTER_H

#include "compiler/lower/state/function.h"

bool geo_pointer_access_chain(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_pointer_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Lowers OpPtrCastToGeneric and OpGenericCastToPtr. */
bool geo_pointer_cast(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_pointer_compare(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
