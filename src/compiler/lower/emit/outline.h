/* Functions of the module beside its kernels, for what is long wherever it is used: written once
 * and called. They take and return numbers or vectors, touch no memory and always return. */
#ifndef GEO_COMPILER_LOWER_EMIT_OUTLINE_H
#define GEO_COMPILER_LOWER_EMIT_OUTLINE_H

#include "compiler/lower/state/function.h"

/* The function of a name. True: it is new; the caller writes its body with *inner, whose builder
 * stands at its start, and ends with geo_outline_end. */
bool geo_outline_begin(const struct geo_lower_function *f, const char *name, LLVMTypeRef type,
                       struct geo_lower_function *inner, LLVMValueRef *function);
void geo_outline_end(struct geo_lower_function *inner);

#define GEO_OUTLINE_ARGUMENTS 2u /* at most */

/* What a function computes from its arguments; `choice` is the caller's. */
typedef LLVMValueRef geo_outline_body(struct geo_lower_function *inner, LLVMValueRef *args,
                                      uint32_t choice);

/* A call of the function of a name, which says the choice and the types, too; `body` writes it
 * where it is new. */
LLVMValueRef geo_outline_call(struct geo_lower_function *f, const char *name, LLVMTypeRef result,
                              LLVMValueRef *args, uint32_t count, geo_outline_body *body,
                              uint32_t choice);

#endif
