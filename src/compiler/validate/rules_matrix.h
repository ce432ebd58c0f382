/* Type rules of element-wise instructions, whose operands may be cooperative matrices too
 * (GEO_IS_ELEMENTWISE). Other rules use them. */
#ifndef GEO_COMPILER_VALIDATE_RULES_MATRIX_H
#define GEO_COMPILER_VALIDATE_RULES_MATRIX_H

#include "compiler/validate/operand.h"

/* Returns whether the result or the first operand is a matrix. */
bool geo_rules_matrix_has(const struct geo_ir_inst *inst);
/* Returns whether the `count` operands and the result are matrices of one shape, with elements of
 * these classes. Two operands must have the result's type. */
bool geo_rules_matrix_elements(const struct geo_ir_inst *inst, enum scalar_class result,
                               enum scalar_class operand, uint32_t count);

#endif
