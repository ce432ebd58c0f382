/* Folding of constants: what an opcode computes on the bits of scalars. */
#ifndef GEO_COMPILER_FOLD_SCALAR_H
#define GEO_COMPILER_FOLD_SCALAR_H

#include "compiler/ir/ir.h"

/* How far a result can be relied on. */
enum geo_fold {
    GEO_FOLD_NONE,      /* not an operation that is known here, or not on these types */
    GEO_FOLD_UNDEFINED, /* SPIR-V says nothing of it: a quotient by 0 is 0, a shift by too much
                           leaves zeros or signs, what an integer cannot hold is its limit */
    GEO_FOLD_ROUNDED,   /* to nearest, with denormals: other modes give something else */
    GEO_FOLD_EXACT,     /* the same under every mode */
};

/* `type` is the result's, `source` the first operand's; bool, integer, float or, for comparisons
 * and conversions of null, pointer. Bits are zero-extended. *result is set unless NONE. Roundings
 * are right while the thread rounds to nearest and keeps denormals. */
enum geo_fold geo_fold_scalar(SpvOp op, const struct geo_ir_type *type,
                              const struct geo_ir_type *source, const uint64_t operands[3],
                              uint64_t *result);

#endif
