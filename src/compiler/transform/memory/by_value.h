/* Arguments that are passed by value. */
#ifndef GEO_COMPILER_TRANSFORM_MEMORY_BY_VALUE_H
#define GEO_COMPILER_TRANSFORM_MEMORY_BY_VALUE_H

#include "compiler/transform/pass/pass.h"

/* Makes the copies of arguments that the caller must copy (ByVal) explicit. */
bool geo_expand_by_value(struct geo_pass *pass, struct geo_ir_function *function);

#endif
