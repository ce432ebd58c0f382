/* Finds elements of arrays in local memory that items access at their id. See local_element.h. */
#include "compiler/transform/memory/local_element.h"

#include "compiler/analysis/address.h"
#include "compiler/ir/grammar.h"
#include "compiler/transform/pass/offset.h"

#define INDEX_STEPS 8u /* instructions between an index and the local id */

static bool constant_of(const struct geo_ir_inst *inst, SpvOp op, uint64_t *bits)
{
    return inst && inst->op == op && inst->operand_count == 2 &&
           geo_ir_constant_bits(inst->operands[1], bits);
}

/* Returns the local id if a value is (id + *distance) * size: a shift to the left, or one by 32 and
 * another one back, which extends the sign. */
static struct geo_ir_inst *id_scaled(struct geo_ir_value *value, uint64_t size, int64_t *distance)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    uint64_t left, right = 0, bits = 0;
    if (value->type->kind != GEO_TYPE_INT || value->type->width != 64) {
        return NULL;
    }
    if (constant_of(inst, SpvOpShiftRightArithmetic, &right)) {
        inst = geo_ir_as_inst(inst->operands[0]);
    }
    if (constant_of(inst, SpvOpIAdd, &bits)) {
        inst = geo_ir_as_inst(inst->operands[0]);
    }
    if (!constant_of(inst, SpvOpShiftLeftLogical, &left) || left > 32 || left < right ||
        UINT64_C(1) << (left - right) != size || bits & ((UINT64_C(1) << left) - 1)) {
        return NULL;
    }
    *distance = (int64_t)bits >> left;
    return geo_local_element_id(inst->operands[0]);
}

struct geo_ir_inst *geo_local_element_id(struct geo_ir_value *value)
{
    for (uint32_t i = 0; i < INDEX_STEPS; i++) {
        struct geo_ir_inst *inst = geo_ir_as_inst(value);
        uint64_t bits;
        if (!inst || value->type->kind != GEO_TYPE_INT || value->type->width < 32) {
            return NULL;
        }
        if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
            bool is_id = inst->literals[0] == SpvBuiltInLocalInvocationId && inst->literals[1] == 0;
            return is_id ? inst : NULL;
        }
        bool masks = constant_of(inst, SpvOpBitwiseAnd, &bits) && bits == UINT32_MAX;
        if (!masks && inst->op != SpvOpUConvert && inst->op != SpvOpSConvert) {
            return NULL;
        }
        value = inst->operands[0];
    }
    return NULL;
}

/* Returns the local id if a value is the id plus a distance, unless that is negative. There is one
 * addition at most, of 64 bits or of 32 bits that are extended. */
static struct geo_ir_inst *id_plus(struct geo_ir_value *value, struct geo_local_element *out)
{
    uint32_t width = 64;
    for (uint32_t i = 0; i < INDEX_STEPS; i++) {
        struct geo_ir_inst *inst = geo_ir_as_inst(value), *id = geo_local_element_id(value);
        uint64_t bits;
        if (id || !inst || value->type->kind != GEO_TYPE_INT || value->type->width < 32) {
            return id;
        }
        width = value->type->width < width ? value->type->width : width;
        if (constant_of(inst, SpvOpIAdd, &bits) || constant_of(inst, SpvOpISub, &bits)) {
            bits = inst->op == SpvOpIAdd ? bits : -bits;
            out->distance = width == 32 ? (int32_t)bits : (int64_t)bits;
            return geo_local_element_id(inst->operands[0]);
        }
        if (inst->op == SpvOpISub) {
            out->less = inst->operands[1];
            return geo_local_element_id(inst->operands[0]);
        }
        id = width == 64 ? id_scaled(value, 1, &out->distance) : NULL;
        if (id) {
            return id;
        }
        if (constant_of(inst, SpvOpBitwiseAnd, &bits) && bits == UINT32_MAX) {
            width = 32;
        } else if (inst->op != SpvOpUConvert && inst->op != SpvOpSConvert) {
            return NULL;
        }
        value = inst->operands[0];
    }
    return NULL;
}

/* Returns the size in bytes of what the last index of an access chain counts, if it is the only one
 * that is not 0; else 0. */
static uint64_t chain_step(const struct geo_ir_inst *chain)
{
    uint64_t zero;
    for (uint32_t i = 1; i + 1 < chain->operand_count; i++) {
        if (!geo_ir_constant_bits(chain->operands[i], &zero) || zero != 0) {
            return 0;
        }
    }
    return geo_address_scale(chain, chain->operand_count - 1);
}

/* Reads the index of a chain in elements of `size` bytes. Returns whether it counts local ids. */
static bool chain_read(const struct geo_ir_inst *chain, uint64_t size,
                       struct geo_local_element *out)
{
    if (!geo_op_is(chain->op, GEO_IS_ACCESS_CHAIN)) {
        return false;
    }
    struct geo_ir_value *index = chain->operands[chain->operand_count - 1];
    uint64_t step = chain_step(chain);
    out->id = step == size ? id_plus(index, out)
              : step == 1  ? id_scaled(index, size, &out->distance)
                           : NULL;
    return out->id != NULL;
}

bool geo_local_element(struct geo_ir_value *pointer, uint64_t size, struct geo_local_element *out)
{
    int64_t bytes = 0, step;
    *out = (struct geo_local_element){.array = NULL};
    if (pointer->type->storage != SpvStorageClassWorkgroup) {
        return false;
    }
    for (uint32_t i = 0; i < INDEX_STEPS; i++) {
        struct geo_ir_inst *inst = geo_ir_as_inst(pointer);
        if (!inst) {
            break;
        }
        if (geo_make_pointer_step(inst->op, inst->value.type, inst->operands, inst->operand_count,
                                  &step)) {
            bytes += step;
        } else if (out->id || !chain_read(inst, size, out)) {
            return false;
        }
        pointer = inst->operands[0];
    }
    out->array = pointer;
    out->distance += bytes / (int64_t)size;
    return out->id && bytes % (int64_t)size == 0 &&
           (pointer->kind == GEO_VALUE_VARIABLE || pointer->kind == GEO_VALUE_PARAMETER);
}
