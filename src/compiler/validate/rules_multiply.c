/* Type rule of OpSubgroupMatrixMultiplyAccumulateINTEL. See check.h. The size of matrix A depends
 * on the sub-group's size, so lower/cpu/group/multiply.c checks it. */
#include "compiler/ir/multiply.h"
#include "compiler/validate/check.h"
#include "compiler/validate/operand.h"

/* All bits of the literal. */
#define BITS (2u * GEO_MULTIPLY_B_BFLOAT16 - 1)

bool geo_rule_multiply_accumulate(const struct geo_ir_inst *inst, const char **reason)
{
    struct geo_multiply_matrix result, a, b, c;
    uint64_t k;
    if (inst->operand_count != 4 || inst->literal_count > 1 || !is_int(operand_type(inst, 0)) ||
        operand_type(inst, 0)->width != 32) {
        return false;
    }
    if (inst->literal_count && inst->literals[0] & ~BITS) {
        *reason = "its literal has unknown bits";
        return false;
    }
    if (!geo_multiply_describe(inst, GEO_MULTIPLY_RESULT, &result) ||
        !geo_multiply_describe(inst, GEO_MULTIPLY_A, &a) ||
        !geo_multiply_describe(inst, GEO_MULTIPLY_B, &b) ||
        !geo_multiply_describe(inst, GEO_MULTIPLY_C, &c)) {
        *reason = "its literal does not fit the types of its matrices";
        return false;
    }
    if (!geo_ir_constant_bits(inst->operands[0], &k)) {
        *reason = "its K is not constant";
        return false;
    }
    if (k != (uint64_t)b.components * b.packed) {
        *reason = "matrix B does not have K rows";
        return false;
    }
    bool real = geo_multiply_is_real(result.kind);
    return c.components == result.components && geo_multiply_is_real(a.kind) == real &&
           geo_multiply_is_real(b.kind) == real && geo_multiply_is_real(c.kind) == real;
}
