/* Lowers arithmetic with two results, which are the members of a struct: carries, borrows, wide
 * products. */
#include "compiler/lower/instruction/extended.h"

#include "compiler/lower/arith/arith.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* Lowers OpIAddCarry, OpISubBorrow, OpUMulExtended and OpSMulExtended. The result is a struct of
 * two equal members; the low part, sum or difference comes first. */
bool geo_instruction_extended(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMBuilderRef b = f->llvm.builder;
    uint32_t count = geo_part_count(inst->operands[0]->type);
    if (inst->operand_count != 2 || geo_part_count(inst->operands[1]->type) != count ||
        geo_part_count(inst->value.type) != 2 * count) {
        geo_state_error(f, inst, "result is not a struct of two members like the operands");
        return false;
    }
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef x = geo_value_operand(f, inst->operands[0], i, as_scalar);
        LLVMValueRef y = geo_value_operand(f, inst->operands[1], i, as_scalar);
        LLVMValueRef low, high;
        uint32_t bits = geo_type_bits(x);
        switch (inst->op) {
        case SpvOpIAddCarry:
            low = LLVMBuildAdd(b, x, y, "");
            high = geo_emit_zext(f, geo_emit_icmp(f, LLVMIntULT, low, x), bits);
            break;
        case SpvOpISubBorrow:
            low = LLVMBuildSub(b, x, y, "");
            high = geo_emit_zext(f, geo_emit_icmp(f, LLVMIntULT, x, y), bits);
            break;
        default:
            low = LLVMBuildMul(b, x, y, "");
            high = geo_arith_mul_high(f, x, y, inst->op == SpvOpSMulExtended);
        }
        geo_value_set_wide(f, inst, i, low);
        geo_value_set_wide(f, inst, count + i, high);
    }
    return true;
}
