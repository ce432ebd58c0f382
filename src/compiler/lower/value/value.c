/* Reads operands in the required form and sets results, for every file that lowers instructions.
 *
 * Each read emits its conversions at the builder's position and does not cache them, because the
 * current block may not dominate the next read. LLVM removes the repetitions. */
#include "compiler/lower/value/value.h"

#include "base/assert.h"
#include "compiler/lower/emit/dense.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/global/constant.h"
#include "compiler/lower/global/variable.h"
#include "compiler/lower/state/parts.h"

struct geo_shape geo_value_shape(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    return geo_shape_of(f->body.shapes, value);
}

/* ---- operands ---- */

/* Returns the value of a constant, variable or function in every lane, or NULL for parameters and
 * instructions. */
static LLVMValueRef global_scalar(struct geo_lower_function *f, struct geo_ir_value *value,
                                  uint32_t part)
{
    switch (value->kind) {
    case GEO_VALUE_CONSTANT:
        return geo_global_constant(f, value, part);
    case GEO_VALUE_UNDEF:
        /* any value is allowed; this one is the same at every width */
        return LLVMConstNull(geo_type_of(f, geo_part_type(value->type, part)));
    case GEO_VALUE_VARIABLE:
    case GEO_VALUE_FUNCTION:
        return geo_global_variable_address(f, value);
    default:
        return NULL;
    }
}

static struct geo_lower_part *value_part(struct geo_lower_function *f,
                                         const struct geo_ir_value *value, uint32_t part)
{
    struct geo_lower_value *lowered = geo_value_held(f, value);
    return part < lowered->count ? &lowered->parts[part] : NULL;
}

/* Reports that a value was not lowered and returns poison, so that the caller can continue. */
static LLVMValueRef missing(struct geo_lower_function *f, const struct geo_ir_value *value,
                            uint32_t part, bool vector)
{
    if (!f->failed) {
        geo_state_error(f, value->kind == GEO_VALUE_INST ? (const struct geo_ir_inst *)value : NULL,
                        "value %%%u was not lowered before its use", value->id);
    }
    LLVMTypeRef type = geo_type_of(f, geo_part_type(value->type, part));
    return LLVMGetPoison(vector ? geo_type_vector(f, type) : type);
}

LLVMValueRef geo_value_scalar(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part)
{
    LLVMValueRef scalar = global_scalar(f, value, part);
    if (scalar) {
        return scalar;
    }
    struct geo_lower_part *found = value_part(f, value, part);
    return found && found->scalar ? found->scalar : missing(f, value, part, false);
}

LLVMValueRef geo_value_vector(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part)
{
    LLVMValueRef scalar = global_scalar(f, value, part);
    if (!scalar) {
        struct geo_lower_part *found = value_part(f, value, part);
        LLVMValueRef dense = found ? geo_value_held(f, value)->dense : NULL;
        if (dense) {
            return geo_emit_dense_part(f, dense, geo_value_held(f, value)->count, part);
        }
        if (!found || (!found->scalar && !found->vector)) {
            return missing(f, value, part, true);
        }
        if (found->vector) {
            return found->vector;
        }
        scalar = found->scalar;
    }
    struct geo_shape shape = geo_value_shape(f, value);
    GEO_ASSERT(shape.kind != GEO_SHAPE_VARYING);
    return shape.kind == GEO_SHAPE_STRIDED ? geo_lanes_ramp(f, scalar, shape.stride)
                                           : geo_lanes_splat(f, scalar);
}

LLVMValueRef geo_value_operand(struct geo_lower_function *f, struct geo_ir_value *value,
                               uint32_t part, bool as_scalar)
{
    return as_scalar ? geo_value_scalar(f, value, part) : geo_value_vector(f, value, part);
}

/* ---- dense values ---- */

bool geo_value_is_dense(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    if (!f->dense || value->kind != GEO_VALUE_INST || !f->dense[value->index] ||
        geo_value_shape(f, value).kind != GEO_SHAPE_VARYING) {
        return false;
    }
    bool half = value->type->element->kind == GEO_TYPE_FLOAT;
    return f->lanes * value->type->count <= GEO_EMIT_DENSE_LIMIT &&
           (!half || f->options->target.has_half);
}

LLVMValueRef geo_value_dense(struct geo_lower_function *f, struct geo_ir_value *value)
{
    LLVMValueRef parts[GEO_EMIT_DENSE_COMPONENTS];
    uint32_t count = geo_part_count(value->type);
    bool scalar = geo_value_shape(f, value).kind == GEO_SHAPE_UNIFORM;
    GEO_ASSERT(value->type->kind == GEO_TYPE_VECTOR && count <= GEO_EMIT_DENSE_COMPONENTS);
    if (!scalar && geo_value_held(f, value)->dense) {
        return geo_value_held(f, value)->dense;
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = geo_value_operand(f, value, i, scalar);
    }
    return scalar ? geo_emit_dense_repeat(f, parts, count) : geo_emit_dense_join(f, parts, count);
}

