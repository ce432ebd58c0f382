/* Type rules of pointers, loads, stores and atomics. See check.h. */
#include "compiler/ir/grammar.h"
#include "compiler/validate/check.h"
#include "compiler/validate/operand.h"

bool geo_rule_memory_access_chain(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    uint32_t first = geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN) ? 2 : 1;
    if (inst->operand_count < first || !is_pointer(operand_type(inst, 0)) ||
        !is_pointer(inst->value.type) ||
        inst->value.type->storage != operand_type(inst, 0)->storage) {
        return false;
    }
    const struct geo_ir_type *type = operand_type(inst, 0)->element;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        uint64_t index = 0;
        if (!is_int(operand_type(inst, i))) {
            return false;
        }
        if (i < first) {
            continue;
        }
        bool constant = geo_ir_constant_bits(inst->operands[i], &index);
        if (type->kind == GEO_TYPE_STRUCT) {
            type = constant ? member_at(type, index) : NULL;
        } else {
            type = is_composite(type) ? type->element : NULL;
        }
        if (!type) {
            return false;
        }
    }
    return type == inst->value.type->element;
}

bool geo_rule_memory_load(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && is_pointer(operand_type(inst, 0)) &&
           operand_type(inst, 0)->element == inst->value.type;
}

bool geo_rule_memory_store(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 2 && is_pointer(operand_type(inst, 0)) &&
           operand_type(inst, 0)->element == operand_type(inst, 1);
}

bool geo_rule_memory_copy_memory(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    bool sized = inst->op == SpvOpCopyMemorySized;
    return inst->operand_count == (sized ? 3u : 2u) && is_pointer(operand_type(inst, 0)) &&
           is_pointer(operand_type(inst, 1)) &&
           (sized ? is_int(operand_type(inst, 2))
                  : operand_type(inst, 0)->element == operand_type(inst, 1)->element);
}

/* Checks an atomic. Its operands are pointer, scope, semantics, values: scope and semantics are
 * integers, the values have the type of the pointee. */
bool geo_rule_memory_atomic(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_grammar *grammar = geo_grammar_find((uint32_t)inst->op);
    bool has_result = !grammar || grammar->operands[0] == 't'; /* GEO_OP_* atomics have a result */
    bool exchange =
        inst->op == SpvOpAtomicCompareExchange || inst->op == SpvOpAtomicCompareExchangeWeak;
    bool flag = inst->op == SpvOpAtomicFlagTestAndSet || inst->op == SpvOpAtomicFlagClear;
    if (inst->operand_count < 3 || !is_pointer(operand_type(inst, 0))) {
        return false;
    }
    const struct geo_ir_type *type = operand_type(inst, 0)->element;
    if ((type->kind != GEO_TYPE_INT && type->kind != GEO_TYPE_FLOAT &&
         type->kind != GEO_TYPE_POINTER) ||
        (has_result && !flag && inst->value.type != type) ||
        (inst->op == SpvOpAtomicFlagTestAndSet && inst->value.type->kind != GEO_TYPE_BOOL)) {
        return false;
    }
    uint32_t scalars = exchange ? 4 : 3;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        if (i < scalars ? !is_int(operand_type(inst, i)) : operand_type(inst, i) != type) {
            return false;
        }
    }
    return true;
}

bool geo_rule_memory_variable(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return is_pointer(inst->value.type) && inst->value.type->storage == SpvStorageClassFunction &&
           inst->operand_count <= 1 &&
           (!inst->operand_count || operand_type(inst, 0) == inst->value.type->element);
}

bool geo_rule_memory_pointer_sum(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 2 && is_pointer(operand_type(inst, 0)) &&
           is_pointer(inst->value.type) && is_int(operand_type(inst, 1));
}

/* Returns whether neither the result nor an operand is a vector. Instructions that lowering emits
 * for single pointers only ask this. */
static bool pointers_are_single(const struct geo_ir_inst *inst, const char **reason)
{
    bool single = inst->value.type->kind != GEO_TYPE_VECTOR;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        single = single && operand_type(inst, i)->kind != GEO_TYPE_VECTOR;
    }
    if (!single) {
        *reason = "it takes single pointers, not vectors of them";
    }
    return single;
}

bool geo_rule_memory_pointer_difference(const struct geo_ir_inst *inst, const char **reason)
{
    return pointers_are_single(inst, reason) && inst->operand_count == 2 &&
           is_int(inst->value.type) && is_pointer(operand_type(inst, 0)) &&
           operand_type(inst, 0) == operand_type(inst, 1);
}

