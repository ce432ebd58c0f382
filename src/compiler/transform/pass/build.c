/* Functions that create instructions. See pass.h. */
#include "compiler/transform/pass/pass.h"

#include <string.h>

struct geo_ir_inst *geo_make(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                             const struct geo_ir_type *type, uint32_t operands, uint32_t literals,
                             uint32_t targets)
{
    struct geo_ir_inst *inst =
        type ? geo_ir_inst_create(pass->module, op, type, operands, literals, targets) : NULL;
    if (!inst) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    if (before) {
        geo_ir_inst_from(inst, before);
        geo_ir_inst_insert_before(before, inst);
    }
    return inst;
}

struct geo_ir_inst *geo_make_copy(struct geo_pass *pass, const struct geo_ir_inst *from)
{
    struct geo_ir_inst *copy = geo_make(pass, NULL, from->op, from->value.type, from->operand_count,
                                        from->literal_count, from->target_count);
    if (!copy) {
        return NULL;
    }
    copy->value.flags = from->value.flags;
    copy->value.id = from->value.id;
    copy->value.align = from->value.align;
    copy->value.name = from->value.name;
    copy->memory_align = from->memory_align;
    copy->memory_flags = from->memory_flags;
    copy->source_align = from->source_align;
    geo_ir_inst_from(copy, from);
    memcpy(copy->literals, from->literals, from->literal_count * sizeof(*from->literals));
    return copy;
}

struct geo_ir_value *geo_make_unary(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                                    const struct geo_ir_type *type, struct geo_ir_value *a)
{
    struct geo_ir_inst *inst = a ? geo_make(pass, before, op, type, 1, 0, 0) : NULL;
    if (!inst) {
        return NULL;
    }
    inst->operands[0] = a;
    return &inst->value;
}

struct geo_ir_value *geo_make_binary(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                                     const struct geo_ir_type *type, struct geo_ir_value *a,
                                     struct geo_ir_value *b)
{
    struct geo_ir_inst *inst = a && b ? geo_make(pass, before, op, type, 2, 0, 0) : NULL;
    if (!inst) {
        return NULL;
    }
    inst->operands[0] = a;
    inst->operands[1] = b;
    return &inst->value;
}

struct geo_ir_value *geo_make_select(struct geo_pass *pass, struct geo_ir_inst *before,
                                     struct geo_ir_value *condition, struct geo_ir_value *a,
                                     struct geo_ir_value *b)
{
    struct geo_ir_inst *inst =
        condition && a && b ? geo_make(pass, before, SpvOpSelect, a->type, 3, 0, 0) : NULL;
    if (!inst) {
        return NULL;
    }
    inst->operands[0] = condition;
    inst->operands[1] = a;
    inst->operands[2] = b;
    return &inst->value;
}

struct geo_ir_value *geo_make_extract(struct geo_pass *pass, struct geo_ir_inst *before,
                                      const struct geo_ir_type *type,
                                      struct geo_ir_value *composite, const uint32_t *path,
                                      uint32_t count)
{
    if (count == 0 || !composite) {
        return composite;
    }
    struct geo_ir_inst *inst = geo_make(pass, before, SpvOpCompositeExtract, type, 1, count, 0);
    if (!inst) {
        return NULL;
    }
    inst->operands[0] = composite;
    memcpy(inst->literals, path, count * sizeof(*path));
    return &inst->value;
}

struct geo_ir_value *geo_make_offset(struct geo_pass *pass, struct geo_ir_inst *before,
                                     struct geo_ir_value *pointer, uint64_t offset,
                                     const struct geo_ir_type *type)
{
    if (offset == 0 && pointer->type->element == type) {
        return pointer;
    }
    const struct geo_ir_type *wanted =
        geo_ir_type_pointer(pass->module, type, pointer->type->storage);
    if (!wanted) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    if (offset == 0) {
        return geo_make_unary(pass, before, SpvOpBitcast, wanted, pointer);
    }
    return geo_make_binary(pass, before, (SpvOp)GEO_OP_PTR_ADD, wanted, pointer,
                           geo_pass_int(pass, pass->type_i64, offset));
}

