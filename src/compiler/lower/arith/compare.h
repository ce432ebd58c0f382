/* Emits comparisons, classification of floats, logic on bools, selections and freeze. */
#ifndef GEO_COMPILER_LOWER_ARITH_COMPARE_H
#define GEO_COMPILER_LOWER_ARITH_COMPARE_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_arith_compare(struct geo_emit *e);
/* Compares two parts of a type. A NaN equals nothing; pointers are equal by their addresses. */
LLVMValueRef geo_arith_compare_equal(struct geo_lower_function *f, const struct geo_ir_type *type,
                                     LLVMValueRef a, LLVMValueRef b);
LLVMValueRef geo_arith_classify(struct geo_emit *e);
LLVMValueRef geo_arith_logic(struct geo_emit *e);
LLVMValueRef geo_arith_select_part(struct geo_emit *e);
/* Replaces poison by an arbitrary fixed value. */
LLVMValueRef geo_arith_freeze(struct geo_emit *e);
/* Emits OpenCL's fmin or fmax, which return the number if one operand is a NaN. */
LLVMValueRef geo_arith_fminmax(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                               bool is_min);

#endif
