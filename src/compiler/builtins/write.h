/* Writes instructions before another one. The files of builtins/ use it. */
#ifndef GEO_COMPILER_BUILTINS_WRITE_H
#define GEO_COMPILER_BUILTINS_WRITE_H

#include "compiler/ir/ir.h"

/* The position of new instructions. After memory ran out, every write returns NULL, and NULL
 * operands are allowed. */
struct geo_writer {
    struct geo_ir_module *module;
    struct geo_ir_inst *before;
    bool out_of_memory;
};

/* Write an instruction with these operands and literals, and return its value, or NULL when memory
 * runs out. */
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
/* Returns component c of a vector, or a scalar itself. */
struct geo_ir_value *geo_write_extract(struct geo_writer *writer, struct geo_ir_value *value,
                                       uint32_t c);
/* Returns an integer constant. */
struct geo_ir_value *geo_write_const(struct geo_writer *writer, uint32_t width, uint64_t bits);
/* Creates a private variable in the entry block of the current function. */
struct geo_ir_value *geo_write_variable(struct geo_writer *writer, const struct geo_ir_type *type);
/* Replaces `old` by `value` and removes it. Uses are updated by geo_ir_function_resolve. `value` is
 * NULL for an instruction without result. */
void geo_write_replace(struct geo_ir_inst *old, struct geo_ir_value *value);

#endif
