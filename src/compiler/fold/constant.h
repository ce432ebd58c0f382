/* Folds operations on constants of any type: scalars, vectors by component, and parts of
 * composites. */
#ifndef GEO_COMPILER_FOLD_CONSTANT_H
#define GEO_COMPILER_FOLD_CONSTANT_H

#include "compiler/ir/ir.h"

/* An operation on constants. Its operands and types are not validated yet. */
struct geo_fold_operation {
    SpvOp op;
    const struct geo_ir_type *type;
    struct geo_ir_value *const *operands;
    uint32_t operand_count;
    const uint32_t *literals;
    uint32_t literal_count;
};

/* Folds an operation, rounding to nearest and keeping denormals. For cases that SPIR-V leaves
 * undefined see scalar.h. Returns false if the operands do not fold to a constant. True with *out
 * NULL: memory ran out. */
bool geo_fold_constant(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                       struct geo_ir_value **out);

#endif
