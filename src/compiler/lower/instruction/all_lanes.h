/* Lowers GEO_OP_ALL_LANES: whether a condition holds in all lanes; and GEO_OP_FIRST_LANE. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_ALL_LANES_H
#define GEO_COMPILER_LOWER_INSTRUCTION_ALL_LANES_H

#include "compiler/lower/state/function.h"

bool geo_instruction_all_lanes(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_all_lanes_first(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
