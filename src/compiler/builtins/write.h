/* Writing instructions in front of another one: shared by the files of builtins/. */
#ifndef GEO_COMPILER_BUILTINS_WRITE_H
#define GEO_COMPILER_BUILTINS_WRITE_H

#include "compiler/ir/ir.h"

/* Where new instructions go. Once memory ran out, every write gives NULL and accepts NULL operands.
 */
struct geo_writer {
    struct geo_ir_module *module;
    struct geo_ir_inst *before;
    bool out_of_memory;
};

/* An instruction with these operands (up to 6, ended by NULL operands only when memory ran out) and
 * literals. */
struct geo_ir_value *geo_write_op(struct geo_writer *writer, SpvOp op,
                                  const struct geo_ir_type *type, uint32_t operand_count,
                                  struct geo_ir_value *const *operands, uint32_t literal_count,
                                  const uint32_t *literals);
struct geo_ir_value *geo_write_1(struct geo_writer *writer, SpvOp op,
                                 const struct geo_ir_type *type, struct geo_ir_value *a);
struct geo_ir_value *geo_write_2(struct geo_writer *writer, SpvOp op,
                                 const struct geo_ir_type *type, struct geo_ir_value *a,
                                 struct geo_ir_value *b);
struct geo_ir_value *geo_write_3(struct geo_writer *writer, SpvOp op,
                                 const struct geo_ir_type *type, struct geo_ir_value *a,
                                 struct geo_ir_value *b, struct geo_ir_value *c);
struct geo_ir_value *geo_write_ext(struct geo_writer *writer, uint32_t number,
                                   const struct geo_ir_type *type, uint32_t operand_count,
                                   struct geo_ir_value *const *operands);
/* Component c of a vector; a scalar stays. */
struct geo_ir_value *geo_write_extract(struct geo_writer *writer, struct geo_ir_value *value,
                                       uint32_t c);
struct geo_ir_value *geo_write_const(struct geo_writer *writer, uint32_t width, uint64_t bits);
/* A private variable of the function the instruction stands in: in its entry block. */
struct geo_ir_value *geo_write_variable(struct geo_writer *writer, const struct geo_ir_type *type);
/* `old` gives way to `value` everywhere (after geo_ir_function_resolve); NULL for an instruction
 * without result. */
void geo_write_replace(struct geo_ir_inst *old, struct geo_ir_value *value);

#endif
