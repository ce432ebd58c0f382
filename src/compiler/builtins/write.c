/* Writes the instructions that replace built-in functions. See write.h. */
#include "compiler/builtins/write.h"

#include <string.h>

struct geo_ir_value *geo_write_op(struct geo_writer *writer, SpvOp op,
                                  const struct geo_ir_type *type, uint32_t operand_count,
                                  struct geo_ir_value *const *operands, uint32_t literal_count,
                                  const uint32_t *literals)
{
    bool complete = type != NULL && !writer->out_of_memory;
    for (uint32_t i = 0; i < operand_count; i++) {
        complete &= operands[i] != NULL;
    }
    struct geo_ir_inst *inst =
        complete ? geo_ir_inst_create(writer->module, op, type, operand_count, literal_count, 0)
                 : NULL;
    if (!inst) {
        writer->out_of_memory = true;
        return NULL;
    }
    for (uint32_t i = 0; i < operand_count; i++) {
        inst->operands[i] = operands[i];
    }
    for (uint32_t i = 0; i < literal_count; i++) {
        inst->literals[i] = literals[i];
    }
    geo_ir_inst_from(inst, writer->before);
    inst->value.id = writer->before->value.id;
    geo_ir_inst_insert_before(writer->before, inst);
    return &inst->value;
}

struct geo_ir_value *geo_write_1(struct geo_writer *writer, SpvOp op,
                                 const struct geo_ir_type *type, struct geo_ir_value *a)
{
    return geo_write_op(writer, op, type, 1, &a, 0, NULL);
}

struct geo_ir_value *geo_write_2(struct geo_writer *writer, SpvOp op,
                                 const struct geo_ir_type *type, struct geo_ir_value *a,
                                 struct geo_ir_value *b)
{
    struct geo_ir_value *operands[] = {a, b};
    return geo_write_op(writer, op, type, 2, operands, 0, NULL);
}

struct geo_ir_value *geo_write_3(struct geo_writer *writer, SpvOp op,
                                 const struct geo_ir_type *type, struct geo_ir_value *a,
                                 struct geo_ir_value *b, struct geo_ir_value *c)
{
    struct geo_ir_value *operands[] = {a, b, c};
    return geo_write_op(writer, op, type, 3, operands, 0, NULL);
}

struct geo_ir_value *geo_write_ext(struct geo_writer *writer, uint32_t number,
                                   const struct geo_ir_type *type, uint32_t operand_count,
                                   struct geo_ir_value *const *operands)
{
    const uint32_t literals[] = {GEO_EXT_OPENCL_STD, number};
    return geo_write_op(writer, SpvOpExtInst, type, operand_count, operands, 2, literals);
}

struct geo_ir_value *geo_write_extract(struct geo_writer *writer, struct geo_ir_value *value,
                                       uint32_t c)
{
    if (!value || value->type->kind != GEO_TYPE_VECTOR) {
        return value;
    }
    return geo_write_op(writer, SpvOpCompositeExtract, value->type->element, 1, &value, 1, &c);
}

struct geo_ir_value *geo_write_const(struct geo_writer *writer, uint32_t width, uint64_t bits)
{
    const struct geo_ir_type *type = geo_ir_type_int(writer->module, width);
    struct geo_ir_value *value = type ? geo_ir_const_int(writer->module, type, bits) : NULL;
    writer->out_of_memory |= value == NULL;
    return value;
}

struct geo_ir_value *geo_write_variable(struct geo_writer *writer, const struct geo_ir_type *type)
{
    struct geo_writer at_entry = *writer;
    const uint32_t storage = SpvStorageClassFunction;
    at_entry.before = writer->before->block->function->first_block->first;
    struct geo_ir_value *variable = geo_write_op(
        &at_entry, SpvOpVariable,
        geo_ir_type_pointer(writer->module, type, SpvStorageClassFunction), 0, NULL, 1, &storage);
    writer->out_of_memory |= at_entry.out_of_memory;
    return variable;
}

void geo_write_replace(struct geo_ir_inst *old, struct geo_ir_value *value)
{
    if (value) {
        old->value.forward = value;
    }
    geo_ir_inst_remove(old);
}
