/* Converts elements of matrices to the type in which a product is computed, and back. */
#ifndef GEO_COMPILER_LOWER_CPU_GROUP_ELEMENT_H
#define GEO_COMPILER_LOWER_CPU_GROUP_ELEMENT_H

#include "compiler/ir/multiply.h"
#include "compiler/lower/state/function.h"

/* Returns elements as integers or floats of `bits` bits; halves are held as their bits. */
LLVMValueRef geo_group_element_widen(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                     LLVMValueRef value, enum geo_element kind, uint32_t bits);
/* Returns results, rounded to nearest, as elements of `width` bits. Integers have that width
 * already. */
LLVMValueRef geo_group_element_narrow(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                      LLVMValueRef value, enum geo_element kind, uint32_t width);
/* Returns sum + a b. The product of floats is not rounded if the target has FMA. `sum` may be NULL
 * for integers. */
LLVMValueRef geo_group_element_multiply_add(struct geo_lower_function *f, LLVMValueRef a,
                                            LLVMValueRef b, LLVMValueRef sum);

#endif
