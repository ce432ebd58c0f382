/* LLVM types of wide values. A wide value is a scalar (uniform, or W = 1) or a vector <n x T>.
 *
 * Functions named geo_emit_* take and return LLVM values and work on scalars and vectors alike.
 * Functions named geo_lower_* know the values and instructions of the model. */
#ifndef GEO_COMPILER_LOWER_EMIT_TYPE_H
#define GEO_COMPILER_LOWER_EMIT_TYPE_H

#include "compiler/lower/state/function.h"

static inline LLVMTypeRef geo_type_i1(const struct geo_lower_function *f)
{
    return LLVMInt1TypeInContext(f->llvm.context);
}
static inline LLVMTypeRef geo_type_i8(const struct geo_lower_function *f)
{
    return LLVMInt8TypeInContext(f->llvm.context);
}
static inline LLVMTypeRef geo_type_i32(const struct geo_lower_function *f)
{
    return LLVMInt32TypeInContext(f->llvm.context);
}
static inline LLVMTypeRef geo_type_i64(const struct geo_lower_function *f)
{
    return LLVMInt64TypeInContext(f->llvm.context);
}
static inline LLVMTypeRef geo_type_ptr(const struct geo_lower_function *f)
{
    return LLVMPointerTypeInContext(f->llvm.context, 0);
}
static inline LLVMTypeRef geo_type_mask(const struct geo_lower_function *f)
{
    return LLVMVectorType(geo_type_i1(f), f->lanes);
}
LLVMTypeRef geo_type_int(struct geo_lower_function *f, uint32_t bits);
LLVMTypeRef geo_type_float(struct geo_lower_function *f, uint32_t bits);

/* Returns the LLVM type that holds a scalar of the model. It is i1 for bool (i8 in memory), i16
 * for half (its bits), and ptr for pointers and opaque handles. */
LLVMTypeRef geo_type_of(struct geo_lower_function *f, const struct geo_ir_type *type);
bool geo_type_is_half(const struct geo_ir_type *type);

/* Return the vector type with f->lanes or `lanes` elements, or the scalar type itself for one
 * lane. */
LLVMTypeRef geo_type_vector(struct geo_lower_function *f, LLVMTypeRef scalar);
LLVMTypeRef geo_type_wide(LLVMTypeRef element, uint32_t lanes);
/* Returns the type with elements of type `element` and as many lanes as `like`. */
LLVMTypeRef geo_type_like(LLVMValueRef like, LLVMTypeRef element);

/* Return the number of lanes of a wide value (1 for a scalar), its element type, and the bits of an
 * element (64 for pointers). */
uint32_t geo_type_lanes(LLVMValueRef value);
LLVMTypeRef geo_type_element(LLVMValueRef value);
uint32_t geo_type_bits(LLVMValueRef value);
/* Returns whether a value has an integer in each lane. */
bool geo_type_is_integer(LLVMValueRef value);

#endif
