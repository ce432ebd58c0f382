/* Lowers OpenCL.std shuffles, whose mask may vary at run time. See vector.h. */
#include "compiler/lower/ext/vector.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

#include <spirv/unified1/OpenCL.std.h>

/* Selects one of `count` values (a power of two) by the low bits of `index`. */
static LLVMValueRef pick(struct geo_lower_function *f, LLVMValueRef *values, uint32_t count,
                         LLVMValueRef index)
{
    GEO_ASSERT(count >= 1 && count <= 32 && (count & (count - 1)) == 0);
    for (uint32_t bit = 0; count > 1; bit++, count /= 2) {
        LLVMValueRef mask = geo_emit_const_like(index, 1ull << bit);
        LLVMValueRef odd =
            geo_emit_icmp(f, LLVMIntNE, LLVMBuildAnd(f->llvm.builder, index, mask, ""),
                          geo_emit_zero_like(index));
        for (uint32_t i = 0; i < count / 2; i++) {
            values[i] = geo_emit_select(f, odd, values[2 * i + 1], values[2 * i]);
        }
    }
    return values[0];
}

bool geo_ext_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    uint32_t sources = inst->literals[1] == OpenCLstd_Shuffle2 ? 2 : 1;
    uint32_t count = geo_part_count(inst->value.type);
    if (inst->operand_count != sources + 1 ||
        geo_part_count(inst->operands[sources]->type) != count) {
        geo_state_error(f, inst, "the mask and the result differ in their number of components");
        return false;
    }
    uint32_t each = geo_part_count(inst->operands[0]->type);
    /* 3 components count as 4; the last one is undefined */
    uint32_t slots = each == 3 ? 4 : each;
    if (each > 16 || (slots & (slots - 1)) ||
        (sources == 2 && geo_part_count(inst->operands[1]->type) != each)) {
        geo_state_error(f, inst, "vectors of this size cannot be shuffled");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef values[32];
        for (uint32_t j = 0; j < sources * slots; j++) {
            uint32_t component = j % slots < each ? j % slots : 0;
            values[j] = geo_value_operand(f, inst->operands[j / slots], component, as_scalar);
        }
        LLVMValueRef index = geo_value_operand(f, inst->operands[sources], i, as_scalar);
        geo_value_set_wide(f, inst, i, pick(f, values, sources * slots, index));
    }
    return true;
}
