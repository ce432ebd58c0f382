/* Emits the operations that reductions and scans of groups repeat, for all machines. Operands are
 * scalars or vectors of integers or floats. */
#ifndef GEO_COMPILER_LOWER_ARITH_JOIN_H
#define GEO_COMPILER_LOWER_ARITH_JOIN_H

#include "compiler/ir/group_op.h"
#include "compiler/lower/state/function.h"

/* Returns the identity element of an operation. With `zero`, the identity of a sum of floats is 0
 * instead of -0, because the first item of an exclusive scan receives it. */
LLVMValueRef geo_arith_join_identity(enum geo_group_join join, LLVMTypeRef type, bool is_float,
                                     bool zero);
/* Joins two values. */
LLVMValueRef geo_arith_join_two(struct geo_lower_function *f, enum geo_group_join join,
                                LLVMValueRef a, LLVMValueRef b, bool is_float);

#endif