void geo_value_set_dense(struct geo_lower_function *f, const struct geo_ir_value *value,
                         LLVMValueRef result)
{
    GEO_ASSERT(geo_value_is_dense(f, value));
    if (!geo_value_reserve(f, value)) {
        return;
    }
    GEO_ASSERT(LLVMTypeOf(result) == geo_emit_dense_type(f, geo_type_of(f, value->type->element),
                                                         geo_value_held(f, value)->count));
    geo_value_held(f, value)->dense = result;
}

/* ---- operands in an active lane ---- */

LLVMValueRef geo_value_anchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                              struct geo_ir_value *value, LLVMValueRef *lane)
{
    LLVMValueRef scalar = geo_value_scalar(f, value, 0);
    struct geo_shape shape = geo_value_shape(f, value);
    *lane = NULL;
    if (!f->body.mask || f->body.lane0_on || shape.kind != GEO_SHAPE_STRIDED ||
        !geo_value_shape(f, &inst->value).anchored) {
        return scalar;
    }
    LLVMTypeRef type = LLVMTypeOf(scalar);
    GEO_ASSERT(geo_type_is_integer(scalar)); /* extensions and shifts have anchored results */
    LLVMValueRef first = geo_emit_mask_lowest_bit(f, geo_emit_mask_bits(f, f->body.mask));
    *lane = LLVMBuildZExtOrBitCast(f->llvm.builder, first, geo_type_i64(f), "anchor");
    LLVMValueRef offset =
        LLVMBuildMul(f->llvm.builder, LLVMBuildIntCast2(f->llvm.builder, *lane, type, 0, ""),
                     LLVMConstInt(type, (uint64_t)shape.stride, 1), "");
    return LLVMBuildAdd(f->llvm.builder, scalar, offset, "");
}

LLVMValueRef geo_value_unanchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                LLVMValueRef result, LLVMValueRef lane)
{
    struct geo_shape shape = geo_value_shape(f, &inst->value);
    if (!lane || shape.kind != GEO_SHAPE_STRIDED) {
        return result;
    }
    LLVMTypeRef type = LLVMTypeOf(result);
    LLVMValueRef offset =
        LLVMBuildMul(f->llvm.builder, LLVMBuildIntCast2(f->llvm.builder, lane, type, 0, ""),
                     LLVMConstInt(type, (uint64_t)shape.stride, 1), "");
    return LLVMBuildSub(f->llvm.builder, result, offset, "");
}

/* ---- results ---- */

bool geo_value_reserve(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    struct geo_lower_value *lowered = geo_value_held(f, value);
    uint32_t count = geo_part_count(value->type);
    if (lowered->count == count) {
        return true;
    }
    if (count > GEO_PARTS_LIMIT) {
        geo_state_error(f, value->kind == GEO_VALUE_INST ? (const struct geo_ir_inst *)value : NULL,
                        "a value of more than %u scalars is not supported", GEO_PARTS_LIMIT);
        return false;
    }
    lowered->parts = geo_arena_new_array(f->arena, struct geo_lower_part, count);
    if (!lowered->parts) {
        geo_state_no_memory(f);
        return false;
    }
    lowered->count = count;
    return true;
}

/* Returns whether an LLVM value has the type in which a part of a value is held. */
static bool part_fits(struct geo_lower_function *f, const struct geo_ir_value *value, uint32_t part,
                      LLVMValueRef result)
{
    LLVMTypeRef type = geo_type_of(f, geo_part_type(value->type, part));
    bool varying = geo_value_shape(f, value).kind == GEO_SHAPE_VARYING;
    return LLVMTypeOf(result) == (varying ? geo_type_vector(f, type) : type);
}

void geo_value_set_value(struct geo_lower_function *f, const struct geo_ir_value *value,
                         uint32_t part, LLVMValueRef result)
{
    if (!geo_value_reserve(f, value)) {
        return;
    }
    bool varying = geo_value_shape(f, value).kind == GEO_SHAPE_VARYING;
    GEO_ASSERT(part < geo_value_held(f, value)->count && part_fits(f, value, part, result));
    geo_value_held(f, value)->parts[part] = (struct geo_lower_part){
        .scalar = varying ? NULL : result,
        .vector = varying ? result : NULL,
    };
    geo_value_held(f, value)->dense = NULL;
}

void geo_value_set(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                   LLVMValueRef value)
{
    geo_value_set_value(f, &inst->value, part, value);
}

bool geo_value_as_scalar(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    return geo_value_shape(f, value).kind != GEO_SHAPE_VARYING;
}

bool geo_value_is_uniform(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    return geo_value_shape(f, value).kind == GEO_SHAPE_UNIFORM;
}

void geo_value_set_wide(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                        LLVMValueRef value)
{
    bool scalar = geo_type_lanes(value) == 1;
    GEO_ASSERT(scalar || geo_type_lanes(value) == f->lanes);
    bool wants_scalar = geo_value_as_scalar(f, &inst->value);
    if (scalar && !wants_scalar) {
        value = geo_lanes_splat(f, value);
    } else if (!scalar && wants_scalar) {
        value = geo_emit_lane(f, value, 0);
    }
    geo_value_set(f, inst, part, value);
}
