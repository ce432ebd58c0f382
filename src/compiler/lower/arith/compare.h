/* Lowering of scalar operations: comparisons, classification of floats, logic on bools,
 * selections, freezing. */
#ifndef GEO_COMPILER_LOWER_ARITH_COMPARE_H
#define GEO_COMPILER_LOWER_ARITH_COMPARE_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_emit_compare(struct geo_emit *e);
LLVMValueRef geo_emit_classify(struct geo_emit *e);
LLVMValueRef geo_emit_logic(struct geo_emit *e);
LLVMValueRef geo_emit_select_part(struct geo_emit *e);
/* What is poison becomes some number. */
LLVMValueRef geo_emit_freeze(struct geo_emit *e);
/* OpenCL's fmin and fmax: a NaN loses against a number. */
LLVMValueRef geo_emit_fminmax(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                              bool is_min);

#endif
