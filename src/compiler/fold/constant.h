/* What an opcode makes of whole constants: scalars, vectors by component, parts of composites. */
#ifndef GEO_COMPILER_FOLD_CONSTANT_H
#define GEO_COMPILER_FOLD_CONSTANT_H

#include "compiler/ir/ir.h"

/* An operation on constants that may be of any type: nobody has checked them. */
struct geo_fold_operation {
    SpvOp op;
    const struct geo_ir_type *type;
    struct geo_ir_value *const *operands;
    uint32_t operand_count;
    const uint32_t *literals;
    uint32_t literal_count;
};

/* Folds to nearest, with denormals; what SPIR-V leaves undefined as scalar.h says. False: these
 * operands do not make a constant. True with *out NULL: memory ran out. */
bool geo_fold_constant(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                       struct geo_ir_value **out);

#endif
