/* Lowers arithmetic with two results: carries, borrows, wide products. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_EXTENDED_H
#define GEO_COMPILER_LOWER_INSTRUCTION_EXTENDED_H

#include "compiler/lower/state/function.h"

bool geo_instruction_extended(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
