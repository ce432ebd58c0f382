/* Barriers, fences and scopes. A barrier of the group orders the group's accesses; for a wider
 * scope, fences stand on both sides of it. */
#include "compiler/analysis/barriers.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/atomic.h"
#include "compiler/lower/simt/simt.h"

#include <string.h>

unsigned geo_simt_order_sync_scope(struct geo_lower_function *f, const struct geo_ir_value *scope)
{
    uint64_t bits;
    const char *name = "";
    if (geo_ir_constant_bits(scope, &bits) && bits != SpvScopeCrossDevice) {
        name = bits == SpvScopeDevice || bits > SpvScopeInvocation ? "device" : "block";
    }
    return LLVMGetSyncScopeID(f->llvm.context, name, strlen(name));
}

void geo_simt_order_fence(struct geo_lower_function *f, LLVMAtomicOrdering order,
                          const struct geo_ir_value *scope)
{
    LLVMBuildFenceSyncScope(f->llvm.builder, order, geo_simt_order_sync_scope(f, scope), "");
}

static bool subgroup_barrier(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (!geo_simt_module_together(f, inst)) {
        return false;
    }
    LLVMValueRef lanes = geo_simt_ids_lanes_mask(f);
    geo_simt_ids_intrinsic(f, "llvm.nvvm.bar.warp.sync", &lanes, 1);
    return true;
}

bool geo_simt_order_barrier(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMAtomicOrdering order = geo_atomic_order(inst->operands[2]);
    bool fences =
        order != LLVMAtomicOrderingMonotonic && !geo_atomic_within_group(inst->operands[1]);
    if (!geo_barrier_is_group_wide(inst)) {
        return subgroup_barrier(f, inst);
    }
    if (geo_barrier_is_device_wide(inst)) {
        geo_state_error(f, inst, "barriers of the whole device are not supported on this machine");
        return false;
    }
    if (fences) {
        geo_simt_order_fence(f, order, inst->operands[1]);
    }
    LLVMValueRef number = geo_emit_const_i32(f, 0);
    geo_simt_ids_intrinsic(f,
                           f->frame->barriers_aligned ? "llvm.nvvm.barrier.cta.sync.aligned.all"
                                                      : "llvm.nvvm.barrier.cta.sync.all",
                           &number, 1);
    if (fences) {
        geo_simt_order_fence(f, order, inst->operands[1]);
    }
    return true;
}
