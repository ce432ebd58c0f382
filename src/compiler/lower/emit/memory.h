/* Emits byte offsets, allocas, masked accesses, and loads from memory that does not change. */
#ifndef GEO_COMPILER_LOWER_EMIT_MEMORY_H
#define GEO_COMPILER_LOWER_EMIT_MEMORY_H

#include "compiler/lower/emit/type.h"

/* Adds a signed byte offset of any integer width to a pointer. Either may be a vector. */
LLVMValueRef geo_emit_offset(struct geo_lower_function *f, LLVMValueRef pointer,
                             LLVMValueRef offset);
LLVMValueRef geo_emit_offset_const(struct geo_lower_function *f, LLVMValueRef pointer,
                                   int64_t offset);
/* Casts a pointer to a pointer type of the machine (geo_type_of), which may be in another
 * address space. Returns the pointer itself if it has the type. The pointer may be a vector. */
LLVMValueRef geo_emit_pointer_cast(struct geo_lower_function *f, LLVMValueRef pointer,
                                   LLVMTypeRef type);
/* Creates an alloca in the function's entry block. */
LLVMValueRef geo_emit_alloca(struct geo_lower_function *f, LLVMTypeRef type, const char *name);

/* Calls a masked intrinsic that accesses values of type `data`. Argument number `pointer` (counted
 * from 1) is aligned to `align` bytes. */
LLVMValueRef geo_emit_masked(struct geo_lower_function *f, const char *name, LLVMTypeRef data,
                             LLVMValueRef *args, uint32_t count, uint32_t pointer, uint32_t align);
/* Loads or stores consecutive elements in the lanes of `mask`. A load returns zero in other
 * lanes. */
LLVMValueRef geo_emit_masked_load(struct geo_lower_function *f, LLVMTypeRef type,
                                  LLVMValueRef pointer, LLVMValueRef mask, uint32_t align);
void geo_emit_masked_store(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef pointer,
                           LLVMValueRef mask, uint32_t align);

/* Loads from memory that does not change while the kernel runs. */
LLVMValueRef geo_emit_load_invariant(struct geo_lower_function *f, LLVMTypeRef type,
                                     LLVMValueRef address, uint32_t align);

#endif
