/* Part of the shape analysis (shape.c): the shape of one instruction from those of its operands. */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_RULES_H
#define GEO_COMPILER_ANALYSIS_SHAPE_RULES_H

#include "compiler/analysis/shape_fact.h"

/* Computes the fact of an instruction other than a phi. Operands may be unevaluated yet. */
struct fact geo_shape_rule(const struct shape_state *state, const struct geo_ir_inst *inst);

#endif
