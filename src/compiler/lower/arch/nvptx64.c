/* Lowering for NVIDIA GPUs (PTX); see arch.h. Estimates come from bits (arith/guess.c), as those of
 * the machine differ between its generations. Each float operation names its rounding mode. */
#include "base/assert.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/emit/emit.h"

#include <stdio.h>

static uint32_t registers(uint32_t vector_bits)
{
    (void)vector_bits;
    return 255;
}

static bool guesses(const struct geo_lower_function *f, uint32_t op, uint32_t bits)
{
    (void)f, (void)op, (void)bits;
    return false;
}

static LLVMValueRef to_half(struct geo_lower_function *f, LLVMValueRef value,
                            SpvFPRoundingMode mode)
{
    if (mode != SpvFPRoundingModeRTE) {
        return NULL;
    }
    LLVMValueRef half =
        LLVMBuildFPTrunc(f->llvm.builder, value, LLVMHalfTypeInContext(f->llvm.context), "");
    return LLVMBuildBitCast(f->llvm.builder, half, geo_type_int(f, 16), "");
}

static LLVMValueRef rounded(struct geo_lower_function *f, enum geo_rounded operation,
                            SpvFPRoundingMode mode, const LLVMValueRef *operands)
{
    static const char *const names[] = {
        [GEO_ROUNDED_ADD] = "add",      [GEO_ROUNDED_SUBTRACT] = "add",
        [GEO_ROUNDED_MULTIPLY] = "mul", [GEO_ROUNDED_DIVIDE] = "div",
        [GEO_ROUNDED_SQRT] = "sqrt",    [GEO_ROUNDED_FMA] = "fma",
    };
    static const char *const modes[] = {
        [SpvFPRoundingModeRTE] = "rn",
        [SpvFPRoundingModeRTZ] = "rz",
        [SpvFPRoundingModeRTP] = "rp",
        [SpvFPRoundingModeRTN] = "rm",
    };
    uint32_t count = operation == GEO_ROUNDED_SQRT ? 1 : operation == GEO_ROUNDED_FMA ? 3 : 2;
    LLVMValueRef args[3];
    char name[32];
    GEO_ASSERT(operation < sizeof(names) / sizeof(names[0]) && mode <= SpvFPRoundingModeRTN);
    for (uint32_t i = 0; i < count; i++) {
        args[i] = operands[i];
    }
    if (operation == GEO_ROUNDED_SUBTRACT) { /* exact: only the sign of the operand changes */
        args[1] = LLVMBuildFNeg(f->llvm.builder, args[1], "");
    }
    snprintf(name, sizeof(name), "llvm.nvvm.%s.%s.%c", names[operation], modes[mode],
             geo_type_bits(args[0]) == 64 ? 'd' : 'f');
    return geo_emit_intrinsic_of(f, name, NULL, 0, args, count);
}

const struct geo_lower_arch geo_lower_nvptx64 = {
    .registers = registers,
    .guesses = guesses,
    .to_half = to_half,
    .rounded = rounded,
};
