/* Part of the shape analysis (shape_rules.c): results of divisions, shifts and masks of lanes that
 * lie inside one aligned block. */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_BLOCK_H
#define GEO_COMPILER_ANALYSIS_SHAPE_BLOCK_H

#include "compiler/analysis/shape_fact.h"

/* Returns the number of low zero bits of lane 0's value, for a uniform or strided integer. */
uint8_t geo_shape_block_zeros(const struct shape_state *state, const struct geo_ir_value *value);
/* Returns the number of low zero bits of an instruction's result in lane 0, computed from its
 * operands. */
uint8_t geo_shape_block_zeros_made(const struct shape_state *state, const struct geo_ir_inst *inst);

/* Computes the fact of a scalar instruction with uniform or strided operands. Returns false if
 * blocks imply nothing. */
bool geo_shape_block_rule(const struct shape_state *state, const struct geo_ir_inst *inst,
                          struct fact *out);

#endif
