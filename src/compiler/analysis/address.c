/* Finds values that are part of addresses, by walking each block backwards. See address.h. */
#include "compiler/analysis/address.h"

#include "base/assert.h"
#include "compiler/analysis/ranges.h"
#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>

/* Factors in an address stay below 2^20, so that an index that wraps at 2^32 cannot move the
 * address by a multiple of 2^64. */
#define FACTOR_LOG 20
#define HALF_BYTES 2u

bool geo_address_is_access(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpLoad || inst->op == SpvOpStore;
}

/* Sets `out` to the address of a vector load or store of OpenCL. `offset`: index of the operand
 * that counts vectors; the pointer follows it. `element`: bytes of a component, 0: as in
 * registers. */
static bool vector_access(const struct geo_ir_inst *inst, uint32_t offset, uint64_t element,
                          bool aligned, struct geo_address_access *out)
{
    if (inst->operand_count < offset + 2) {
        return false;
    }
    const struct geo_ir_type *data = offset ? inst->operands[0]->type : inst->value.type;
    uint64_t count = geo_ir_components(data);
    *out = (struct geo_address_access){
        .pointer = inst->operands[offset + 1],
        .offset = inst->operands[offset],
        .scale = (aligned && count == 3 ? 4 : count) *
                 (element ? element : geo_ir_scalar_of(data)->size),
    };
    return true;
}

bool geo_address_access_of(const struct geo_ir_inst *inst, struct geo_address_access *out)
{
    if (geo_address_is_access(inst)) {
        *out = (struct geo_address_access){.pointer = inst->operands[0]};
        return true;
    }
    if (inst->op != SpvOpExtInst || inst->literals[0] != GEO_EXT_OPENCL_STD) {
        return false;
    }
    switch (inst->literals[1]) {
    case OpenCLstd_Vloadn:
        return vector_access(inst, 0, 0, false, out);
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
        return vector_access(inst, 0, HALF_BYTES, false, out);
    case OpenCLstd_Vloada_halfn:
        return vector_access(inst, 0, HALF_BYTES, true, out);
    case OpenCLstd_Vstoren:
        return vector_access(inst, 1, 0, false, out);
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
        return vector_access(inst, 1, HALF_BYTES, false, out);
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
        return vector_access(inst, 1, HALF_BYTES, true, out);
    default:
        return false;
    }
}

uint32_t geo_address_operands(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpShiftLeftLogical:
    case SpvOpIMul:
        return 1;
    case SpvOpIAdd:
    case SpvOpISub:
        return inst->operand_count;
    default:
        return !geo_op_is(inst->op, GEO_IS_POINTER_STEP)  ? 0
               : geo_op_is(inst->op, GEO_IS_SAME_ADDRESS) ? 1
                                                          : inst->operand_count;
    }
}

static uint64_t constant_scale(const struct geo_ir_inst *inst)
{
    int64_t constant;
    if (!geo_ranges_constant_signed(inst->operands[1], &constant) || constant <= 0) {
        return 0;
    }
    return inst->op == SpvOpIMul   ? (uint64_t)constant
           : constant < FACTOR_LOG ? (uint64_t)1 << constant
                                   : 0;
}

/* Returns the size in bytes of the elements that index `i` of an access chain counts; 0 if
 * unknown. */
static uint64_t chain_scale(const struct geo_ir_inst *inst, uint32_t i)
{
    GEO_ASSERT(i >= 1 && i < inst->operand_count);
    const struct geo_ir_type *type = inst->operands[0]->type->element;
    uint32_t at = 1;
    if (geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN)) {
        if (i == 1) {
            return type ? type->size : 0;
        }
        at = 2;
    }
    for (; type && at < i; at++) {
        uint64_t member;
        if (type->kind != GEO_TYPE_STRUCT) {
            type = type->element;
        } else if (geo_ir_constant_bits(inst->operands[at], &member) && member < type->count) {
            type = type->members[member];
        } else {
            return 0;
        }
    }
    return type && type->kind != GEO_TYPE_STRUCT && type->element ? type->element->size : 0;
}

uint64_t geo_address_scale(const struct geo_ir_inst *inst, uint32_t i)
{
    if (i >= geo_address_operands(inst)) {
        return 0;
    }
    if (inst->op == SpvOpShiftLeftLogical || inst->op == SpvOpIMul) {
        uint64_t scale = constant_scale(inst);
        return scale < (uint64_t)1 << FACTOR_LOG ? scale : 0;
    }
    return i && geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN) ? chain_scale(inst, i) : 1;
}

/* Marks an operand that belongs to the address, if it is computed in the same block. */
static void mark(bool *found, const struct geo_ir_inst *inst, struct geo_ir_value *operand)
{
    const struct geo_ir_inst *from = geo_ir_as_inst(operand);
    if (from && from->block == inst->block) {
        found[from->value.index] = true;
    }
}

static void mark_operands(bool *found, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (geo_address_scale(inst, i)) {
            mark(found, inst, inst->operands[i]);
        }
    }
}

bool *geo_addresses_find(const struct geo_cfg *cfg, struct geo_arena *arena)
{
    bool *found = geo_arena_new_array(arena, bool, cfg->function->value_count + 1);
    if (!found) {
        return NULL;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        for (const struct geo_ir_inst *inst = cfg->order[i]->last; inst; inst = inst->prev) {
            struct geo_address_access access;
            if (geo_address_is_access(inst) || found[inst->value.index]) {
                mark_operands(found, inst);
            } else if (geo_address_access_of(inst, &access)) {
                mark(found, inst, access.pointer);
                mark(found, inst, access.offset);
            }
        }
    }
    return found;
}
