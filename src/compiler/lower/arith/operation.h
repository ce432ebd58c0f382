/* Scalar operations by opcode: what computes one part of a result from one part of each operand.
 *
 * An operation gets its operands all as scalars or all as <W x>, and knows neither the model's
 * values nor how they are held: value/apply.c runs one over the parts of an instruction, larger
 * instructions run the same ones. Half is computed in float and rounded after each operation
 * (GEO_OPERATION_FLOAT): `emit` never sees it unless it asks for bits. */
#ifndef GEO_COMPILER_LOWER_ARITH_OPERATION_H
#define GEO_COMPILER_LOWER_ARITH_OPERATION_H

#include "compiler/lower/emit/type.h"

/* One part being computed. */
struct geo_emit {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst; /* of the result */
    uint32_t op;                    /* SpvOp, or the number of an OpenCL.std instruction */
    uint32_t flags;                 /* the value's: enum geo_ir_value_flags */
    const struct geo_ir_type *type; /* of the result's part; float for half */
    const struct geo_ir_type *from; /* of operand 0's part, likewise */
    LLVMValueRef v[4];              /* the operands' parts */
    uint32_t count;
};

/* NULL: not on these types. */
typedef LLVMValueRef (*geo_emit_fn)(struct geo_emit *e);

enum geo_operation_flags {
    GEO_OPERATION_FLOAT = 1u << 0, /* half operands and results go through float */
    GEO_OPERATION_BITS = 1u << 1,  /* half is welcome as its bits */
};

struct geo_operation {
    uint32_t op;
    uint32_t operand_count; /* exact */
    uint32_t flags;
    geo_emit_fn emit;
};

/* The operation of an opcode; NULL: none. */
const struct geo_operation *geo_operation_find(uint32_t op);
/* One part from given operands: the promotion of half, then emit. NULL after a failure. */
LLVMValueRef geo_operation_emit(struct geo_emit *e, const struct geo_operation *operation);
/* The row of a table that begins with `op`; rows begin with their number (uint32_t) and are sorted
 * by it. NULL: none. */
const void *geo_row_find(const void *table, size_t count, size_t row_bytes, uint32_t op);

#endif
