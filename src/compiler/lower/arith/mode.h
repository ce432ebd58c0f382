/* Emits arithmetic in rounding modes other than to nearest, and the flushing of denormals to
 * zero. */
#ifndef GEO_COMPILER_LOWER_ARITH_MODE_H
#define GEO_COMPILER_LOWER_ARITH_MODE_H

#include "compiler/lower/emit/type.h"

#include <spirv/unified1/spirv.h>

/* Returns the rounding mode in a value's flags (enum geo_ir_value_flags), or `fallback` if they
 * have none. */
static inline SpvFPRoundingMode geo_arith_mode_rounding(uint32_t flags, SpvFPRoundingMode fallback)
{
    uint32_t mode = flags >> GEO_VALUE_ROUND_SHIFT & 7;
    return mode >= 1 && mode <= 4 ? (SpvFPRoundingMode)(mode - 1) : fallback;
}

/* Returns the operation for LLVM's opcode of two floats. */
enum geo_rounded geo_arith_mode_rounded_of(LLVMOpcode opcode);

/* Emits an operation on floats or doubles in a rounding mode. To nearest, it is LLVM's plain
 * operation. */
LLVMValueRef geo_arith_mode_rounded(struct geo_lower_function *f, enum geo_rounded operation,
                                    SpvFPRoundingMode mode, const LLVMValueRef *operands);

/* Returns whether rounding goes away from zero. The magnitude is an integer `kept` and a fraction
 * `cut`, whose middle is `half_way`. `negative` is the sign of the number. */
LLVMValueRef geo_arith_mode_rounds_up(struct geo_lower_function *f, LLVMValueRef kept,
                                      LLVMValueRef cut, LLVMValueRef half_way,
                                      LLVMValueRef negative, SpvFPRoundingMode mode);

/* Replaces denormals by zeros of the same sign, in floats and in halves held as bits. Returns other
 * values unchanged. */
LLVMValueRef geo_arith_mode_flush(struct geo_lower_function *f, LLVMValueRef value);

#endif
