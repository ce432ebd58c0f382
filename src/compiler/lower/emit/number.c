/* Implements numeric constants as wide values; see number.h. */
#include "compiler/lower/emit/number.h"

#include "base/assert.h"

static bool type_is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMTypeRef type_element(LLVMTypeRef type)
{
    return type_is_vector(type) ? LLVMGetElementType(type) : type;
}

static LLVMValueRef type_splat(LLVMTypeRef type, LLVMValueRef scalar)
{
    if (!type_is_vector(type)) {
        return scalar;
    }
    LLVMValueRef lanes[256];
    uint32_t count = LLVMGetVectorSize(type);
    GEO_ASSERT(count <= 256);
    for (uint32_t i = 0; i < count; i++) {
        lanes[i] = scalar;
    }
    return LLVMConstVector(lanes, count);
}

LLVMValueRef geo_emit_const(LLVMTypeRef type, uint64_t bits)
{
    return type_splat(type, LLVMConstInt(type_element(type), bits, true));
}

LLVMValueRef geo_emit_real(LLVMTypeRef type, double value)
{
    return type_splat(type, LLVMConstReal(type_element(type), value));
}

LLVMValueRef geo_emit_const_like(LLVMValueRef like, uint64_t bits)
{
    return geo_emit_const(LLVMTypeOf(like), bits);
}

LLVMValueRef geo_emit_real_like(LLVMValueRef like, double value)
{
    return geo_emit_real(LLVMTypeOf(like), value);
}

LLVMValueRef geo_emit_zero_like(LLVMValueRef like)
{
    return LLVMConstNull(LLVMTypeOf(like));
}

LLVMValueRef geo_emit_lane_steps(struct geo_lower_function *f, uint32_t bits, uint32_t lanes,
                                 int64_t step)
{
    LLVMValueRef steps[64];
    GEO_ASSERT(lanes <= 64);
    for (uint32_t i = 0; i < lanes; i++) {
        steps[i] = LLVMConstInt(geo_type_int(f, bits), (uint64_t)i * (uint64_t)step, bits < 64);
    }
    return LLVMConstVector(steps, lanes);
}
