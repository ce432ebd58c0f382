/* Finds ambient values, which are available everywhere in a body.
 *
 * Parameters are loaded once per launch. Ids, addresses of private variables and cheap scalars are
 * emitted at the start of each body (cpu/control/body.c), whether they are needed or not. LLVM
 * sinks them or drops unused ones. Ambient values dominate all uses, so they need no home, and
 * barriers do not save them. Only operations without side effects take part, because they are
 * executed speculatively. */
#include "compiler/lower/cpu/frame/ambient.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/state/parts.h"

/* Longest chain of operations that is cheaper to compute again than to save. */
#define CHAIN_LIMIT 6u

bool geo_frame_is_ambient(const struct geo_lower_function *f, const struct geo_ir_value *value)
{
    return value->kind != GEO_VALUE_INST || f->frame->ambient[value->index];
}

bool geo_frame_ambient_is_above(const struct geo_lower_function *f,
                                const struct geo_ir_value *value)
{
    return geo_frame_is_ambient(f, value) || f->frame->above[value->index];
}

static bool is_cheap(const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpSNegate:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case GEO_OP_PTR_ADD:
        return true;
    default:
        return geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN);
    }
}

/* Returns 0 if the instruction is not ambient, otherwise the length of its chain of operations +
 * 1. */
static uint32_t chain_length(const struct geo_lower_function *f, const struct geo_ir_inst *inst,
                             const uint8_t *lengths)
{
    struct geo_shape shape = geo_shape_of(f->body.shapes, &inst->value);
    if (inst->op == (SpvOp)GEO_OP_BUILTIN || inst->op == SpvOpVariable) {
        return 1;
    }
    if (!is_cheap(inst) || shape.kind == GEO_SHAPE_VARYING || shape.anchored ||
        geo_part_count(inst->value.type) > 4) {
        return 0;
    }
    uint32_t longest = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        uint32_t length = operand ? lengths[operand->value.index] : 1;
        if (length == 0 || length > CHAIN_LIMIT) {
            return 0;
        }
        longest = length > longest ? length : longest;
    }
    return longest + 1;
}

bool geo_frame_ambient_find(struct geo_lower_function *f)
{
    const struct geo_cfg *cfg = &f->frame->code->cfg;
    uint32_t count = f->function->value_count + 1;
    uint8_t *lengths = geo_arena_new_array(f->arena, uint8_t, count);
    f->frame->ambient = geo_arena_new_array(f->arena, bool, count);
    f->frame->above = geo_arena_new_array(f->arena, bool, count);
    if (!lengths || !f->frame->ambient || !f->frame->above) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        for (const struct geo_ir_inst *inst = cfg->order[i]->first; inst; inst = inst->next) {
            GEO_ASSERT(inst->value.index < f->function->value_count);
            lengths[inst->value.index] = (uint8_t)chain_length(f, inst, lengths);
            f->frame->ambient[inst->value.index] = lengths[inst->value.index] != 0;
        }
    }
    return true;
}
