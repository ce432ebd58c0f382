/* What the frame of lowering shares between its own files; instruction.c and its neighbours need
 * lower.h only. */
#ifndef GEO_COMPILER_LOWER_FRAME_H
#define GEO_COMPILER_LOWER_FRAME_H

#include "compiler/lower/lower.h"

/* A value of more scalar leaves than this is refused: it would become that many registers. */
#define GEO_LOWER_PARTS_LIMIT 65536u
/* Largest lane count. */
#define GEO_LOWER_LANES_LIMIT 64u

static inline LLVMTypeRef geo_lower_i1(const struct geo_lower_function *f)
{
    return LLVMInt1TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_i8(const struct geo_lower_function *f)
{
    return LLVMInt8TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_i32(const struct geo_lower_function *f)
{
    return LLVMInt32TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_i64(const struct geo_lower_function *f)
{
    return LLVMInt64TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_ptr(const struct geo_lower_function *f)
{
    return LLVMPointerTypeInContext(f->context, 0);
}
static inline LLVMTypeRef geo_lower_mask_type(const struct geo_lower_function *f)
{
    return LLVMVectorType(geo_lower_i1(f), f->lanes);
}
static inline LLVMValueRef geo_lower_const_i32(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_lower_i32(f), bits, 0);
}
static inline LLVMValueRef geo_lower_const_i64(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_lower_i64(f), bits, 0);
}

/* A new LLVM block at the end of the function. */
LLVMBasicBlockRef geo_lower_block(struct geo_lower_function *f, const char *name);

/* ---- value.c ---- */

/* Makes room for a value's parts; false after geo_lower_error. */
bool geo_lower_reserve(struct geo_lower_function *f, const struct geo_ir_value *value);
/* geo_lower_set for any value: parameters too. */
void geo_lower_set_value(struct geo_lower_function *f, const struct geo_ir_value *value,
                         uint32_t part, LLVMValueRef result);
void geo_lower_no_memory(struct geo_lower_function *f);

/* ---- mask.c ---- */

/* <W x i1> as an integer of W bits; any bit set; index of the lowest set bit (bits not 0). */
LLVMValueRef geo_lower_mask_bits(struct geo_lower_function *f, LLVMValueRef mask);
LLVMValueRef geo_lower_any(struct geo_lower_function *f, LLVMValueRef mask);
LLVMValueRef geo_lower_count_zeros(struct geo_lower_function *f, LLVMValueRef bits);
/* mask may be NULL (all on) in `and`; the condition may be poison in lanes that are off. */
LLVMValueRef geo_lower_mask_and(struct geo_lower_function *f, LLVMValueRef mask,
                                LLVMValueRef condition);
LLVMValueRef geo_lower_mask_or(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b);

#endif
