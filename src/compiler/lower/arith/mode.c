/* Emits operations in other float modes; see mode.h.
 *
 * The processor's mode is switched around each such operation, inside an outlined function:
 *
 *     <n x float> geo.fadd.rtz(a, b):  save the mode; set it; a + b, constrained; restore the mode
 *
 * A kernel may have another mode for each width, and code inlined from the library has none. Since
 * the function contains nothing else, LLVM cannot move or fold other operations under the wrong
 * mode. It touches no visible memory, so calls are merged and moved like additions. */
#include "compiler/lower/arith/mode.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/outline.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name; /* name in the constrained intrinsic */
    unsigned operands;
} operations[] = {
    [GEO_ROUNDED_ADD] = {"fadd", 2},      [GEO_ROUNDED_SUBTRACT] = {"fsub", 2},
    [GEO_ROUNDED_MULTIPLY] = {"fmul", 2}, [GEO_ROUNDED_DIVIDE] = {"fdiv", 2},
    [GEO_ROUNDED_SQRT] = {"sqrt", 1},     [GEO_ROUNDED_FMA] = {"fma", 3},
};

/* Names of the modes by SpvFPRoundingMode, in function names and in LLVM. */
static const struct {
    const char *name, *llvm;
} modes[] = {
    [SpvFPRoundingModeRTE] = {"rte", "round.tonearest"},
    [SpvFPRoundingModeRTZ] = {"rtz", "round.towardzero"},
    [SpvFPRoundingModeRTP] = {"rtp", "round.upward"},
    [SpvFPRoundingModeRTN] = {"rtn", "round.downward"},
};

enum geo_rounded geo_arith_mode_rounded_of(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMFAdd:
        return GEO_ROUNDED_ADD;
    case LLVMFSub:
        return GEO_ROUNDED_SUBTRACT;
    case LLVMFMul:
        return GEO_ROUNDED_MULTIPLY;
    default:
        GEO_ASSERT(opcode == LLVMFDiv);
        return GEO_ROUNDED_DIVIDE;
    }
}

/* ---- the outlined function ---- */

static LLVMAttributeRef attribute(struct geo_lower_function *f, const char *name, uint64_t value)
{
    return LLVMCreateEnumAttribute(f->llvm.context,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

static LLVMValueRef text_operand(struct geo_lower_function *f, const char *text)
{
    return LLVMMetadataAsValue(f->llvm.context,
                               LLVMMDStringInContext2(f->llvm.context, text, strlen(text)));
}

/* Returns the value of the register with the rounding mode. */
static LLVMValueRef mode_get(struct geo_lower_function *f)
{
    const struct geo_lower_mode_register *mode = &f->options->target.arch->mode;
    LLVMTypeRef word = geo_type_int(f, mode->bits);
    if (!mode->by_pointer) {
        return geo_emit_intrinsic_of(f, mode->get, NULL, 0, NULL, 0);
    }
    LLVMValueRef place = LLVMBuildAlloca(f->llvm.builder, word, "saved");
    geo_emit_intrinsic_of(f, mode->get, NULL, 0, &place, 1);
    return LLVMBuildLoad2(f->llvm.builder, word, place, "");
}

static void mode_set(struct geo_lower_function *f, LLVMValueRef value)
{
    const struct geo_lower_mode_register *mode = &f->options->target.arch->mode;
    if (mode->by_pointer) {
        LLVMValueRef place = LLVMBuildAlloca(f->llvm.builder, LLVMTypeOf(value), "set");
        LLVMBuildStore(f->llvm.builder, value, place);
        value = place;
    }
    geo_emit_intrinsic_of(f, mode->set, NULL, 0, &value, 1);
}

static LLVMValueRef mode_with(struct geo_lower_function *f, LLVMValueRef value,
                              SpvFPRoundingMode direction)
{
    const struct geo_lower_mode_register *mode = &f->options->target.arch->mode;
    value = LLVMBuildAnd(f->llvm.builder, value,
                         geo_emit_const_like(value, ~(UINT64_C(3) << mode->shift)), "");
    uint64_t code = (uint64_t)mode->codes[direction] << mode->shift;
    return LLVMBuildOr(f->llvm.builder, value, geo_emit_const_like(value, code), "");
}

static void body_emit(struct geo_lower_function *f, LLVMValueRef function,
                      enum geo_rounded operation, SpvFPRoundingMode mode)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, 0));
    unsigned count = operations[operation].operands;
    LLVMValueRef args[5];
    char name[64];
    GEO_ASSERT(count + 2 <= 5);
    LLVMValueRef saved = mode_get(f);
    mode_set(f, mode_with(f, saved, mode));
    LLVMGetParams(function, args);
    args[count] = text_operand(f, modes[mode].llvm);
    args[count + 1] = text_operand(f, "fpexcept.ignore");
    snprintf(name, sizeof(name), "llvm.experimental.constrained.%s", operations[operation].name);
    LLVMValueRef result = geo_emit_intrinsic_of(f, name, &type, 1, args, count + 2);
    LLVMAddCallSiteAttribute(result, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             attribute(f, "strictfp", 0));
    mode_set(f, saved);
    LLVMBuildRet(f->llvm.builder, result);
}

