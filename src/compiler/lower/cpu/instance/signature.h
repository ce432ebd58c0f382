/* The calling convention of functions that were not inlined.
 *
 *     {results} f.wN(launch, worker, memory, context, mask, arguments ...)
 *
 * Arguments and results are passed part by part as vectors of W lanes. `memory` is the start of the
 * function's private variables, behind those of its caller in the frame. `context` holds the
 * chunk's position (cpu/frame/ids.h), from which the callee computes ids. The mask is an i64 with
 * one bit per lane; functions of one lane have no such parameter. Floats are returned as integers
 * (llvm_faults.def, FLOATS_IN_RESULT). */
#ifndef GEO_COMPILER_LOWER_CPU_INSTANCE_SIGNATURE_H
#define GEO_COMPILER_LOWER_CPU_INSTANCE_SIGNATURE_H

#include "compiler/lower/state/function.h"

/* Indices of the parameters before the arguments. */
enum geo_call_parameters {
    GEO_CALL_LAUNCH,
    GEO_CALL_WORKER,
    GEO_CALL_MEMORY,
    GEO_CALL_CONTEXT,
    GEO_CALL_MASK, /* only with more than one lane */
};

/* Returns the index of the first argument. */
static inline uint32_t geo_signature_first_argument(uint32_t lanes)
{
    return lanes > 1 ? GEO_CALL_MASK + 1 : GEO_CALL_MASK;
}

/* Returns the LLVM type of a function with these parameters and this result, for `lanes` lanes.
 * Returns NULL after a failure. */
LLVMTypeRef geo_signature_type(struct geo_lower_function *f, const struct geo_ir_type *result,
                               const struct geo_ir_type *const *parameters, uint32_t count,
                               uint32_t lanes);
/* Returns the type of the function that a call instruction calls; operands[0] is the callee. */
LLVMTypeRef geo_signature_type_of(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                  uint32_t lanes);
/* Extracts one part of a call's result and converts it to `type`. */
LLVMValueRef geo_signature_result(struct geo_lower_function *f, LLVMValueRef call, uint32_t part,
                                  LLVMTypeRef type);
/* geo_signature_mask returns the current mask in the form in which it is passed to a call.
 * geo_signature_mask_parameter returns the mask that the current function received, as <W x i1>. */
LLVMValueRef geo_signature_mask(struct geo_lower_function *f);
LLVMValueRef geo_signature_mask_parameter(struct geo_lower_function *f);

#endif
