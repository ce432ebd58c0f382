/* Outlined functions: internal functions of the LLVM module for long sequences that many places
 * use. They take and return numbers or vectors, do not touch memory, and always return. */
#ifndef GEO_COMPILER_LOWER_EMIT_OUTLINE_H
#define GEO_COMPILER_LOWER_EMIT_OUTLINE_H

#include "compiler/lower/state/function.h"

/* Finds or creates the outlined function `name`. If it returns true, the function is new: the
 * caller emits its body with *inner, whose builder is at the entry, and then calls
 * geo_outline_end. */
bool geo_outline_begin(const struct geo_lower_function *f, const char *name, LLVMTypeRef type,
                       struct geo_lower_function *inner, LLVMValueRef *function);
void geo_outline_end(struct geo_lower_function *inner);

#define GEO_OUTLINE_ARGUMENTS 2u /* largest number of arguments */

/* Emits the body of an outlined function and returns its result. `choice` is passed through from
 * geo_outline_call. */
typedef LLVMValueRef geo_outline_body(struct geo_lower_function *inner, LLVMValueRef *args,
                                      uint32_t choice);

/* Calls the outlined function `name` and creates it with `body` if it does not exist. The name must
 * contain the choice and the types, since it identifies the function. */
LLVMValueRef geo_outline_call(struct geo_lower_function *f, const char *name, LLVMTypeRef result,
                              LLVMValueRef *args, uint32_t count, geo_outline_body *body,
                              uint32_t choice);

#endif
