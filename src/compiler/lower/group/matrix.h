/* Lowering of cooperative matrices: loads, stores and products. The rest is instructions on scalars
 * (transform/matrices.c).
 *
 * A matrix lies in the lanes row by row (struct geo_ir_matrix): slot j, a vector, holds elements j
 * W to j W + W - 1. All lanes work, those that are off too: a matrix is the sub-group's. */
#ifndef GEO_COMPILER_LOWER_GROUP_MATRIX_H
#define GEO_COMPILER_LOWER_GROUP_MATRIX_H

#include "compiler/lower/state/function.h"

bool geo_lower_matrix(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* matrix_access.c, matrix_product.c */
bool geo_lower_matrix_access(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_matrix_product(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