struct geo_ir_inst *geo_make_branch(struct geo_pass *pass, struct geo_ir_block *block,
                                    struct geo_ir_block *target, const struct geo_ir_inst *origin)
{
    struct geo_ir_inst *inst = geo_make(pass, NULL, SpvOpBranch, pass->type_void, 0, 0, 1);
    if (inst) {
        inst->targets[0] = target;
        geo_ir_inst_from(inst, origin);
        geo_ir_inst_append(block, inst);
    }
    return inst;
}

struct geo_ir_inst *geo_make_phi(struct geo_pass *pass, struct geo_ir_block *block,
                                 const struct geo_ir_type *type, uint32_t count)
{
    struct geo_ir_inst *phi = geo_make(pass, block->first, SpvOpPhi, type, count, 0, count);
    if (!phi) {
        return NULL;
    }
    if (!block->first || block->first != phi) {
        geo_ir_inst_append(block, phi); /* the block was empty */
    }
    phi->operand_count = phi->target_count = 0;
    return phi;
}

void geo_phi_add(struct geo_ir_inst *phi, struct geo_ir_value *value, struct geo_ir_block *from)
{
    phi->operands[phi->operand_count++] = value;
    phi->targets[phi->target_count++] = from;
}

/* ---- reinterpretation ---- */

static bool is_number(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT;
}

bool geo_make_can_reinterpret(const struct geo_ir_type *from, const struct geo_ir_type *to)
{
    if (from == to) {
        return true;
    }
    if (from->size != to->size || from->kind == GEO_TYPE_OPAQUE || to->kind == GEO_TYPE_OPAQUE) {
        return false;
    }
    bool from_scalar =
        is_number(from) || from->kind == GEO_TYPE_BOOL || from->kind == GEO_TYPE_POINTER;
    bool to_scalar = is_number(to) || to->kind == GEO_TYPE_BOOL || to->kind == GEO_TYPE_POINTER;
    return from_scalar && to_scalar;
}

/* Returns the integer type by way of which pointers and floats are converted into each other. */
static const struct geo_ir_type *integer_of(struct geo_pass *pass, const struct geo_ir_type *type)
{
    return geo_ir_type_int(pass->module, (uint32_t)type->size * 8);
}

struct geo_ir_value *geo_make_reinterpret(struct geo_pass *pass, struct geo_ir_inst *before,
                                          struct geo_ir_value *value,
                                          const struct geo_ir_type *type)
{
    const struct geo_ir_type *from = value->type;
    if (from == type) {
        return value;
    }
    if (!geo_make_can_reinterpret(from, type)) {
        return NULL;
    }
    if (value->kind == GEO_VALUE_UNDEF) {
        return geo_pass_undef(pass, type);
    }
    if (from->kind == GEO_TYPE_BOOL) {
        value = geo_make_select(pass, before, value, geo_pass_int(pass, pass->type_i8, 1),
                                geo_pass_int(pass, pass->type_i8, 0));
        return value ? geo_make_reinterpret(pass, before, value, type) : NULL;
    }
    if (type->kind == GEO_TYPE_BOOL) {
        value = geo_make_reinterpret(pass, before, value, pass->type_i8);
        value = value ? geo_make_binary(pass, before, SpvOpBitwiseAnd, pass->type_i8, value,
                                        geo_pass_int(pass, pass->type_i8, 1))
                      : NULL;
        return geo_make_binary(pass, before, SpvOpINotEqual, type, value,
                               geo_pass_int(pass, pass->type_i8, 0));
    }
    if (from->kind == GEO_TYPE_POINTER && type->kind != GEO_TYPE_POINTER) {
        const struct geo_ir_type *integer = integer_of(pass, from);
        value = geo_make_unary(pass, before, SpvOpConvertPtrToU, integer, value);
        return value ? geo_make_reinterpret(pass, before, value, type) : NULL;
    }
    if (type->kind == GEO_TYPE_POINTER && from->kind != GEO_TYPE_POINTER) {
        value = geo_make_reinterpret(pass, before, value, integer_of(pass, type));
        return geo_make_unary(pass, before, SpvOpConvertUToPtr, type, value);
    }
    return geo_make_unary(pass, before, SpvOpBitcast, type, value);
}
