/* The compiler's shape analysis: rows of lanes inside one aligned block, and what divisions, shifts
 * and masks make of them. Part of shape_rules.c. */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_BLOCK_H
#define GEO_COMPILER_ANALYSIS_SHAPE_BLOCK_H

#include "compiler/analysis/shape_fact.h"

/* Low bits that are zero in lane 0's value of a uniform or strided integer. */
uint8_t geo_shape_zeros(const struct shape_state *state, const struct geo_ir_value *value);
/* The same of what an instruction makes, from its operands. */
uint8_t geo_shape_zeros_made(const struct shape_state *state, const struct geo_ir_inst *inst);

/* The fact of a scalar instruction whose operands are uniform or strided. False: nothing follows
 * from blocks. */
bool geo_shape_block_rule(const struct shape_state *state, const struct geo_ir_inst *inst,
                          struct fact *out);

#endif
