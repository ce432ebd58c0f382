/* The SPIR-V reader: cooperative matrices (SPV_KHR_cooperative_matrix). */
#ifndef GEO_COMPILER_SPIRV_MATRIX_H
#define GEO_COMPILER_SPIRV_MATRIX_H

#include "compiler/spirv/state.h"

/* Reads OpTypeCooperativeMatrixKHR. Returns NULL after an error. */
const struct geo_ir_type *spirv_matrix_type(struct spirv_reader *reader);
/* Returns the number of elements that an item holds of a matrix, as a constant of this type. `id`:
 * the matrix type, or a matrix. Returns NULL after an error. */
struct geo_ir_value *spirv_matrix_length(struct spirv_reader *reader,
                                         const struct geo_ir_type *type, uint32_t id);
/* Reads OpCooperativeMatrixLengthKHR. */
bool spirv_read_matrix_length(struct spirv_reader *reader);

#endif
