/* Dense vectors hold a vector of n components of each lane in one vector of W * n elements. The
 * components of a lane are neighbours, as in memory:
 *
 *     W = 4, n = 2    a0 b0 | a1 b1 | a2 b2 | a3 b3        parts: a0 a1 a2 a3 and b0 b1 b2 b3
 *
 * An operation on all components is one operation on a dense vector. */
#ifndef GEO_COMPILER_LOWER_EMIT_DENSE_H
#define GEO_COMPILER_LOWER_EMIT_DENSE_H

#include "compiler/lower/emit/type.h"

#define GEO_EMIT_DENSE_LIMIT      256u /* largest number of elements of a dense vector */
#define GEO_EMIT_DENSE_COMPONENTS 16u

/* Returns the type of a dense vector of `count` components per lane. */
LLVMTypeRef geo_emit_dense_type(struct geo_lower_function *f, LLVMTypeRef element, uint32_t count);
/* Returns one component of all lanes, <W x T>. */
LLVMValueRef geo_emit_dense_part(struct geo_lower_function *f, LLVMValueRef dense, uint32_t count,
                                 uint32_t part);
/* Takes a dense vector apart, as many parts as possible at once. Returns whether their lanes are in
 * order. If not, geo_emit_dense_order puts a result that is computed from them in order. */
bool geo_emit_dense_parts(struct geo_lower_function *f, LLVMValueRef dense, uint32_t count,
                          LLVMValueRef *parts);
LLVMValueRef geo_emit_dense_order(struct geo_lower_function *f, LLVMValueRef part, uint32_t count);
/* Joins `count` parts <W x T> to a dense vector. */
LLVMValueRef geo_emit_dense_join(struct geo_lower_function *f, const LLVMValueRef *parts,
                                 uint32_t count);
/* Returns a dense vector with the same `count` scalars in each lane. */
LLVMValueRef geo_emit_dense_repeat(struct geo_lower_function *f, const LLVMValueRef *scalars,
                                   uint32_t count);
/* Returns a dense vector with the same value, a scalar or <W x T>, for all components. */
LLVMValueRef geo_emit_dense_spread(struct geo_lower_function *f, LLVMValueRef value,
                                   uint32_t count);
/* Shuffles the components of each lane: result component i is component picks[i] of `a`, or
 * picks[i] - a_count of `b`. UINT32_MAX: 0. `b` may be NULL. */
LLVMValueRef geo_emit_dense_shuffle(struct geo_lower_function *f, LLVMValueRef a, uint32_t a_count,
                                    LLVMValueRef b, uint32_t b_count, const uint32_t *picks,
                                    uint32_t count);

#endif
