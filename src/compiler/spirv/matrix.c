/* Reads types of cooperative matrices, and computes how many elements an item holds. That number
 * depends on the sub-group size (see ir.h for the layout), so the reader has to choose the size.
 *
 * It is the sub-group size that the module's kernels require, or 16 if they require none.
 * `module->matrix_items` has it, and lower/cpu/function/width.c uses it. */
#include "compiler/spirv/matrix.h"

#include "compiler/spirv/id.h"

#define MATRIX_ITEMS 16u
/* bound on the elements: shapes of processors and of the extensions are smaller */
#define MATRIX_ELEMENTS 2048u

/* Operands of OpTypeCooperativeMatrixKHR. */
enum {
    MATRIX_RESULT,
    MATRIX_COMPONENT,
    MATRIX_SCOPE,
    MATRIX_ROWS,
    MATRIX_COLUMNS,
    MATRIX_USE,
    MATRIX_OPERANDS,
};

static bool items_choose(struct spirv_reader *reader)
{
    uint32_t items = reader->subgroup_size ? reader->subgroup_size : MATRIX_ITEMS;
    if (reader->subgroup_sizes_differ) {
        return spirv_error(reader, "kernels of one module that has matrices require different "
                                   "sizes of sub-groups");
    }
    if (items != 8 && items != 16 && items != 32) {
        return spirv_error(reader, "matrices in sub-groups of %u items are not supported", items);
    }
    reader->module->matrix_items = items;
    return true;
}

const struct geo_ir_type *spirv_matrix_type(struct spirv_reader *reader)
{
    uint64_t numbers[MATRIX_OPERANDS];
    if (!spirv_need(reader, MATRIX_OPERANDS) || !items_choose(reader)) {
        return NULL;
    }
    const struct geo_ir_type *component = spirv_type(reader, reader->operands[MATRIX_COMPONENT]);
    if (!component) {
        return NULL;
    }
    if (component->kind != GEO_TYPE_INT && component->kind != GEO_TYPE_FLOAT) {
        spirv_error(reader, "its components are neither integers nor floats");
        return NULL;
    }
    for (uint32_t i = MATRIX_SCOPE; i < MATRIX_OPERANDS; i++) {
        const struct geo_ir_value *value = spirv_constant(reader, reader->operands[i]);
        if (!value) {
            return NULL;
        }
        if (value->type->kind != GEO_TYPE_INT || !geo_ir_constant_bits(value, &numbers[i])) {
            spirv_error(reader, "id %u is not a number", reader->operands[i]);
            return NULL;
        }
    }
    uint64_t rows = numbers[MATRIX_ROWS], columns = numbers[MATRIX_COLUMNS];
    if (numbers[MATRIX_SCOPE] != SpvScopeSubgroup) {
        spirv_error(reader, "matrices at another scope than a sub-group are not supported");
        return NULL;
    }
    if (numbers[MATRIX_USE] >= GEO_MATRIX_USES) {
        spirv_error(reader, "its use is unknown");
        return NULL;
    }
    if (rows == 0 || columns == 0 || rows > MATRIX_ELEMENTS || columns > MATRIX_ELEMENTS ||
        rows * columns > MATRIX_ELEMENTS) {
        spirv_error(reader, "a matrix of %llu x %llu is not supported: it has 1 to %u elements",
                    (unsigned long long)rows, (unsigned long long)columns, MATRIX_ELEMENTS);
        return NULL;
    }
    uint32_t items = reader->module->matrix_items;
    const struct geo_ir_matrix matrix = {.rows = (uint16_t)rows,
                                         .columns = (uint16_t)columns,
                                         .use = (uint8_t)numbers[MATRIX_USE],
                                         .items = (uint8_t)items};
    const struct geo_ir_type *type =
        geo_ir_type_matrix(reader->module, component, (rows * columns + items - 1) / items, matrix);
    if (!type) {
        spirv_out_of_memory(reader);
    }
    return type;
}

/* Returns the type whose length is queried; NULL with an error if the id is neither type nor value.
 * The specification demands a type id and a 32-bit result. DPC++ 2026 writes the id of a matrix and
 * a 64-bit result. */
static const struct geo_ir_type *measured_type(struct spirv_reader *reader, uint32_t id)
{
    const struct spirv_id *entry = spirv_id(reader, id);
    return !entry ? NULL : entry->kind == ID_VALUE ? entry->value->type : spirv_type(reader, id);
}

struct geo_ir_value *spirv_matrix_length(struct spirv_reader *reader,
                                         const struct geo_ir_type *type, uint32_t id)
{
    const struct geo_ir_type *matrix = measured_type(reader, id);
    if (!matrix) {
        return NULL;
    }
    if (type->kind != GEO_TYPE_INT || type->width < 32 || !geo_ir_is_matrix(matrix)) {
        spirv_error(reader, "needs a matrix, and a result of 32 or 64 bits");
        return NULL;
    }
    struct geo_ir_constant *length = geo_ir_const_scalar(reader->module, type, matrix->count);
    if (!length) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    return &length->value;
}

bool spirv_read_matrix_length(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    struct geo_ir_value *length =
        type ? spirv_matrix_length(reader, type, reader->operands[2]) : NULL;
    return length && spirv_define_value(reader, reader->operands[1], length);
}
