/* Ids and sizes, from special registers and the parameters of the launch. They are computed in 64
 * bits and truncated to the requested type. */
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/simt/simt.h"
#include "compiler/lower/value/value.h"

#include <stdio.h>

LLVMValueRef geo_simt_ids_intrinsic(struct geo_lower_function *f, const char *name,
                                    LLVMValueRef *args, uint32_t count)
{
    return geo_emit_intrinsic_of(f, name, NULL, 0, args, count);
}

/* Returns a special register as an i64. */
static LLVMValueRef special(struct geo_lower_function *f, const char *name, uint32_t component)
{
    char full[64];
    snprintf(full, sizeof(full), "llvm.nvvm.read.ptx.sreg.%s.%c", name, "xyz"[component]);
    return geo_emit_zext(f, geo_simt_ids_intrinsic(f, full, NULL, 0), 64);
}

static LLVMValueRef local_size(struct geo_lower_function *f, uint32_t component)
{
    const uint32_t *required = f->function->required_size;
    return f->function->is_kernel && required[0] ? geo_emit_const_i64(f, required[component])
                                                 : special(f, "ntid", component);
}

static LLVMValueRef mul(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildMul(f->llvm.builder, a, b, "");
}

static LLVMValueRef add(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAdd(f->llvm.builder, a, b, "");
}

static LLVMValueRef zero_based_id(struct geo_lower_function *f, uint32_t component)
{
    return add(f, mul(f, special(f, "ctaid", component), local_size(f, component)),
               special(f, "tid", component));
}

static LLVMValueRef global_size(struct geo_lower_function *f, uint32_t component)
{
    return mul(f, special(f, "nctaid", component), local_size(f, component));
}

static LLVMValueRef global_linear_id(struct geo_lower_function *f)
{
    LLVMValueRef plane =
        add(f, mul(f, zero_based_id(f, 2), global_size(f, 1)), zero_based_id(f, 1));
    return add(f, mul(f, plane, global_size(f, 0)), zero_based_id(f, 0));
}

LLVMValueRef geo_simt_linear_id(struct geo_lower_function *f)
{
    LLVMValueRef plane =
        add(f, mul(f, special(f, "tid", 2), local_size(f, 1)), special(f, "tid", 1));
    return add(f, mul(f, plane, local_size(f, 0)), special(f, "tid", 0));
}

LLVMValueRef geo_simt_ids_group_items(struct geo_lower_function *f)
{
    return mul(f, mul(f, local_size(f, 0), local_size(f, 1)), local_size(f, 2));
}

/* ---- sub-groups ---- */

uint32_t geo_simt_ids_subgroup_size(const struct geo_lower *lower)
{
    (void)lower;
    return GEO_NVIDIA_LANES;
}

static LLVMValueRef lanes_of(struct geo_lower_function *f)
{
    return geo_emit_const_i64(f, GEO_NVIDIA_LANES);
}

static LLVMValueRef lane_id(struct geo_lower_function *f)
{
    return LLVMBuildAnd(f->llvm.builder, geo_simt_linear_id(f),
                        geo_emit_const_i64(f, GEO_NVIDIA_LANES - 1), "");
}

/* The last sub-group of a group may have fewer items. */
static LLVMValueRef subgroup_size(struct geo_lower_function *f)
{
    LLVMValueRef first = LLVMBuildSub(f->llvm.builder, geo_simt_linear_id(f), lane_id(f), "");
    LLVMValueRef rest = LLVMBuildSub(f->llvm.builder, geo_simt_ids_group_items(f), first, "");
    LLVMValueRef less = LLVMBuildICmp(f->llvm.builder, LLVMIntULT, rest, lanes_of(f), "");
    return LLVMBuildSelect(f->llvm.builder, less, rest, lanes_of(f), "");
}

LLVMValueRef geo_simt_ids_lanes_mask(struct geo_lower_function *f)
{
    LLVMValueRef none = LLVMBuildSub(f->llvm.builder, lanes_of(f), subgroup_size(f), "");
    LLVMValueRef narrow = LLVMBuildTrunc(f->llvm.builder, none, geo_type_i32(f), "");
    return LLVMBuildLShr(f->llvm.builder, geo_emit_const_i32(f, UINT32_MAX), narrow, "lanes");
}

