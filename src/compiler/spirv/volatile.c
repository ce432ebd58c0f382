/* Propagates Volatile from decorated pointers to the accesses through them. See volatile.h. */
#include "compiler/spirv/volatile.h"

#include "compiler/ir/grammar.h"

static uint32_t pointer_count(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
        return 1;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return 2;
    default:
        return 0;
    }
}

void spirv_volatile_spread(struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (geo_op_is(inst->op, GEO_IS_POINTER_STEP)) {
                inst->value.flags |= inst->operands[0]->flags & GEO_VALUE_VOLATILE;
            }
            for (uint32_t i = 0; i < pointer_count(inst); i++) {
                if (inst->operands[i]->flags & GEO_VALUE_VOLATILE) {
                    inst->memory_flags |= SpvMemoryAccessVolatileMask;
                }
            }
        }
    }
}
