/* Reads OpSpecConstantOp. The instruction that it carries must satisfy the rules of its opcode
 * (validate/rules.h). It is folded, or stays as an expression that computes an address. See
 * expression.h.
 *
 * LLVM 22 writes the address of a byte inside a variable as
 *
 *     PtrAccessChain  uchar*  %variable  0  bytes
 *
 * whatever the variable's type is. This breaks the rules unless the variable is an array of bytes,
 * so the reader casts the base of such chains. */
#include "compiler/spirv/expression.h"

#include "compiler/fold/constant.h"
#include "compiler/ir/grammar.h"
#include "compiler/spirv/id.h"
#include "compiler/spirv/matrix.h"
#include "compiler/validate/rules.h"

#include <string.h>

/* Returns whether an expression of this opcode remains in initialisers: computations of
 * addresses. */
static bool op_in_initializer(uint32_t op)
{
    switch (op) {
    case SpvOpBitcast:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
        return true;
    default:
        return geo_op_is((SpvOp)op, GEO_IS_ACCESS_CHAIN);
    }
}

struct geo_ir_value *spirv_expression_create(struct spirv_reader *reader,
                                             const struct geo_ir_type *type, uint32_t op,
                                             struct geo_ir_value **operands, uint32_t count)
{
    struct geo_ir_constant *constant = geo_ir_const_blank(reader->module, type);
    if (!constant) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    constant->op = (SpvOp)op;
    constant->operands = operands;
    constant->operand_count = count;
    constant->depth = geo_ir_constants_depth(operands, count) + 1;
    return &constant->value;
}

static struct geo_ir_value *cast_create(struct spirv_reader *reader, struct geo_ir_value *value,
                                        const struct geo_ir_type *type)
{
    struct geo_ir_value **operand = geo_arena_new(&reader->module->arena, struct geo_ir_value *);
    if (!operand) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    *operand = value;
    return spirv_expression_create(reader, type, SpvOpBitcast, operand, 1);
}

/* ---- constants with other pointer types ---- */

#define FIT_DEPTH   8u         /* nesting depth of rebuilt composites */
#define FIT_MEMBERS (1u << 20) /* bound on the members of all rebuilt composites of a module */

static struct geo_ir_value *fit(struct spirv_reader *reader, struct geo_ir_value *value,
                                const struct geo_ir_type *wanted, uint32_t depth);

/* Returns whether a composite constant can be rebuilt with another type: kind, number of members
 * and size agree. */
static bool is_composite_alike(const struct geo_ir_value *value, const struct geo_ir_type *wanted)
{
    const struct geo_ir_type *type = value->type;
    return value->kind == GEO_VALUE_CONSTANT && type->kind == wanted->kind &&
           (type->kind == GEO_TYPE_ARRAY || type->kind == GEO_TYPE_STRUCT) &&
           type->count == wanted->count && type->size == wanted->size &&
           ((const struct geo_ir_constant *)value)->op == SpvOpNop;
}

static const struct geo_ir_type *member_type(const struct geo_ir_type *type, uint64_t i)
{
    return type->kind == GEO_TYPE_STRUCT ? type->members[i] : type->element;
}

/* Rebuilds a composite constant with another type. Returns the constant unchanged if a member does
 * not fit, NULL with an error. */
static struct geo_ir_value *composite_fit(struct spirv_reader *reader, struct geo_ir_value *value,
                                          const struct geo_ir_type *wanted, uint32_t depth)
{
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    if (constant->is_null) {
        return geo_ir_const_null(reader->module, wanted);
    }
    if (wanted->count > FIT_MEMBERS - reader->members_fitted) {
        spirv_error(reader, "more than %u members have other types than their composites",
                    FIT_MEMBERS);
        return NULL;
    }
    reader->members_fitted += (uint32_t)wanted->count;
    struct geo_ir_value **members =
        geo_arena_new_array(&reader->module->arena, struct geo_ir_value *, wanted->count);
    for (uint64_t i = 0; members && i < wanted->count; i++) {
        members[i] = fit(reader, constant->members[i], member_type(wanted, i), depth + 1);
        if (!members[i] || members[i]->type != member_type(wanted, i)) {
            return members[i] ? value : NULL;
        }
    }
    struct geo_ir_constant *made =
        members ? geo_ir_const_composite(reader->module, wanted, members) : NULL;
    return made ? &made->value : NULL;
}

static struct geo_ir_value *fit(struct spirv_reader *reader, struct geo_ir_value *value,
                                const struct geo_ir_type *wanted, uint32_t depth)
{
    const struct geo_ir_type *type = value->type;
    if (type == wanted) {
        return value;
    }
    if (type->kind == GEO_TYPE_POINTER && wanted->kind == GEO_TYPE_POINTER &&
        type->storage == wanted->storage &&
        (value->kind == GEO_VALUE_CONSTANT || value->kind == GEO_VALUE_VARIABLE)) {
        return cast_create(reader, value, wanted);
    }
    return depth < FIT_DEPTH && is_composite_alike(value, wanted)
               ? composite_fit(reader, value, wanted, depth)
               : value;
}

struct geo_ir_value *spirv_constant_fit(struct spirv_reader *reader, struct geo_ir_value *value,
                                        const struct geo_ir_type *wanted)
{
    struct geo_ir_value *fitted = fit(reader, value, wanted, 0);
    if (!fitted && !reader->failed) {
        spirv_out_of_memory(reader);
    }
    return fitted;
}

/* ---- OpSpecConstantOp ---- */

