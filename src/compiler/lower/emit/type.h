/* Lowering's LLVM words: types of wide values. A wide value is a scalar (uniform, W = 1) or a
 * vector <n x T>.
 *
 * Functions named geo_emit_* take and give LLVM values and work alike on both; those named
 * geo_lower_* know the model's values and instructions. */
#ifndef GEO_COMPILER_LOWER_EMIT_TYPE_H
#define GEO_COMPILER_LOWER_EMIT_TYPE_H

#include "compiler/lower/state/function.h"

static inline LLVMTypeRef geo_emit_i1(const struct geo_lower_function *f)
{
    return LLVMInt1TypeInContext(f->context);
}
static inline LLVMTypeRef geo_emit_i8(const struct geo_lower_function *f)
{
    return LLVMInt8TypeInContext(f->context);
}
static inline LLVMTypeRef geo_emit_i32(const struct geo_lower_function *f)
{
    return LLVMInt32TypeInContext(f->context);
}
static inline LLVMTypeRef geo_emit_i64(const struct geo_lower_function *f)
{
    return LLVMInt64TypeInContext(f->context);
}
static inline LLVMTypeRef geo_emit_ptr(const struct geo_lower_function *f)
{
    return LLVMPointerTypeInContext(f->context, 0);
}
static inline LLVMTypeRef geo_emit_mask_type(const struct geo_lower_function *f)
{
    return LLVMVectorType(geo_emit_i1(f), f->lanes);
}
LLVMTypeRef geo_emit_int_type(struct geo_lower_function *f, uint32_t bits);
LLVMTypeRef geo_emit_float_type(struct geo_lower_function *f, uint32_t bits);

/* What a part of a scalar type of the model is held in: bool as i1 (i8 in memory), half as its bits
 * (i16), pointers as ptr. */
LLVMTypeRef geo_emit_type_of(struct geo_lower_function *f, const struct geo_ir_type *type);
bool geo_type_is_half(const struct geo_ir_type *type);

/* <W x scalar>, <lanes x element>; one lane: the scalar itself. */
LLVMTypeRef geo_emit_vector_type(struct geo_lower_function *f, LLVMTypeRef scalar);
LLVMTypeRef geo_emit_wide_type(LLVMTypeRef element, uint32_t lanes);
/* `element` with as many lanes as `like`. */
LLVMTypeRef geo_emit_like(LLVMValueRef like, LLVMTypeRef element);

/* Number of lanes of a wide value (1: scalar), its element type, and that element's bits (pointers:
 * 64). */
uint32_t geo_emit_lanes(LLVMValueRef value);
LLVMTypeRef geo_emit_element(LLVMValueRef value);
uint32_t geo_emit_bits(LLVMValueRef value);

#endif
