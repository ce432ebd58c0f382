/* Emits fences on the CPU: rows of its table (machine.h). Items of a group run on one thread in the
 * order of the code, so only scopes beyond the group need an instruction. */
#ifndef GEO_COMPILER_LOWER_CPU_CONTROL_ORDER_H
#define GEO_COMPILER_LOWER_CPU_CONTROL_ORDER_H

#include "compiler/lower/state/function.h"

/* Emits the fence of a control barrier, if its memory scope is larger than the work-group. Barriers
 * of sub-groups need nothing else, because a sub-group is a chunk, whose lanes run in lockstep.
 * control/body.c turns barriers of the group into control flow. */
bool geo_control_order_barrier(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Emits a fence. Within the group it only keeps LLVM from moving accesses. */
void geo_control_order_fence(struct geo_lower_function *f, LLVMAtomicOrdering order,
                             const struct geo_ir_value *scope);
/* Returns LLVM's scope of the whole system: memory is shared by all threads, and x86 and Arm have
 * no cheaper scopes. */
unsigned geo_control_order_sync_scope(struct geo_lower_function *f,
                                      const struct geo_ir_value *scope);

#endif