static LLVMValueRef function_get(struct geo_lower_function *f, enum geo_rounded operation,
                                 SpvFPRoundingMode mode, LLVMTypeRef type, uint32_t lanes,
                                 uint32_t bits)
{
    char name[64];
    snprintf(name, sizeof(name), "geo.%s.%s.f%u.w%u", operations[operation].name, modes[mode].name,
             bits, lanes);
    LLVMTypeRef parameters[3] = {type, type, type};
    struct geo_lower_function inner;
    LLVMValueRef function;
    if (geo_outline_begin(f, name,
                          LLVMFunctionType(type, parameters, operations[operation].operands, false),
                          &inner, &function)) {
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                attribute(f, "strictfp", 0));
        body_emit(&inner, function, operation, mode);
        geo_outline_end(&inner);
    }
    return function;
}

/* ---- uses ---- */

static LLVMValueRef plain(struct geo_lower_function *f, enum geo_rounded operation,
                          const LLVMValueRef *v)
{
    LLVMValueRef args[3] = {v[0]};
    switch (operation) {
    case GEO_ROUNDED_ADD:
        return LLVMBuildFAdd(f->llvm.builder, v[0], v[1], "");
    case GEO_ROUNDED_SUBTRACT:
        return LLVMBuildFSub(f->llvm.builder, v[0], v[1], "");
    case GEO_ROUNDED_MULTIPLY:
        return LLVMBuildFMul(f->llvm.builder, v[0], v[1], "");
    case GEO_ROUNDED_DIVIDE:
        return LLVMBuildFDiv(f->llvm.builder, v[0], v[1], "");
    case GEO_ROUNDED_SQRT:
        return geo_emit_intrinsic(f, "llvm.sqrt", args, 1);
    default:
        args[1] = v[1];
        args[2] = v[2];
        return geo_emit_intrinsic(f, "llvm.fma", args, 3);
    }
}

LLVMValueRef geo_arith_mode_rounded(struct geo_lower_function *f, enum geo_rounded operation,
                                    SpvFPRoundingMode mode, const LLVMValueRef *operands)
{
    GEO_ASSERT(operation <= GEO_ROUNDED_FMA && mode <= SpvFPRoundingModeRTN);
    GEO_ASSERT(operation != GEO_ROUNDED_FMA || f->options->target.has_fma);
    if (mode == SpvFPRoundingModeRTE) {
        return plain(f, operation, operands);
    }
    if (f->options->target.arch->rounded) {
        return f->options->target.arch->rounded(f, operation, mode, operands);
    }
    LLVMValueRef args[3];
    memcpy(args, operands, operations[operation].operands * sizeof(args[0]));
    LLVMValueRef function = function_get(f, operation, mode, LLVMTypeOf(operands[0]),
                                         geo_type_lanes(operands[0]), geo_type_bits(operands[0]));
    return LLVMBuildCall2(f->llvm.builder, LLVMGlobalGetValueType(function), function, args,
                          operations[operation].operands, "");
}

LLVMValueRef geo_arith_mode_rounds_up(struct geo_lower_function *f, LLVMValueRef kept,
                                      LLVMValueRef cut, LLVMValueRef half_way,
                                      LLVMValueRef negative, SpvFPRoundingMode mode)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef inexact = geo_emit_icmp(f, LLVMIntNE, cut, geo_emit_zero_like(cut));
    switch (mode) {
    case SpvFPRoundingModeRTZ:
        return LLVMConstNull(LLVMTypeOf(inexact));
    case SpvFPRoundingModeRTP:
        return LLVMBuildAnd(b, inexact, LLVMBuildNot(b, negative, ""), "");
    case SpvFPRoundingModeRTN:
        return LLVMBuildAnd(b, inexact, negative, "");
    default: {
        LLVMValueRef odd =
            geo_emit_icmp(f, LLVMIntNE, LLVMBuildAnd(b, kept, geo_emit_const_like(kept, 1), ""),
                          geo_emit_zero_like(kept));
        LLVMValueRef tie = geo_emit_icmp(f, LLVMIntEQ, cut, half_way);
        return LLVMBuildOr(b, geo_emit_icmp(f, LLVMIntUGT, cut, half_way),
                           LLVMBuildAnd(b, tie, odd, ""), "");
    }
    }
}

LLVMValueRef geo_arith_mode_flush(struct geo_lower_function *f, LLVMValueRef value)
{
    LLVMTypeKind kind = LLVMGetTypeKind(geo_type_element(value));
    uint32_t width = geo_type_bits(value), mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    bool half = kind == LLVMIntegerTypeKind && width == 16;
    if (!half && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) {
        return value;
    }
    LLVMBuilderRef b = f->llvm.builder;
    uint64_t sign = 1ull << (width - 1), exponent = sign - (1ull << mantissa);
    LLVMValueRef bits = geo_emit_to_bits(f, value);
    LLVMValueRef power = LLVMBuildAnd(b, bits, geo_emit_const_like(bits, exponent), "");
    LLVMValueRef small = geo_emit_icmp(f, LLVMIntEQ, power, geo_emit_zero_like(bits));
    LLVMValueRef zero = LLVMBuildAnd(b, bits, geo_emit_const_like(bits, sign), "");
    bits = geo_emit_select(f, small, zero, bits);
    return half ? bits : geo_emit_from_bits(f, bits);
}
