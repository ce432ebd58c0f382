/* Implements fences and synchronisation scopes on the CPU; see order.h. */
#include "compiler/lower/cpu/control/order.h"

#include "compiler/lower/memory/atomic.h"

bool geo_control_order_barrier(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMAtomicOrdering order = geo_atomic_order(inst->operands[2]);
    if (order != LLVMAtomicOrderingMonotonic && !geo_atomic_within_group(inst->operands[1])) {
        LLVMBuildFence(f->llvm.builder, order, false, "");
    }
    return true;
}

void geo_control_order_fence(struct geo_lower_function *f, LLVMAtomicOrdering order,
                             const struct geo_ir_value *scope)
{
    LLVMBuildFence(f->llvm.builder, order, geo_atomic_within_group(scope), "");
}

unsigned geo_control_order_sync_scope(struct geo_lower_function *f,
                                      const struct geo_ir_value *scope)
{
    (void)scope;
    return LLVMGetSyncScopeID(f->llvm.context, "", 0);
}
