/* Emits built-in ids: the values of GEO_OP_BUILTIN, from the launch and the chunk's position.
 *
 * The properties of the launch are loaded once, at the entry. The position of the chunk (group,
 * local id of lane 0) is set by kernel.c before a body, or loaded from the context of a call. Ids
 * are computed in 64 bits and truncated to the requested type. */
#include "compiler/lower/cpu/frame/ids.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

static LLVMValueRef field_32(struct geo_lower_function *f, uint64_t offset, const char *name)
{
    LLVMValueRef value = geo_frame_launch_field(f, geo_type_i32(f), offset, name);
    return LLVMBuildZExt(f->llvm.builder, value, geo_type_i64(f), name);
}

void geo_frame_ids_launch(struct geo_lower_function *f, const struct geo_ir_function *kernel)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    ids->work_dim = field_32(f, offsetof(struct geo_launch, work_dim), "work_dim");
    for (uint64_t i = 0; i < 3; i++) {
        bool required = kernel && kernel->required_size[0];
        ids->local_size[i] =
            required ? geo_emit_const_i64(f, kernel->required_size[i])
                     : field_32(f, offsetof(struct geo_launch, local_size) + 4 * i, "local_size");
        ids->group_count[i] =
            field_32(f, offsetof(struct geo_launch, group_count) + 4 * i, "group_count");
        ids->global_offset[i] = geo_frame_launch_field(
            f, geo_type_i64(f), offsetof(struct geo_launch, global_offset) + 8 * i, "offset");
        ids->global_size[i] = geo_frame_launch_field(
            f, geo_type_i64(f), offsetof(struct geo_launch, global_size) + 8 * i, "global_size");
    }
}

/* ---- arithmetic on scalars, and on vectors where lanes differ ---- */

static bool is_vector(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

static LLVMValueRef binary(struct geo_lower_function *f, LLVMOpcode op, LLVMValueRef a,
                           LLVMValueRef b)
{
    if (is_vector(a) && !is_vector(b)) {
        b = geo_lanes_splat(f, b);
    } else if (!is_vector(a) && is_vector(b)) {
        a = geo_lanes_splat(f, a);
    }
    return LLVMBuildBinOp(f->llvm.builder, op, a, b, "");
}

static LLVMValueRef add(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return binary(f, LLVMAdd, a, b);
}

static LLVMValueRef mul(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return binary(f, LLVMMul, a, b);
}

/* ---- ids of items ---- */

/* Returns whether all lanes of a chunk are in one row. */
static bool rows(const struct geo_lower_function *f)
{
    uint32_t required = f->function->required_size[0];
    return !f->body.shapes->linear || (required && required % f->lanes == 0);
}

/* Returns the local id; if it is strided, that of lane 0. Linear chunks compute it from the linear
 * id in 32 bits, because work-groups are small. */
static LLVMValueRef local_id(struct geo_lower_function *f, uint32_t component)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    GEO_ASSERT(component < 3);
    if (!f->body.shapes->linear) {
        return ids->local[component];
    }
    LLVMTypeRef narrow = geo_type_i32(f);
    LLVMValueRef linear = LLVMBuildTrunc(f->llvm.builder, ids->linear, narrow, "");
    LLVMTypeRef wide = geo_type_i64(f);
    if (!rows(f)) {
        linear = geo_lanes_ramp(f, linear, 1);
        wide = geo_type_vector(f, wide);
    }
    LLVMValueRef x = LLVMBuildTrunc(f->llvm.builder, ids->local_size[0], narrow, "");
    LLVMValueRef y = LLVMBuildTrunc(f->llvm.builder, ids->local_size[1], narrow, "");
    LLVMValueRef row = binary(f, LLVMUDiv, linear, x);
    LLVMValueRef id = component == 0   ? binary(f, LLVMURem, linear, x)
                      : component == 1 ? binary(f, LLVMURem, row, y)
                                       : binary(f, LLVMUDiv, row, y);
    return LLVMBuildZExt(f->llvm.builder, id, wide, "");
}

