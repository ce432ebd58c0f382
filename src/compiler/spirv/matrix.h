/* The SPIR-V reader: cooperative matrices (SPV_KHR_cooperative_matrix). */
#ifndef GEO_COMPILER_SPIRV_MATRIX_H
#define GEO_COMPILER_SPIRV_MATRIX_H

#include "compiler/spirv/state.h"

/* OpTypeCooperativeMatrixKHR; NULL after an error. */
const struct geo_ir_type *spirv_matrix_type(struct spirv_reader *reader);
/* OpCooperativeMatrixLengthKHR: its operand is a type. */
bool spirv_read_matrix_length(struct spirv_reader *reader);

#endif
