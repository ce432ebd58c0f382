/* Lowers cooperative matrices: loads, stores and products. All other matrix instructions were
 * replaced by scalar ones (transform/expand/matrices.c).
 *
 * A matrix is spread over the lanes row by row (struct geo_ir_matrix). Slot j is a vector that
 * holds the elements j * W to j * W + W - 1. Inactive lanes take part as well, because a matrix
 * belongs to the whole sub-group. */
#ifndef GEO_COMPILER_LOWER_CPU_GROUP_MATRIX_H
#define GEO_COMPILER_LOWER_CPU_GROUP_MATRIX_H

#include "compiler/lower/state/function.h"

bool geo_group_matrix(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* The lowering of loads and stores (matrix_access.c) and of products (matrix_product.c). */
bool geo_group_matrix_access(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_group_matrix_product(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
