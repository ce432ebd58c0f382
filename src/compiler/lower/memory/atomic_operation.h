/* One atomic operation while it is lowered: what it is, and what it does to memory by one thread of
 * control. atomic.c reads the instruction, atomic_lanes.c serves all lanes with as few of these as
 * it can. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_OPERATION_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_OPERATION_H

#include "compiler/lower/memory/address.h"

struct geo_atomic {
    const struct geo_ir_inst *inst;
    SpvOp op;
    const struct geo_ir_type *type; /* of the memory */
    struct geo_address address;
    LLVMValueRef value;      /* scalar or vector; NULL: none */
    LLVMValueRef comparator; /* likewise */
    LLVMAtomicOrdering order, failure_order;
    bool plain; /* memory of one thread: no atomic instruction is needed */
    bool used;  /* its result */
};

/* The operation with these scalars; gives the old content, NULL for stores. */
LLVMValueRef geo_atomic_operate(struct geo_lower_function *f, const struct geo_atomic *a,
                                LLVMValueRef pointer, LLVMValueRef value, LLVMValueRef comparator);
/* Old content to new content, and what of the way there is wanted, by the caller's rule; gives the
 * latter. */
typedef LLVMValueRef geo_atomic_step(struct geo_lower_function *f, const struct geo_atomic *a,
                                     LLVMValueRef old, LLVMValueRef *next);
/* old = memory; memory = next. Where others may change it meanwhile, until they did not. */
LLVMValueRef geo_atomic_update(struct geo_lower_function *f, const struct geo_atomic *a,
                               LLVMValueRef pointer, geo_atomic_step *step);

/* The new content of memory for the old one: scalars or vectors. */
LLVMValueRef geo_atomic_combine(struct geo_lower_function *f, const struct geo_atomic *a,
                                LLVMValueRef old, LLVMValueRef value, LLVMValueRef comparator);
/* LLVM's name of an operation that is one instruction; -1: it is a loop of compare-exchange. */
int geo_atomic_rmw_of(SpvOp op);
/* What a failed compare-exchange, or a load, may have of an order. */
LLVMAtomicOrdering geo_atomic_load_order(LLVMAtomicOrdering order);

#endif
