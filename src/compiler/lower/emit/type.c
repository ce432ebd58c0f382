/* Implements the LLVM types of wide values and of the model's scalars; see type.h. */
#include "compiler/lower/emit/type.h"

#include "base/assert.h"

LLVMTypeRef geo_type_int(struct geo_lower_function *f, uint32_t bits)
{
    GEO_ASSERT(bits >= 1 && bits <= 128);
    return LLVMIntTypeInContext(f->llvm.context, bits);
}

LLVMTypeRef geo_type_float(struct geo_lower_function *f, uint32_t bits)
{
    GEO_ASSERT(bits == 32 || bits == 64);
    return bits == 64 ? LLVMDoubleTypeInContext(f->llvm.context)
                      : LLVMFloatTypeInContext(f->llvm.context);
}

LLVMTypeRef geo_type_of(struct geo_lower_function *f, const struct geo_ir_type *type)
{
    GEO_ASSERT(type->kind != GEO_TYPE_VECTOR && type->kind != GEO_TYPE_ARRAY &&
               type->kind != GEO_TYPE_STRUCT && type->kind != GEO_TYPE_FUNCTION);
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        return LLVMInt1TypeInContext(f->llvm.context);
    case GEO_TYPE_INT:
        return LLVMIntTypeInContext(f->llvm.context, type->width);
    case GEO_TYPE_FLOAT:
        return type->width == 16   ? LLVMInt16TypeInContext(f->llvm.context)
               : type->width == 32 ? LLVMFloatTypeInContext(f->llvm.context)
                                   : LLVMDoubleTypeInContext(f->llvm.context);
    case GEO_TYPE_VOID:
        return LLVMVoidTypeInContext(f->llvm.context);
    default: /* pointers, and handles of opaque types */
        return LLVMPointerTypeInContext(
            f->llvm.context,
            f->lower->machine->address_space(
                type->kind == GEO_TYPE_POINTER ? type->storage : SpvStorageClassUniformConstant));
    }
}

bool geo_type_is_half(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_FLOAT && type->width == 16;
}

LLVMTypeRef geo_type_vector(struct geo_lower_function *f, LLVMTypeRef scalar)
{
    GEO_ASSERT(f->lanes >= 1 && f->lanes <= GEO_LOWER_LANES_LIMIT);
    return f->lanes == 1 ? scalar : LLVMVectorType(scalar, f->lanes);
}

LLVMTypeRef geo_type_wide(LLVMTypeRef element, uint32_t lanes)
{
    GEO_ASSERT(LLVMGetTypeKind(element) != LLVMVectorTypeKind);
    return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

LLVMTypeRef geo_type_like(LLVMValueRef like, LLVMTypeRef element)
{
    return geo_type_wide(element, geo_type_lanes(like));
}

uint32_t geo_type_lanes(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef geo_type_element(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

uint32_t geo_type_bits(LLVMValueRef value)
{
    LLVMTypeRef element = geo_type_element(value);
    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(element);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

bool geo_type_is_integer(LLVMValueRef value)
{
    return LLVMGetTypeKind(geo_type_element(value)) == LLVMIntegerTypeKind;
}
