/* Wrappers of the LLVM builder: small operations on wide values, intrinsics, blocks. They know
 * nothing of the model, and the builder's position is their only state. */
#ifndef GEO_COMPILER_LOWER_EMIT_EMIT_H
#define GEO_COMPILER_LOWER_EMIT_EMIT_H

#include "compiler/lower/emit/type.h"

/* Truncate an integer or extend it to `bits`, with zeros or with the sign. */
LLVMValueRef geo_emit_zext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits);
LLVMValueRef geo_emit_sext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits);
/* geo_emit_to_bits reinterprets floats as integers, geo_emit_from_bits integers as floats. Other
 * values are returned unchanged. */
LLVMValueRef geo_emit_to_bits(struct geo_lower_function *f, LLVMValueRef value);
LLVMValueRef geo_emit_from_bits(struct geo_lower_function *f, LLVMValueRef value);

/* Calls the intrinsic `name`, overloaded on the type of args[0]. */
LLVMValueRef geo_emit_intrinsic(struct geo_lower_function *f, const char *name, LLVMValueRef *args,
                                uint32_t count);
/* Calls the intrinsic `name` with the given overload types. */
LLVMValueRef geo_emit_intrinsic_of(struct geo_lower_function *f, const char *name,
                                   LLVMTypeRef *types, uint32_t type_count, LLVMValueRef *args,
                                   uint32_t count);

LLVMValueRef geo_emit_abs(struct geo_lower_function *f, LLVMValueRef value);
LLVMValueRef geo_emit_minmax(struct geo_lower_function *f, const char *name, LLVMValueRef a,
                             LLVMValueRef b);
LLVMValueRef geo_emit_select(struct geo_lower_function *f, LLVMValueRef condition, LLVMValueRef on,
                             LLVMValueRef off);
LLVMValueRef geo_emit_icmp(struct geo_lower_function *f, LLVMIntPredicate predicate, LLVMValueRef a,
                           LLVMValueRef b);
LLVMValueRef geo_emit_fcmp(struct geo_lower_function *f, LLVMRealPredicate predicate,
                           LLVMValueRef a, LLVMValueRef b);

/* Append a block: after the last one of the function, or after the current one. */
LLVMBasicBlockRef geo_emit_block_last(struct geo_lower_function *f, const char *name);
LLVMBasicBlockRef geo_emit_block_next(struct geo_lower_function *f, const char *name);

#endif