/* Returns how many operand words of the carried instruction are ids. They come first; the other
 * words are literals. */
static uint32_t ids_count(const struct geo_grammar *grammar, uint32_t words)
{
    const char *literals = strchr(grammar->operands, 'l');
    if (!literals) {
        return words;
    }
    uint32_t ids = (uint32_t)(literals - grammar->operands) - 2; /* leaves out type and result */
    return ids < words ? ids : words;
}

/* Reads the carried instruction into an instruction outside of any block. Returns NULL with an
 * error. */
static struct geo_ir_inst *carried_read(struct spirv_reader *reader, const struct geo_ir_type *type)
{
    const uint32_t *words = reader->operands + 3;
    uint32_t op = reader->operands[2], count = spirv_operand_count(reader) - 3;
    const struct geo_grammar *grammar = geo_grammar_find(op);
    if (!grammar || !(grammar->traits & GEO_IS_PURE) || strncmp(grammar->operands, "tr", 2) != 0) {
        spirv_error(reader, "%s is not supported in a constant", geo_op_name((SpvOp)op));
        return NULL;
    }
    if (geo_ir_is_odd_int(geo_ir_scalar_of(type))) {
        spirv_error(reader, "%s to integers of %u bits is not supported in a constant",
                    geo_op_name((SpvOp)op), geo_ir_int_bits(geo_ir_scalar_of(type)));
        return NULL;
    }
    uint32_t ids = ids_count(grammar, count);
    struct geo_ir_inst *inst =
        geo_ir_inst_create(reader->module, (SpvOp)op, type, ids, count - ids, 0);
    if (!inst) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    for (uint32_t i = 0; i < ids; i++) {
        inst->operands[i] = spirv_value(reader, words[i]);
        if (!inst->operands[i]) {
            return NULL;
        }
        if (geo_ir_is_odd_int(geo_ir_scalar_of(inst->operands[i]->type))) {
            spirv_error(reader, "%s of integers of %u bits is not supported in a constant",
                        geo_op_name((SpvOp)op),
                        geo_ir_int_bits(geo_ir_scalar_of(inst->operands[i]->type)));
            return NULL;
        }
    }
    for (uint32_t i = ids; i < count; i++) {
        inst->literals[i - ids] = words[i];
    }
    return inst;
}

/* Returns whether a chain counts in bytes: its result points to a byte, its base to another type,
 * and its only nonzero index is the last one. */
static bool counts_bytes(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *to = inst->value.type, *from = inst->operands[0]->type;
    uint64_t first = 0;
    return geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN) && to->kind == GEO_TYPE_POINTER &&
           to->element && to->element->kind == GEO_TYPE_INT && to->element->width == 8 &&
           from->kind == GEO_TYPE_POINTER && from->storage == to->storage &&
           (inst->operand_count == 2 ||
            (inst->operand_count == 3 && geo_ir_constant_bits(inst->operands[1], &first) &&
             first == 0));
}

/* Casts the base of a byte chain to a pointer to bytes, and removes the zero index. */
static bool bytes_made_right(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    inst->operands[0] = cast_create(reader, inst->operands[0], inst->value.type);
    inst->operands[1] = inst->operands[inst->operand_count - 1];
    inst->operand_count = 2;
    return inst->operands[0] != NULL;
}

static bool rules_kept(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    const char *reason;
    if (geo_rules_check(inst, &reason)) {
        return true;
    }
    if (inst->operand_count && counts_bytes(inst)) {
        return bytes_made_right(reader, inst) &&
               (geo_rules_check(inst, &reason) ||
                spirv_error(reader, "%s: %s", geo_op_name(inst->op), reason));
    }
    return spirv_error(reader, "%s: %s", geo_op_name(inst->op), reason);
}

/* Returns the pointer that an OpSelect with a constant condition selects; NULL for any other
 * instruction. */
static struct geo_ir_value *chosen_pointer(const struct geo_ir_inst *inst)
{
    uint64_t condition;
    return inst->op == SpvOpSelect && inst->value.type->kind == GEO_TYPE_POINTER &&
                   geo_ir_constant_bits(inst->operands[0], &condition)
               ? inst->operands[condition ? 1 : 2]
               : NULL;
}

struct geo_ir_value *spirv_read_expression(struct spirv_reader *reader,
                                           const struct geo_ir_type *type)
{
    struct geo_ir_value *value = NULL;
    if (!spirv_need(reader, 4)) {
        return NULL;
    }
    if (reader->operands[2] == GEO_SPV_COOPERATIVE_MATRIX_LENGTH_KHR) {
        return spirv_matrix_length(reader, type, reader->operands[3]);
    }
    struct geo_ir_inst *inst = carried_read(reader, type);
    if (!inst || !rules_kept(reader, inst)) {
        return NULL;
    }
    value = chosen_pointer(inst);
    if (value) {
        /* makes a new value, since the variable keeps its id */
        return cast_create(reader, value, type);
    }
    const struct geo_fold_operation operation = {
        .op = inst->op,
        .type = type,
        .operands = inst->operands,
        .operand_count = inst->operand_count,
        .literals = inst->literals,
        .literal_count = inst->literal_count,
    };
    if (geo_fold_constant(reader->module, &operation, &value)) {
        if (!value) {
            spirv_out_of_memory(reader);
        }
        return value;
    }
    if (!op_in_initializer(inst->op)) {
        spirv_error(reader, "%s is not supported in a constant", geo_op_name(inst->op));
        return NULL;
    }
    return spirv_expression_create(reader, type, inst->op, inst->operands, inst->operand_count);
}
