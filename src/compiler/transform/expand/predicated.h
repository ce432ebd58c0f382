/* Accesses with a condition. */
#ifndef GEO_COMPILER_TRANSFORM_EXPAND_PREDICATED_H
#define GEO_COMPILER_TRANSFORM_EXPAND_PREDICATED_H

#include "compiler/transform/pass/pass.h"

/* Expands predicated loads and stores, gathers and scatters to branches around plain accesses. */
bool geo_expand_predicated(struct geo_pass *pass, struct geo_ir_function *function);

#endif
