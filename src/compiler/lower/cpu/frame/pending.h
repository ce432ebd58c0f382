/* Emits pending additions (analysis/pending.h): a table collects them by address while a call of
 * the kernel runs its groups. It is the worker's table, which keeps them from call to call, or one
 * on the stack (struct geo_pending_table, native/abi.h). */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_PENDING_H
#define GEO_COMPILER_LOWER_CPU_FRAME_PENDING_H

#include "compiler/lower/state/function.h"

/* The table of the function that is being emitted. */
struct geo_lower_pending {
    LLVMValueRef own;   /* alloca of the call's own table; NULL: no additions pend */
    LLVMValueRef table; /* address of the table that this call uses */
    LLVMValueRef addresses, sums, start; /* addresses of the table's parts */
    LLVMValueRef ends;                   /* i1: the call executes its additions at its end */
    LLVMValueRef mask;                   /* i64: number of entries that this call uses, minus 1 */
};

/* Chooses the table, and empties that of the stack, before the first of `groups` (i64) groups runs.
 * Does nothing in functions without pending additions. */
void geo_frame_pending_begin(struct geo_lower_function *f, LLVMValueRef groups);
/* Executes the additions that still pend, behind the last of `groups` (i64) groups, unless the
 * worker keeps them. */
void geo_frame_pending_end(struct geo_lower_function *f, LLVMValueRef groups);

/* ---- rows of the CPU's table (machine.h) ---- */

/* Returns whether an atomic instruction is a pending addition of this function. */
bool geo_frame_pending_is(const struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Returns an i1: `count` (i64) additions that follow are to pend. Otherwise they are executed at
 * once. */
LLVMValueRef geo_frame_pending_pays(struct geo_lower_function *f, LLVMValueRef count);
/* Adds a scalar to memory some time before the table is flushed. */
void geo_frame_pending_add(struct geo_lower_function *f, LLVMValueRef pointer, LLVMValueRef value);

#endif