static LLVMValueRef subgroup_count(struct geo_lower_function *f)
{
    LLVMValueRef items =
        add(f, geo_simt_ids_group_items(f), geo_emit_const_i64(f, GEO_NVIDIA_LANES - 1));
    return LLVMBuildUDiv(f->llvm.builder, items, lanes_of(f), "");
}

/* Returns one component of SubgroupEqMask and the like, which have a bit for each of 128 lanes. */
static LLVMValueRef lane_mask(struct geo_lower_function *f, uint32_t builtin, uint32_t component)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef own = LLVMBuildShl(b, geo_emit_const_i64(f, 1), lane_id(f), "");
    LLVMValueRef below = LLVMBuildSub(b, own, geo_emit_const_i64(f, 1), "");
    LLVMValueRef upto = LLVMBuildOr(b, own, below, "");
    LLVMValueRef all = geo_emit_const_i64(f, UINT32_MAX);
    if (component > 0) {
        return geo_emit_const_i64(f, 0);
    }
    switch (builtin) {
    case SpvBuiltInSubgroupEqMask:
        return own;
    case SpvBuiltInSubgroupGeMask:
        return LLVMBuildAnd(b, all, LLVMBuildNot(b, below, ""), "");
    case SpvBuiltInSubgroupGtMask:
        return LLVMBuildAnd(b, all, LLVMBuildNot(b, upto, ""), "");
    case SpvBuiltInSubgroupLeMask:
        return upto;
    default:
        return below;
    }
}

/* ---- the table of built-ins ---- */

/* Returns the value of a built-in in 64 bits, or NULL if it is not supported. */
static LLVMValueRef builtin_value(struct geo_lower_function *f, uint32_t builtin,
                                  uint32_t component)
{
    const LLVMValueRef *launch = f->frame->launch;
    if (component > 2 &&
        (builtin < SpvBuiltInSubgroupEqMask || builtin > SpvBuiltInSubgroupLtMask)) {
        return NULL;
    }
    switch ((SpvBuiltIn)builtin) {
    case SpvBuiltInGlobalInvocationId:
        return add(f, zero_based_id(f, component), launch[GEO_NVIDIA_OFFSET + component]);
    case SpvBuiltInLocalInvocationId:
        return special(f, "tid", component);
    case SpvBuiltInWorkgroupId:
        return special(f, "ctaid", component);
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
        return local_size(f, component);
    case SpvBuiltInGlobalSize:
        return global_size(f, component);
    case SpvBuiltInNumWorkgroups:
        return special(f, "nctaid", component);
    case SpvBuiltInGlobalOffset:
        return launch[GEO_NVIDIA_OFFSET + component];
    case SpvBuiltInWorkDim:
        return geo_emit_zext(f, launch[GEO_NVIDIA_WORK_DIM], 64);
    case SpvBuiltInGlobalLinearId:
        return global_linear_id(f);
    case SpvBuiltInLocalInvocationIndex:
        return geo_simt_linear_id(f);
    case SpvBuiltInSubgroupSize:
        return subgroup_size(f);
    case SpvBuiltInSubgroupMaxSize:
        return lanes_of(f);
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInNumEnqueuedSubgroups:
        return subgroup_count(f);
    case SpvBuiltInSubgroupId:
        return LLVMBuildUDiv(f->llvm.builder, geo_simt_linear_id(f), lanes_of(f), "");
    case SpvBuiltInSubgroupLocalInvocationId:
        return lane_id(f);
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return lane_mask(f, builtin, component);
    default:
        return NULL;
    }
}

bool geo_simt_ids_builtin(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef value = builtin_value(f, inst->literals[0], inst->literals[1]);
    if (!value || inst->value.type->kind != GEO_TYPE_INT) {
        geo_state_error(f, inst, "built-in %u is not supported", inst->literals[0]);
        return false;
    }
    LLVMTypeRef type = geo_type_of(f, inst->value.type);
    geo_value_set(f, inst, 0, LLVMBuildIntCast2(f->llvm.builder, value, type, 0, ""));
    return true;
}
