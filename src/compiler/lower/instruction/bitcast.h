/* Lowers casts between types of the same size. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_BITCAST_H
#define GEO_COMPILER_LOWER_INSTRUCTION_BITCAST_H

#include "compiler/lower/state/function.h"

bool geo_instruction_bitcast(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
