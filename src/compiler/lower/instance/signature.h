/* How functions that were not inlined take and give values.
 *
 *     {results} f.wN(launch, worker, memory, context, mask, arguments ...)
 *
 * Arguments and results are varying, part by part. `memory` is where the function's private
 * variables start, behind its caller's in the frame; `context` holds the chunk's place
 * (frame/ids.h), from which the ids are computed again. The mask is an i64 with a bit for each
 * lane; at W = 1 there is none. Floats are returned as integers (llvm_faults.def,
 * FLOATS_IN_RESULT). */
#ifndef GEO_COMPILER_LOWER_INSTANCE_SIGNATURE_H
#define GEO_COMPILER_LOWER_INSTANCE_SIGNATURE_H

#include "compiler/lower/state/function.h"

enum geo_call_parameters {
    GEO_CALL_LAUNCH,
    GEO_CALL_WORKER,
    GEO_CALL_MEMORY,
    GEO_CALL_CONTEXT,
    GEO_CALL_MASK, /* with more than one lane */
};

/* The first parameter that is an argument. */
static inline uint32_t geo_call_first_argument(uint32_t lanes)
{
    return lanes > 1 ? GEO_CALL_MASK + 1 : GEO_CALL_MASK;
}

/* The type of a function that takes and gives values of these types, at a width. NULL after a
 * failure. */
LLVMTypeRef geo_call_type(struct geo_lower_function *f, const struct geo_ir_type *result,
                          const struct geo_ir_type *const *parameters, uint32_t count,
                          uint32_t lanes);
/* The same for what a call instruction calls: operands[0] is the callee. */
LLVMTypeRef geo_call_type_of(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                             uint32_t lanes);
/* A part of what a call gave, as the value of `type` that it is. */
LLVMValueRef geo_call_result(struct geo_lower_function *f, LLVMValueRef call, uint32_t part,
                             LLVMTypeRef type);
/* The current mask as functions take it, and the mask that a function was given. */
LLVMValueRef geo_call_mask(struct geo_lower_function *f);
LLVMValueRef geo_call_mask_parameter(struct geo_lower_function *f);

#endif