static LLVMValueRef zero_based_id(struct geo_lower_function *f, uint32_t component)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    LLVMValueRef first = mul(f, ids->group[component], ids->local_size[component]);
    return add(f, first, local_id(f, component));
}

static LLVMValueRef global_linear_id(struct geo_lower_function *f)
{
    const LLVMValueRef *size = f->frame->ids.global_size;
    LLVMValueRef plane = add(f, mul(f, zero_based_id(f, 2), size[1]), zero_based_id(f, 1));
    return add(f, mul(f, plane, size[0]), zero_based_id(f, 0));
}

static LLVMValueRef local_linear_id(struct geo_lower_function *f)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    if (f->body.shapes->linear) {
        return ids->linear;
    }
    LLVMValueRef plane = add(f, mul(f, ids->local[2], ids->local_size[1]), ids->local[1]);
    return add(f, mul(f, plane, ids->local_size[0]), ids->local[0]);
}

static LLVMValueRef group_items(struct geo_lower_function *f)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    return mul(f, mul(f, ids->local_size[0], ids->local_size[1]), ids->local_size[2]);
}

/* ---- sub-groups, which are the chunks of a linear kernel ---- */

LLVMValueRef geo_frame_ids_subgroup_size(struct geo_lower_function *f)
{
    LLVMValueRef lanes = geo_emit_const_i64(f, f->lanes);
    LLVMValueRef rest = LLVMBuildSub(f->llvm.builder, group_items(f), local_linear_id(f), "");
    LLVMValueRef less = LLVMBuildICmp(f->llvm.builder, LLVMIntULT, rest, lanes, "");
    return LLVMBuildSelect(f->llvm.builder, less, rest, lanes, "");
}

static LLVMValueRef subgroup_count(struct geo_lower_function *f)
{
    LLVMValueRef items = add(f, group_items(f), geo_emit_const_i64(f, f->lanes - 1));
    return LLVMBuildUDiv(f->llvm.builder, items, geo_emit_const_i64(f, f->lanes), "");
}

/* Returns one component of SubgroupEqMask, GeMask, GtMask, LeMask or LtMask: a word with the bits
 * of 32 lanes. */
static LLVMValueRef subgroup_mask(struct geo_lower_function *f, uint32_t builtin,
                                  uint32_t component)
{
    LLVMValueRef words[GEO_LOWER_LANES_LIMIT];
    uint64_t all = f->lanes < 64 ? (UINT64_C(1) << f->lanes) - 1 : UINT64_MAX;
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        uint64_t own = UINT64_C(1) << lane;
        uint64_t below = own - 1;
        uint64_t bits = builtin == SpvBuiltInSubgroupEqMask   ? own
                        : builtin == SpvBuiltInSubgroupGeMask ? all & ~below
                        : builtin == SpvBuiltInSubgroupGtMask ? all & ~below & ~own
                        : builtin == SpvBuiltInSubgroupLeMask ? below | own
                                                              : below;
        words[lane] =
            geo_emit_const_i64(f, component < 2 ? bits >> (32 * component) & UINT32_MAX : 0);
    }
    return f->lanes == 1 ? words[0] : LLVMConstVector(words, f->lanes);
}

/* ---- the table of built-ins ---- */

