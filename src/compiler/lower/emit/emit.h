/* Small LLVM vocabulary of the instruction files: every function takes and gives "wide" values,
 * which are scalars (uniform, W = 1) or <n x> vectors, and works alike on both.
 *
 * Nothing here knows the model's values; the builder's position is the only state. Used inside
 * lower/ only. */
#ifndef GEO_COMPILER_LOWER_EMIT_H
#define GEO_COMPILER_LOWER_EMIT_H

#include "compiler/lower/lower.h"

/* Number of lanes of a wide value (1: scalar), its element type, and that element's bits (pointers:
 * 64). */
uint32_t geo_emit_lanes(LLVMValueRef value);
LLVMTypeRef geo_emit_element(LLVMValueRef value);
uint32_t geo_emit_bits(LLVMValueRef value);
/* `element` with as many lanes as `like`. */
LLVMTypeRef geo_emit_like(LLVMValueRef like, LLVMTypeRef element);
LLVMTypeRef geo_emit_int_type(struct geo_lower_function *f, uint32_t bits);
LLVMTypeRef geo_emit_float_type(struct geo_lower_function *f, uint32_t bits);
/* <lanes x element>; the element itself for one lane. */
LLVMTypeRef geo_emit_wide_type(LLVMTypeRef element, uint32_t lanes);

/* Constants of a wide type, every lane the same. */
LLVMValueRef geo_emit_const(LLVMTypeRef type, uint64_t bits);
LLVMValueRef geo_emit_real(LLVMTypeRef type, double value);
/* The same, of the type of `like`. */
LLVMValueRef geo_emit_const_like(LLVMValueRef like, uint64_t bits);
LLVMValueRef geo_emit_real_like(LLVMValueRef like, double value);
LLVMValueRef geo_emit_zero_like(LLVMValueRef like);
/* 0, 1, 2 ... times `step` as <lanes x iN>. */
LLVMValueRef geo_emit_lane_steps(struct geo_lower_function *f, uint32_t bits, uint32_t lanes,
                                 int64_t step);

/* Integer width changes: truncates or extends to `bits`. */
LLVMValueRef geo_emit_zext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits);
LLVMValueRef geo_emit_sext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits);
/* Floats to their bits and back; integers unchanged. */
LLVMValueRef geo_emit_to_bits(struct geo_lower_function *f, LLVMValueRef value);
LLVMValueRef geo_emit_from_bits(struct geo_lower_function *f, LLVMValueRef value);

/* Overloaded intrinsic `name` on the type of args[0], with `count` arguments. */
LLVMValueRef geo_emit_intrinsic(struct geo_lower_function *f, const char *name, LLVMValueRef *args,
                                uint32_t count);
/* Any intrinsic with its overload types. */
LLVMValueRef geo_emit_intrinsic_of(struct geo_lower_function *f, const char *name,
                                   LLVMTypeRef *types, uint32_t type_count, LLVMValueRef *args,
                                   uint32_t count);

/* A masked access of `data`: argument number `pointer` (from 1) is aligned to `align` bytes. */
LLVMValueRef geo_emit_masked(struct geo_lower_function *f, const char *name, LLVMTypeRef data,
                             LLVMValueRef *args, uint32_t count, uint32_t pointer, uint32_t align);
/* Lanes that lie side by side; those that are off give zero. */
LLVMValueRef geo_emit_masked_load(struct geo_lower_function *f, LLVMTypeRef type,
                                  LLVMValueRef pointer, LLVMValueRef mask, uint32_t align);
void geo_emit_masked_store(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef pointer,
                           LLVMValueRef mask, uint32_t align);

LLVMValueRef geo_emit_abs(struct geo_lower_function *f, LLVMValueRef value);
LLVMValueRef geo_emit_minmax(struct geo_lower_function *f, const char *name, LLVMValueRef a,
                             LLVMValueRef b);
LLVMValueRef geo_emit_select(struct geo_lower_function *f, LLVMValueRef condition, LLVMValueRef on,
                             LLVMValueRef off);
LLVMValueRef geo_emit_icmp(struct geo_lower_function *f, LLVMIntPredicate predicate, LLVMValueRef a,
                           LLVMValueRef b);
LLVMValueRef geo_emit_fcmp(struct geo_lower_function *f, LLVMRealPredicate predicate,
                           LLVMValueRef a, LLVMValueRef b);
/* Lanes [start, start + count) of a vector; two vectors one after the other, the second not longer
 * than the first. */
LLVMValueRef geo_emit_slice(struct geo_lower_function *f, LLVMValueRef vector, uint32_t start,
                            uint32_t count);
LLVMValueRef geo_emit_concat(struct geo_lower_function *f, LLVMValueRef low, LLVMValueRef high);
/* Lanes start, start + step ... (`count` of them) of a vector. */
LLVMValueRef geo_emit_stride(struct geo_lower_function *f, LLVMValueRef vector, int32_t start,
                             int32_t step, uint32_t count);

/* Address + byte offset (wide or scalar, any integer width, signed). */
LLVMValueRef geo_emit_offset(struct geo_lower_function *f, LLVMValueRef pointer,
                             LLVMValueRef offset);
LLVMValueRef geo_emit_offset_const(struct geo_lower_function *f, LLVMValueRef pointer,
                                   int64_t offset);

/* A new block of the current function after the current one. */
LLVMBasicBlockRef geo_emit_block(struct geo_lower_function *f, const char *name);

#endif