bool geo_rule_memory_pointer_compare(const struct geo_ir_inst *inst, const char **reason)
{
    return pointers_are_single(inst, reason) && inst->operand_count == 2 &&
           inst->value.type->kind == GEO_TYPE_BOOL &&
           operand_type(inst, 0)->kind == GEO_TYPE_POINTER &&
           operand_type(inst, 0) == operand_type(inst, 1);
}

/* Checks OpGenericCastToPtrExplicit, which asks where one pointer points. */
bool geo_rule_memory_pointer_cast(const struct geo_ir_inst *inst, const char **reason)
{
    return pointers_are_single(inst, reason) && inst->operand_count == 1 &&
           inst->value.type->kind == GEO_TYPE_POINTER &&
           operand_type(inst, 0)->kind == GEO_TYPE_POINTER;
}

/* ---- conditional accesses ---- */

static bool is_number(const struct geo_ir_type *type)
{
    return class_fits(INT, type) || class_fits(FLOAT, type);
}

bool geo_rule_memory_predicated(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    bool stores = (uint32_t)inst->op == GEO_SPV_PREDICATED_STORE_INTEL;
    if (inst->operand_count != 3 || !is_pointer(operand_type(inst, 0)) ||
        inst->memory_flags & SpvMemoryAccessVolatileMask) {
        return false;
    }
    const struct geo_ir_type *type = operand_type(inst, 0)->element;
    return is_number(type) && operand_type(inst, stores ? 1 : 2) == type &&
           operand_type(inst, stores ? 2 : 1)->kind == GEO_TYPE_BOOL &&
           (stores || inst->value.type == type);
}

/* Checks a gather (pointers, mask, values of masked-off elements) or a scatter (values, pointers,
 * mask). */
bool geo_rule_memory_masked(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    bool stores = (uint32_t)inst->op == GEO_SPV_MASKED_SCATTER_INTEL;
    if (inst->operand_count != 3 || inst->literal_count != 1 ||
        inst->literals[0] & (inst->literals[0] - 1)) {
        return false;
    }
    const struct geo_ir_type *data = operand_type(inst, stores ? 0 : 2);
    const struct geo_ir_type *pointers = operand_type(inst, stores ? 1 : 0);
    const struct geo_ir_type *mask = operand_type(inst, stores ? 2 : 1);
    return data->kind == GEO_TYPE_VECTOR && pointers->kind == GEO_TYPE_VECTOR &&
           mask->kind == GEO_TYPE_VECTOR && pointers->count == data->count &&
           mask->count == data->count && mask->element->kind == GEO_TYPE_BOOL &&
           is_pointer(pointers->element) && pointers->element->element == data->element &&
           (stores || inst->value.type == data);
}

/* ---- 2D blocks ---- */

/* Checks a 2D block access. Its operands are four integers, for a store the private source, the
 * global memory, three integers, a position (two integers), and for a load the private
 * destination. */
bool geo_rule_memory_block2d(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    bool stores = (uint32_t)inst->op == GEO_SPV_SUBGROUP_2D_BLOCK_STORE_INTEL;
    bool fetches = (uint32_t)inst->op == GEO_SPV_SUBGROUP_2D_BLOCK_PREFETCH_INTEL;
    uint32_t region = stores ? 5 : 4, items = stores ? 4 : 9;
    if (inst->operand_count != (fetches ? 9u : 10u)) {
        return false;
    }
    for (uint32_t i = 0; i < region + 4; i++) {
        if (i < 4 || i > region ? !is_int(operand_type(inst, i))
                                : !is_pointer(operand_type(inst, i))) {
            return false;
        }
    }
    const struct geo_ir_type *place = operand_type(inst, region + 4);
    return place->kind == GEO_TYPE_VECTOR && place->count == 2 && is_int(place->element) &&
           operand_type(inst, region)->storage == SpvStorageClassCrossWorkgroup &&
           (fetches || (is_pointer(operand_type(inst, items)) &&
                        operand_type(inst, items)->storage == SpvStorageClassFunction));
}

/* ---- private arrays of variable length ---- */

bool geo_rule_memory_array(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 1 && is_pointer(type) &&
           type->storage == SpvStorageClassFunction && type->element->size > 0 &&
           is_int(operand_type(inst, 0));
}

bool geo_rule_memory_save_memory(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 0 && is_pointer(inst->value.type);
}

bool geo_rule_memory_restore_memory(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && is_pointer(operand_type(inst, 0));
}

bool geo_rule_memory_prefetch(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 2 && is_pointer(operand_type(inst, 0)) &&
           is_int(operand_type(inst, 1));
}
