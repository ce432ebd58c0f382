/* Lowering's LLVM words: small operations on wide values, intrinsics, blocks. Nothing here knows
 * the model's values; the builder's position is the only state. */
#ifndef GEO_COMPILER_LOWER_EMIT_EMIT_H
#define GEO_COMPILER_LOWER_EMIT_EMIT_H

#include "compiler/lower/emit/type.h"

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

LLVMValueRef geo_emit_abs(struct geo_lower_function *f, LLVMValueRef value);
LLVMValueRef geo_emit_minmax(struct geo_lower_function *f, const char *name, LLVMValueRef a,
                             LLVMValueRef b);
LLVMValueRef geo_emit_select(struct geo_lower_function *f, LLVMValueRef condition, LLVMValueRef on,
                             LLVMValueRef off);
LLVMValueRef geo_emit_icmp(struct geo_lower_function *f, LLVMIntPredicate predicate, LLVMValueRef a,
                           LLVMValueRef b);
LLVMValueRef geo_emit_fcmp(struct geo_lower_function *f, LLVMRealPredicate predicate,
                           LLVMValueRef a, LLVMValueRef b);

/* A new block: the last one of the function, or the one after the current. */
LLVMBasicBlockRef geo_emit_block_last(struct geo_lower_function *f, const char *name);
LLVMBasicBlockRef geo_emit_block_next(struct geo_lower_function *f, const char *name);

#endif
