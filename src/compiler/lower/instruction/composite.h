/* Lowers the construction and decomposition of composites, and copies. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_COMPOSITE_H
#define GEO_COMPILER_LOWER_INSTRUCTION_COMPOSITE_H

#include "compiler/lower/state/function.h"

bool geo_instruction_composite(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_vector_dynamic(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_copy(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
