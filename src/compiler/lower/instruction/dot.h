/* Lowers operations that combine the components of vectors: dot products, any and all. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_DOT_H
#define GEO_COMPILER_LOWER_INSTRUCTION_DOT_H

#include "compiler/lower/state/function.h"

bool geo_instruction_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_integer_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Returns the dot product of the small integers in each 32-bit element, as lower/arch.h describes,
 * by whatever instructions the target has. */
LLVMValueRef geo_instruction_word_dot(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                                      uint32_t bits, bool a_signed, bool b_signed);
bool geo_instruction_any_all(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
