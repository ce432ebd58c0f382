/* Scalar operations by opcode. An operation computes one part of a result from one part of each
 * operand.
 *
 * The operands are either all scalars or all <W x>. An operation does not know the values of the
 * model or how they are held. Instructions apply an operation to each of their parts
 * (value/apply.c), or combine several operations. Halves are computed in float and rounded after
 * each operation (GEO_OPERATION_FLOAT). `emit` sees halves only if the operation has
 * GEO_OPERATION_BITS. */
#ifndef GEO_COMPILER_LOWER_ARITH_OPERATION_H
#define GEO_COMPILER_LOWER_ARITH_OPERATION_H

#include "compiler/lower/emit/type.h"

/* The computation of one part. */
struct geo_emit {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst; /* instruction that has the result */
    uint32_t op;                    /* SpvOp, or the number of an OpenCL.std instruction */
    uint32_t flags;                 /* flags of the value: enum geo_ir_value_flags */
    const struct geo_ir_type *type; /* type of the result's part; float for half */
    const struct geo_ir_type *from; /* type of operand 0's part; float for half */
    LLVMValueRef v[4];              /* parts of the operands */
    uint32_t count;
};

/* Emits one part of an operation and returns it, or NULL if it does not support the types. */
typedef LLVMValueRef (*geo_emit_fn)(struct geo_emit *e);

/* How an operation treats halves. */
enum geo_operation_flags {
    GEO_OPERATION_FLOAT = 1u << 0, /* half operands and results are converted to and from float */
    GEO_OPERATION_BITS = 1u << 1,  /* accepts halves as their bits */
};

/* A row of the table of operations. */
struct geo_operation {
    uint32_t op;
    uint32_t operand_count; /* required number of operands */
    uint32_t flags;
    geo_emit_fn emit;
};

/* Returns the operation of an opcode, or NULL. */
const struct geo_operation *geo_arith_operation_find(uint32_t op);
/* Emits one part of an operation from the given operands, with the conversion of halves. Returns
 * NULL after a failure. */
LLVMValueRef geo_arith_operation_emit(struct geo_emit *e, const struct geo_operation *operation);
/* Returns the row of a table that starts with `op`, or NULL. Rows start with their number
 * (uint32_t) and are sorted by it. */
const void *geo_arith_operation_row_find(const void *table, size_t count, size_t row_bytes,
                                         uint32_t op);

#endif
