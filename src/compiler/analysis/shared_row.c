/* Looks at the phis of a loop's header, and at what they are after a turn. See shared_row.h. */
#include "compiler/analysis/shared_row.h"

#include "compiler/ir/grammar.h"

/* Largest step of a counter. Larger constants are negative ones, or mix bits. */
#define STEP_LIMIT 4096u
/* Conversions of a counter that are followed. */
#define CONVERSIONS 2u

/* Follows conversions between widths, for which clang also writes `i & 0xffffffff`. */
static const struct geo_ir_inst *converted(struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    for (uint32_t i = 0; inst && i < CONVERSIONS; i++) {
        uint64_t bits = 0;
        bool masks = inst->op == SpvOpBitwiseAnd &&
                     geo_ir_constant_bits(inst->operands[1], &bits) && (bits & (bits + 1)) == 0;
        if (inst->op != SpvOpUConvert && inst->op != SpvOpSConvert && !masks) {
            break;
        }
        inst = geo_ir_as_inst(inst->operands[0]);
    }
    return inst;
}

/* Returns whether a value is a phi of the loop's header plus a step. */
static bool is_step(const struct geo_shapes *shapes, const struct geo_loop *loop,
                    struct geo_ir_value *value)
{
    const struct geo_ir_inst *sum = converted(value);
    for (uint32_t i = 0; sum && sum->op == SpvOpIAdd && i < 2; i++) {
        const struct geo_ir_inst *phi = converted(sum->operands[i]);
        const struct geo_ir_value *step = sum->operands[1 - i];
        uint64_t bits = 0;
        if (phi && phi->op == SpvOpPhi && phi->block == loop->header) {
            return geo_ir_constant_bits(step, &bits)
                       ? bits > 1 && bits <= STEP_LIMIT
                       : geo_shape_of(shapes, step).kind == GEO_SHAPE_UNIFORM;
        }
    }
    return false;
}

bool geo_shared_row_walks(const struct geo_loops *loops, const struct geo_shapes *shapes,
                          const struct geo_loop *loop)
{
    for (const struct geo_ir_inst *phi = loop->header->first; phi->op == SpvOpPhi;
         phi = phi->next) {
        for (uint32_t i = 0; i < phi->operand_count; i++) {
            if (phi->value.type->kind == GEO_TYPE_INT &&
                geo_loop_contains(loops, loop, phi->targets[i]) &&
                is_step(shapes, loop, phi->operands[i])) {
                return true;
            }
        }
    }
    return false;
}
