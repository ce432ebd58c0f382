/* Lowers instructions on whole vectors whose operand or result is a dense vector. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_DENSE_H
#define GEO_COMPILER_LOWER_INSTRUCTION_DENSE_H

#include "compiler/lower/state/function.h"

/* Emit an instruction on dense vectors. Return false, without having emitted anything, if its forms
 * are others. Then it has to be emitted part by part. */
bool geo_instruction_dense_composite(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_dense_bitcast(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_dense_any_all(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