/* Returns the value of a built-in in 64 bits, or NULL if it is not supported. */
static LLVMValueRef builtin_value(struct geo_lower_function *f, uint32_t builtin,
                                  uint32_t component)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    if (component > 2 &&
        (builtin < SpvBuiltInSubgroupEqMask || builtin > SpvBuiltInSubgroupLtMask)) {
        return NULL;
    }
    if (builtin == GEO_BUILTIN_ZEROS) {
        return geo_frame_launch_field(f, geo_type_i64(f), offsetof(struct geo_launch, zeros),
                                      "zeros");
    }
    if (builtin == GEO_BUILTIN_SINK) {
        return geo_frame_launch_field(f, geo_type_i64(f), offsetof(struct geo_launch, sink),
                                      "sink");
    }
    switch ((SpvBuiltIn)builtin) {
    case SpvBuiltInGlobalInvocationId:
        return add(f, zero_based_id(f, component), ids->global_offset[component]);
    case SpvBuiltInLocalInvocationId:
        return local_id(f, component);
    case SpvBuiltInWorkgroupId:
        return ids->group[component];
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
        return ids->local_size[component];
    case SpvBuiltInGlobalSize:
        return ids->global_size[component];
    case SpvBuiltInNumWorkgroups:
        return ids->group_count[component];
    case SpvBuiltInGlobalOffset:
        return ids->global_offset[component];
    case SpvBuiltInWorkDim:
        return ids->work_dim;
    case SpvBuiltInGlobalLinearId:
        return global_linear_id(f);
    case SpvBuiltInLocalInvocationIndex:
        return local_linear_id(f);
    case SpvBuiltInSubgroupSize:
        return geo_frame_ids_subgroup_size(f);
    case SpvBuiltInSubgroupMaxSize:
        return geo_emit_const_i64(f, f->lanes);
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInNumEnqueuedSubgroups:
        return subgroup_count(f);
    case SpvBuiltInSubgroupId:
        return LLVMBuildUDiv(f->llvm.builder, local_linear_id(f), geo_emit_const_i64(f, f->lanes),
                             "");
    case SpvBuiltInSubgroupLocalInvocationId:
        return geo_emit_const_i64(f, 0);
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return subgroup_mask(f, builtin, component);
    default:
        return NULL;
    }
}

bool geo_frame_ids_builtin(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    GEO_ASSERT(inst->literal_count == 2 && f->body.shapes->lanes == f->lanes);
    LLVMValueRef value = builtin_value(f, inst->literals[0], inst->literals[1]);
    if (!value || inst->value.type->kind != GEO_TYPE_INT) {
        geo_state_error(f, inst, "built-in %u is not supported", inst->literals[0]);
        return false;
    }
    LLVMTypeRef type = geo_type_of(f, inst->value.type);
    if (is_vector(value)) {
        type = geo_type_vector(f, type);
    }
    geo_value_set(f, inst, 0, LLVMBuildIntCast2(f->llvm.builder, value, type, 0, ""));
    return true;
}

/* ---- contexts of calls ---- */

#define CONTEXT_FIELDS 7u

static LLVMValueRef *context_field(struct geo_lower_ids *ids, uint32_t field)
{
    GEO_ASSERT(field < CONTEXT_FIELDS);
    return field < 3 ? &ids->group[field] : field < 6 ? &ids->local[field - 3] : &ids->linear;
}

LLVMValueRef geo_frame_ids_context_alloca(struct geo_lower_function *f, const char *name)
{
    return geo_emit_alloca(f, LLVMArrayType2(geo_type_i64(f), CONTEXT_FIELDS), name);
}

void geo_frame_ids_context_store(struct geo_lower_function *f, LLVMValueRef context,
                                 const struct geo_lower_ids *ids)
{
    struct geo_lower_ids place = *ids;
    for (uint32_t i = 0; i < CONTEXT_FIELDS; i++) {
        LLVMBuildStore(f->llvm.builder, *context_field(&place, i),
                       geo_emit_offset_const(f, context, 8 * (uint64_t)i));
    }
}

void geo_frame_ids_context_load(struct geo_lower_function *f, LLVMValueRef context,
                                struct geo_lower_ids *ids)
{
    for (uint32_t i = 0; i < CONTEXT_FIELDS; i++) {
        LLVMValueRef address = geo_emit_offset_const(f, context, 8 * (uint64_t)i);
        *context_field(ids, i) = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), address, "");
    }
}
