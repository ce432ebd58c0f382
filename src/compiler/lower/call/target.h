/* One call whose result may be put together from several: arguments and result, with the code and
 * the memory for its private variables left to the caller; for all lanes at once, or for one lane
 * after the other. */
#ifndef GEO_COMPILER_LOWER_CALL_TARGET_H
#define GEO_COMPILER_LOWER_CALL_TARGET_H

#include "compiler/lower/state/function.h"

struct geo_call_target {
    const struct geo_ir_inst *inst; /* operands[0] is what is called */
    LLVMTypeRef wide;               /* of the code at the caller's width */
    LLVMTypeRef narrow;             /* of the code for one work-item */
    LLVMValueRef code;
    LLVMValueRef memory; /* where the callee's private variables start */
    LLVMValueRef *slots; /* [parts of the result] allocas at the caller's width */
    uint32_t parts;
    LLVMValueRef *arguments; /* vectors, of calls for one lane after the other */
    uint32_t argument_count;
    LLVMValueRef place; /* alloca: the context of one work-item */
};

/* All but code and memory, which the caller sets. False after a failure. */
bool geo_call_target_begin(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           struct geo_call_target *call);
/* The call, for the lanes that are on, of code of the caller's width; of code for one work-item. */
void geo_call_target_wide(struct geo_lower_function *f, struct geo_call_target *call);
void geo_call_target_lanes(struct geo_lower_function *f, struct geo_call_target *call);
/* Sets the instruction's result. */
void geo_call_target_end(struct geo_lower_function *f, const struct geo_call_target *call);

/* A call of code of the caller's width, for the lanes that are on; NULL after a failure. */
LLVMValueRef geo_call_emit(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           LLVMTypeRef type, LLVMValueRef code, LLVMValueRef memory);

#endif
