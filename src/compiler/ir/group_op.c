/* The table of group operations, from opcodes.def, and the check of their types. See group_op.h. */
#include "compiler/ir/group_op.h"

#include "compiler/ir/grammar.h"

#include <stddef.h>
#include <string.h>

/* By row of opcodes.def. `op` is 0 in the rows of other opcodes. */
static const struct geo_group_op table[GEO_ROW_COUNT] = {
#define GROUP(op, types, family, join, uniform, letters)                                           \
    [GEO_ROW_##op] = {op, GEO_GROUP_##family, GEO_JOIN_##join, uniform, letters},
#define ROW(op, ...)
#include "compiler/ir/opcodes.def"
};

const struct geo_group_op *geo_group_op_find(uint32_t op)
{
    const struct geo_group_op *group = &table[geo_op_row((SpvOp)op)];
    return group->op ? group : NULL;
}

static bool names_scope(const struct geo_group_op *group)
{
    return group->types ? group->types[1] == 's' : group->family == GEO_GROUP_COPY;
}

uint32_t geo_group_op_scope(const struct geo_group_op *group, const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if (!names_scope(group)) {
        return SpvScopeSubgroup;
    }
    return inst->operand_count && geo_ir_constant_bits(inst->operands[0], &scope) ? (uint32_t)scope
                                                                                  : UINT32_MAX;
}

/* ---- checks of operand types (letters of geo_group_op.types) ---- */

static bool scalar_fits(char letter, const struct geo_ir_type *type)
{
    bool is_int = type->kind == GEO_TYPE_INT;
    bool is_float = type->kind == GEO_TYPE_FLOAT;
    bool is_bool = type->kind == GEO_TYPE_BOOL;
    switch (letter) {
    case 'I':
        return is_int;
    case 'F':
        return is_float;
    case 'B':
        return is_bool;
    case 'N':
        return is_int || is_float;
    default:
        return is_int || is_float || is_bool;
    }
}

/* Returns whether the type is a 2D image that is neither an array nor a depth image. */
static bool is_flat_image(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_OPAQUE && type->opaque == SpvOpTypeImage &&
           type->image.dim == SpvDim2D && !type->image.arrayed && !type->image.depth;
}

static bool type_fits(char letter, const struct geo_ir_type *type, const struct geo_ir_type *result)
{
    bool vector = type->kind == GEO_TYPE_VECTOR;
    switch (letter) {
    case '-':
        return type->kind == GEO_TYPE_VOID;
    case 'v':
        return type == result;
    case 'p':
        return type->kind == GEO_TYPE_POINTER;
    case 'm':
        return is_flat_image(type);
    case 'c':
        return vector && type->count == 2 && type->element->kind == GEO_TYPE_INT &&
               type->element->width == 32;
    case 'b':
        return type->kind == GEO_TYPE_BOOL;
    case 's':
    case 'i':
        return type->kind == GEO_TYPE_INT;
    case 'w':
        return vector && type->count == 4 && type->element->kind == GEO_TYPE_INT &&
               type->element->width == 32;
    case 'l':
        return type->kind == GEO_TYPE_INT ||
               (vector && type->count <= 3 && type->element->kind == GEO_TYPE_INT);
    default:
        return scalar_fits(letter, vector ? type->element : type);
    }
}

/* Returns the letter of the last operand of a reduction or scan: a partition of items, or the size
 * of a cluster. */
static char subset_letter(const struct geo_ir_inst *inst)
{
    return inst->literal_count && inst->literals[0] >= SpvGroupOperationPartitionedReduceNV ? 'w'
                                                                                            : 'i';
}

bool geo_group_op_check(const struct geo_group_op *group, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *result = inst->value.type;
    const char *letter = group->types;
    uint32_t operand = 0, literals = 0;
    bool optional = false;
    if (!letter) {
        return true;
    }
    if (!type_fits(*letter, result, result)) {
        return false;
    }
    while (*++letter) {
        if (*letter == '#') {
            literals++;
        } else if (*letter == '?') {
            optional = true;
        } else if (operand == inst->operand_count) {
            return optional && inst->literal_count == literals;
        } else if (!type_fits(*letter == 'k' ? subset_letter(inst) : *letter,
                              inst->operands[operand++]->type, result)) {
            return false;
        }
    }
    return operand == inst->operand_count && inst->literal_count == literals;
}
