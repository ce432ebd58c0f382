/* The compiler's shape analysis: what one instruction makes of its operands' shapes. Part of
 * shape.c. */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_RULES_H
#define GEO_COMPILER_ANALYSIS_SHAPE_RULES_H

#include "compiler/analysis/shape_fact.h"

/* Of anything but phis; needs no operand to be evaluated. */
struct fact geo_shape_rule(const struct shape_state *state, const struct geo_ir_inst *inst);

#endif
