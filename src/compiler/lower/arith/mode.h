/* Scalar operations of lowering: float modes. Arithmetic that rounds otherwise than to nearest, and
 * denormals that count as zeros. */
#ifndef GEO_COMPILER_LOWER_ARITH_MODE_H
#define GEO_COMPILER_LOWER_ARITH_MODE_H

#include "compiler/lower/emit/type.h"

#include <spirv/unified1/spirv.h>

enum geo_rounded {
    GEO_ROUNDED_ADD,
    GEO_ROUNDED_SUBTRACT,
    GEO_ROUNDED_MULTIPLY,
    GEO_ROUNDED_DIVIDE,
    GEO_ROUNDED_SQRT,
    GEO_ROUNDED_FMA, /* where there are such instructions */
};

/* What a value's flags (enum geo_ir_value_flags) ask for. */
static inline SpvFPRoundingMode geo_emit_rounding(uint32_t flags, SpvFPRoundingMode fallback)
{
    uint32_t mode = flags >> GEO_VALUE_ROUND_SHIFT & 7;
    return mode >= 1 && mode <= 4 ? (SpvFPRoundingMode)(mode - 1) : fallback;
}

/* The operation of LLVM's opcode of two floats. */
enum geo_rounded geo_rounded_of(LLVMOpcode opcode);

/* Of floats or doubles. To nearest it is LLVM's plain operation. */
LLVMValueRef geo_emit_rounded(struct geo_lower_function *f, enum geo_rounded operation,
                              SpvFPRoundingMode mode, const LLVMValueRef *operands);

/* Of a positive integer that is `kept` and a `cut` part, whose middle is half_way: does rounding go
 * away from zero? `negative` tells the sign of the whole. */
LLVMValueRef geo_emit_rounds_up(struct geo_lower_function *f, LLVMValueRef kept, LLVMValueRef cut,
                                LLVMValueRef half_way, LLVMValueRef negative,
                                SpvFPRoundingMode mode);

/* Floats, halves as their bits too, with denormals replaced by zeros of their sign; others
 * unchanged. */
LLVMValueRef geo_emit_flush(struct geo_lower_function *f, LLVMValueRef value);

#endif
