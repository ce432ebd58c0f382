/* Lowering's LLVM words: byte offsets, allocas, masked accesses, what the calling contract's
 * structures hold. */
#ifndef GEO_COMPILER_LOWER_EMIT_MEMORY_H
#define GEO_COMPILER_LOWER_EMIT_MEMORY_H

#include "compiler/lower/emit/type.h"

/* Address + byte offset (wide or scalar, any integer width, signed). */
LLVMValueRef geo_emit_offset(struct geo_lower_function *f, LLVMValueRef pointer,
                             LLVMValueRef offset);
LLVMValueRef geo_emit_offset_const(struct geo_lower_function *f, LLVMValueRef pointer,
                                   int64_t offset);
/* In the function's entry block. */
LLVMValueRef geo_emit_alloca(struct geo_lower_function *f, LLVMTypeRef type, const char *name);

/* A masked access of `data`: argument number `pointer` (from 1) is aligned to `align` bytes. */
LLVMValueRef geo_emit_masked(struct geo_lower_function *f, const char *name, LLVMTypeRef data,
                             LLVMValueRef *args, uint32_t count, uint32_t pointer, uint32_t align);
/* Lanes that lie side by side; those that are off give zero. */
LLVMValueRef geo_emit_masked_load(struct geo_lower_function *f, LLVMTypeRef type,
                                  LLVMValueRef pointer, LLVMValueRef mask, uint32_t align);
void geo_emit_masked_store(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef pointer,
                           LLVMValueRef mask, uint32_t align);

/* Loads what does not change while the kernel runs. */
LLVMValueRef geo_emit_load_invariant(struct geo_lower_function *f, LLVMTypeRef type,
                                     LLVMValueRef address, uint32_t align);
/* The same of a field of the launch. */
LLVMValueRef geo_emit_launch_field(struct geo_lower_function *f, LLVMTypeRef type, uint64_t offset,
                                   const char *name);
/* Loads the worker's scratch pointer. */
LLVMValueRef geo_emit_scratch(struct geo_lower_function *f);
/* The address of the worker's `resume`. */
LLVMValueRef geo_emit_worker_resume(struct geo_lower_function *f);

#endif
