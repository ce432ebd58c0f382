/* One atomic operation and its effect on memory. atomic.c fills it from the instruction;
 * atomic_lanes.c executes all lanes with as few of these operations as possible. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ATOMIC_OPERATION_H
#define GEO_COMPILER_LOWER_MEMORY_ATOMIC_OPERATION_H

#include "compiler/lower/memory/address.h"

/* An atomic instruction. */
struct geo_atomic {
    const struct geo_ir_inst *inst;
    SpvOp op;
    const struct geo_ir_type *type; /* type of the memory */
    struct geo_address address;
    LLVMValueRef value;      /* scalar or vector; NULL: the operation has none */
    LLVMValueRef comparator; /* scalar or vector; NULL except for compare-exchange */
    LLVMAtomicOrdering order, failure_order;
    unsigned scope; /* LLVM's synchronisation scope */
    bool plain;     /* memory of one thread, which needs no atomic instruction */
    bool used;      /* the result is used */
    bool pends;     /* a pending addition (analysis/pending.h), whose result is unused */
};

/* Emits the operation with these scalars. Returns the old content, or NULL for stores. */
LLVMValueRef geo_atomic_operation_emit(struct geo_lower_function *f, const struct geo_atomic *a,
                                       LLVMValueRef pointer, LLVMValueRef value,
                                       LLVMValueRef comparator);
/* Computes the new content *next from the old one. The meaning of the returned value is up to the
 * caller. */
typedef LLVMValueRef geo_atomic_step(struct geo_lower_function *f, const struct geo_atomic *a,
                                     LLVMValueRef old, LLVMValueRef *next);
/* Emits old = memory; memory = next, in a compare-exchange loop if other threads may change the
 * memory. Returns the result of `step`. */
LLVMValueRef geo_atomic_operation_update(struct geo_lower_function *f, const struct geo_atomic *a,
                                         LLVMValueRef pointer, geo_atomic_step *step);

/* Returns whether the operation may leave memory unchanged, and a load then has the same effect.
 * That needs a relaxed order: under a stronger one other threads may synchronise with the store,
 * and a fence would cost as much as the operation. Only machines of vectors gain by it. */
bool geo_atomic_operation_may_spare(struct geo_lower_function *f, const struct geo_atomic *a);
/* Returns where the operation changes the old content: i1, or a mask for vectors. */
LLVMValueRef geo_atomic_operation_changes(struct geo_lower_function *f, const struct geo_atomic *a,
                                          LLVMValueRef old, LLVMValueRef value);
/* Emits the operation as geo_atomic_operation_emit does, or lets it pend. If it may leave memory
 * unchanged, a load decides whether it is executed: a load does not take the cache line from other
 * cores. */
LLVMValueRef geo_atomic_operation_spare(struct geo_lower_function *f, const struct geo_atomic *a,
                                        LLVMValueRef pointer, LLVMValueRef value,
                                        LLVMValueRef comparator);

/* Emits a pending addition of these scalars. */
void geo_atomic_operation_pend(struct geo_lower_function *f, const struct geo_atomic *a,
                               LLVMValueRef pointer, LLVMValueRef value);
/* Emits all additions of a pending addition, in one of two ways. */
typedef void geo_atomic_way(struct geo_lower_function *f, const struct geo_atomic *a);
/* Emits `count` (i64) pending additions in both ways, and the choice between them. Returns a value
 * for the unused result. */
LLVMValueRef geo_atomic_operation_choose(struct geo_lower_function *f, const struct geo_atomic *a,
                                         LLVMValueRef count, geo_atomic_way *pend,
                                         geo_atomic_way *execute);

/* Returns the new content of memory for the old content, for scalars or vectors. */
LLVMValueRef geo_atomic_operation_combine(struct geo_lower_function *f, const struct geo_atomic *a,
                                          LLVMValueRef old, LLVMValueRef value,
                                          LLVMValueRef comparator);
/* Returns LLVM's LLVMAtomicRMWBinOp for an operation that is one instruction, or -1 if it needs a
 * compare-exchange loop. */
int geo_atomic_operation_rmw(SpvOp op);
/* Returns the part of a memory order that a load or a failed compare-exchange may have. */
LLVMAtomicOrdering geo_atomic_operation_load_order(LLVMAtomicOrdering order);

#endif
