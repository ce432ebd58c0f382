/* Calls one target for all lanes at once or lane by lane, and merges the results of several such
 * calls. The caller supplies the code and the memory for the callee's private variables. */
#ifndef GEO_COMPILER_LOWER_CPU_CALL_TARGET_H
#define GEO_COMPILER_LOWER_CPU_CALL_TARGET_H

#include "compiler/lower/state/function.h"

/* A call instruction while its targets are called. */
struct geo_call_target {
    const struct geo_ir_inst *inst; /* operands[0] is the callee */
    LLVMTypeRef wide;               /* function type at the caller's width */
    LLVMTypeRef narrow;             /* function type at W = 1 */
    LLVMValueRef code;
    LLVMValueRef memory; /* start of the callee's private variables */
    LLVMValueRef *slots; /* an alloca at the caller's width for each part of the result */
    uint32_t parts;
    LLVMValueRef *arguments; /* vectors of arguments, for calls lane by lane */
    uint32_t argument_count;
    LLVMValueRef place; /* alloca of the context of one work-item */
};

/* Fills all fields except code and memory, which the caller sets. Returns false after a failure. */
bool geo_call_target_begin(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           struct geo_call_target *call);
/* Call call->code for the active lanes. geo_call_target_wide calls code of the caller's width once;
 * geo_call_target_lanes calls code for W = 1 once for each lane. */
void geo_call_target_wide(struct geo_lower_function *f, struct geo_call_target *call);
void geo_call_target_lanes(struct geo_lower_function *f, struct geo_call_target *call);
/* Sets the result of the instruction. */
void geo_call_target_end(struct geo_lower_function *f, const struct geo_call_target *call);

/* Emits a call of code of the caller's width for the active lanes. Returns NULL after a failure. */
LLVMValueRef geo_call_target_emit(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                  LLVMTypeRef type, LLVMValueRef code, LLVMValueRef memory);

#endif
