/* Folds phis: of one value, and of one expression that each predecessor computes for itself. Called
 * by fold.c; see simplify.h. */
#include "compiler/transform/simplify/simplify.h"

/* Returns the value that replaces a phi whose operands are all the same value or the phi itself, or
 * NULL. Undefined operands count as that value unless it is an instruction's: such a value may be
 * undefined on the path of the undefined operand. */
static struct geo_ir_value *fold_same(const struct geo_ir_inst *phi)
{
    struct geo_ir_value *same = NULL;
    bool undefined = false;
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        struct geo_ir_value *operand = geo_ir_value_end(phi->operands[i]);
        if (operand == &phi->value) {
            continue;
        }
        if (operand->kind == GEO_VALUE_UNDEF) {
            undefined = true;
            same = same ? same : operand;
            continue;
        }
        if (same && same != operand && same->kind != GEO_VALUE_UNDEF) {
            return NULL;
        }
        same = operand;
    }
    if (!same || (undefined && same->kind == GEO_VALUE_INST)) {
        return NULL;
    }
    return same;
}

/* Returns whether the result depends on the operands alone and is cheap to compute again. */
static bool is_index_arithmetic(const struct geo_ir_inst *inst)
{
    switch ((unsigned)inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case GEO_OP_PTR_ADD:
        return true;
    default:
        return false;
    }
}

static bool is_same_expression(const struct geo_ir_inst *a, const struct geo_ir_inst *b)
{
    if (a->op != b->op || a->value.type != b->value.type || a->operand_count != b->operand_count ||
        a->literal_count != b->literal_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->operand_count; i++) {
        if (geo_ir_value_end(a->operands[i]) != geo_ir_value_end(b->operands[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->literal_count; i++) {
        if (a->literals[i] != b->literals[i]) {
            return false;
        }
    }
    return true;
}

/* Computes an expression behind a phi if each operand is the same expression of the same values.
 * These dominate the phi, since they dominate its operands. Compilers extend an index to 64 bits in
 * each branch that needs it. Lanes come from different branches, so the shape of the phi would be
 * unknown, while the shape of the expression is that of the index. */
static struct geo_ir_value *fold_expression(struct geo_pass *pass, struct geo_ir_inst *phi)
{
    const struct geo_ir_inst *first = NULL;
    uint32_t flags = ~0u, align = UINT32_MAX;
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        const struct geo_ir_inst *inst = geo_ir_as_inst(geo_ir_value_end(phi->operands[i]));
        if (!inst || !is_index_arithmetic(inst) || (first && !is_same_expression(first, inst))) {
            return NULL;
        }
        first = first ? first : inst;
        flags &= inst->value.flags;
        align = inst->value.align < align ? inst->value.align : align;
    }
    struct geo_ir_inst *copy = first ? geo_make_copy(pass, first) : NULL;
    if (!copy) {
        return NULL;
    }
    struct geo_ir_inst *behind = phi;
    while (behind->op == SpvOpPhi) {
        behind = behind->next;
    }
    for (uint32_t i = 0; i < first->operand_count; i++) {
        copy->operands[i] = geo_ir_value_end(first->operands[i]);
    }
    copy->value.flags = flags;
    copy->value.align = align;
    geo_ir_inst_insert_before(behind, copy);
    return &copy->value;
}

struct geo_ir_value *geo_transform_fold_phi(struct geo_pass *pass, struct geo_ir_inst *phi)
{
    struct geo_ir_value *value = fold_same(phi);
    return value ? value : fold_expression(pass, phi);
}
