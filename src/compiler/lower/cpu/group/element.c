/* Conversions and multiply-adds of elements of matrices. See element.h. */
#include "compiler/lower/cpu/group/element.h"

#include "base/assert.h"
#include "compiler/lower/arith/convert.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

static bool is_real(enum geo_element kind)
{
    return kind > GEO_ELEMENT_UNSIGNED;
}

static LLVMValueRef float_resize(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef type = geo_type_like(value, geo_type_float(f, bits));
    uint32_t from = geo_type_bits(value);
    return from < bits   ? LLVMBuildFPExt(b, value, type, "")
           : from > bits ? LLVMBuildFPTrunc(b, value, type, "")
                         : value;
}

/* Converts between bfloat16 and float. The types are passed explicitly, because those of the
 * instruction may be matrices. */
static LLVMValueRef bfloat_convert(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                   LLVMValueRef value, bool to_float)
{
    const struct geo_ir_type *narrow = geo_ir_type_int(f->module, 16);
    const struct geo_ir_type *single = geo_ir_type_float(f->module, 32);
    struct geo_emit e = {.f = f, .inst = inst, .count = 1, .v = {value}};
    e.type = to_float ? single : narrow;
    e.from = to_float ? narrow : single;
    return geo_arith_convert_bfloat(&e);
}

LLVMValueRef geo_group_element_widen(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                     LLVMValueRef value, enum geo_element kind, uint32_t bits)
{
    switch (kind) {
    case GEO_ELEMENT_SIGNED:
        return geo_emit_sext(f, value, bits);
    case GEO_ELEMENT_UNSIGNED:
        return geo_emit_zext(f, value, bits);
    case GEO_ELEMENT_BFLOAT:
        value = bfloat_convert(f, inst, value, true);
        break;
    case GEO_ELEMENT_TF32: {
        /* TF32 ignores the low 13 bits of a float. */
        LLVMValueRef word = geo_emit_to_bits(f, value);
        word = LLVMBuildAnd(f->llvm.builder, word, geo_emit_const_like(word, 0xffffe000u), "");
        value = geo_emit_from_bits(f, word);
        break;
    }
    default: /* halves are held as their bits */
        if (geo_type_bits(value) == 16) {
            value = geo_arith_half_to_float(f, value);
        }
        break;
    }
    return float_resize(f, value, bits);
}

LLVMValueRef geo_group_element_narrow(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                      LLVMValueRef value, enum geo_element kind, uint32_t width)
{
    if (!is_real(kind)) {
        return value;
    }
    if (kind == GEO_ELEMENT_BFLOAT) {
        return bfloat_convert(f, inst, float_resize(f, value, 32), false);
    }
    return width == 16 ? geo_arith_float_to_half(f, value, SpvFPRoundingModeRTE)
                       : float_resize(f, value, width);
}

LLVMValueRef geo_group_element_multiply_add(struct geo_lower_function *f, LLVMValueRef a,
                                            LLVMValueRef b, LLVMValueRef sum)
{
    LLVMBuilderRef builder = f->llvm.builder;
    LLVMTypeRef type = LLVMTypeOf(a);
    bool real = LLVMGetTypeKind(type) == LLVMVectorTypeKind
                    ? LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind
                    : LLVMGetTypeKind(type) != LLVMIntegerTypeKind;
    GEO_ASSERT(type == LLVMTypeOf(b) && (sum || !real));
    if (!real) {
        LLVMValueRef product = LLVMBuildMul(builder, a, b, "");
        return sum ? LLVMBuildAdd(builder, sum, product, "") : product;
    }
    LLVMValueRef operands[3] = {a, b, sum};
    return f->options->target.has_fma
               ? geo_emit_intrinsic(f, "llvm.fma", operands, 3)
               : LLVMBuildFAdd(builder, sum, LLVMBuildFMul(builder, a, b, ""), "");
}
