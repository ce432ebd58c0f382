/* Folds an operation on the bits of scalar constants. */
#ifndef GEO_COMPILER_FOLD_SCALAR_H
#define GEO_COMPILER_FOLD_SCALAR_H

#include "compiler/ir/ir.h"

/* Reliability of a folded result. */
enum geo_fold {
    GEO_FOLD_NONE, /* the opcode is unknown here, or not defined on these types */
    /* SPIR-V leaves it undefined; we choose: a quotient by 0 is 0, a shift by too much leaves zeros
       or signs, an integer out of range is its limit */
    GEO_FOLD_UNDEFINED,
    /* rounded to nearest, with denormals: other float modes give another result */
    GEO_FOLD_ROUNDED,
    GEO_FOLD_EXACT, /* the same under every float mode */
};

/* Folds an operation. `type` is the result's type, `source` that of the first operand: bool,
 * integer, float, and for comparisons and conversions of null also pointer. Operands are
 * zero-extended. *result is set unless the function returns NONE. The thread must round to nearest
 * and keep denormals. */
enum geo_fold geo_fold_scalar(SpvOp op, const struct geo_ir_type *type,
                              const struct geo_ir_type *source, const uint64_t operands[3],
                              uint64_t *result);

#endif
