/* Lowers operations that combine the components of vectors: dot products, any and all. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_DOT_H
#define GEO_COMPILER_LOWER_INSTRUCTION_DOT_H

#include "compiler/lower/state/function.h"

bool geo_instruction_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_integer_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_any_all(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
