/* Lowers casts between types of the same size. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_BITCAST_H
#define GEO_COMPILER_LOWER_INSTRUCTION_BITCAST_H

#include "compiler/lower/state/function.h"

bool geo_instruction_bitcast(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* Joins parts [first, first + count) of the operand to one integer of at most 64 bits, with the
 * first part in the low bits. */
LLVMValueRef geo_instruction_bitcast_join(struct geo_lower_function *f,
                                          struct geo_ir_value *operand, uint32_t first,
                                          uint32_t count, bool as_scalar);

#endif
