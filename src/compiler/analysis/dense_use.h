/* How instructions use vectors that may be held densely (dense.h). */
#ifndef GEO_COMPILER_ANALYSIS_DENSE_USE_H
#define GEO_COMPILER_ANALYSIS_DENSE_USE_H

#include "compiler/analysis/uses.h"

/* Returns whether an instruction is one of OpenCL.std. */
static inline bool geo_dense_use_is_opencl(const struct geo_ir_inst *inst, uint32_t number)
{
    return inst->op == SpvOpExtInst && inst->literals[0] == GEO_EXT_OPENCL_STD &&
           inst->literals[1] == number;
}

/* Returns whether a value is an instruction with a mark. `marks`: by value index. */
static inline bool geo_dense_use_is_marked(const bool *marks, const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST && marks[value->index];
}

/* Returns whether an instruction loads a vector at an index: vloadn, and vload_halfn to floats. */
bool geo_dense_use_is_vload(const struct geo_ir_inst *inst);
/* Returns whether an instruction is a dot product of floats of two vectors with marks, whose
 * products are computed as a whole. */
bool geo_dense_use_is_dot(const bool *marks, const struct geo_ir_inst *inst);
/* Returns whether all components of a shuffle's result are the same component of an operand. */
bool geo_dense_use_is_splat(const struct geo_ir_inst *inst);
/* Returns whether a use is the value that a store writes. */
bool geo_dense_use_is_stored(const struct geo_use *use);
/* Returns the number of components that an instruction takes out of an operand, or 0 if it uses the
 * operand as a whole. */
uint32_t geo_dense_use_pulls(const bool *marks, const struct geo_use *use);

#endif
