/* Finds loads from small tables; see table.h. lower/memory/table_load.c and the models of time call
 * it. */
#include "compiler/analysis/table.h"

#include "compiler/analysis/address.h"
#include "compiler/ir/grammar.h"

#define STEPS_LIMIT 8u /* instructions between a table and its variable or argument */

static bool is_zero(const struct geo_ir_value *value)
{
    uint64_t bits;
    return geo_ir_constant_bits(value, &bits) && !bits;
}

/* Returns whether a step from a pointer to the next adds nothing to it. */
static bool is_start(const struct geo_ir_inst *step)
{
    bool zero = true;
    for (uint32_t i = 1; i < step->operand_count; i++) {
        zero = zero && is_zero(step->operands[i]);
    }
    return zero;
}

/* Returns the variable or argument that a pointer comes from; NULL: unknown. Clears *at_start if
 * the pointer may be behind its first byte. */
static struct geo_ir_value *root_of(struct geo_ir_value *pointer, bool *at_start)
{
    for (uint32_t i = 0; i < STEPS_LIMIT && pointer->kind == GEO_VALUE_INST; i++) {
        const struct geo_ir_inst *inst = geo_ir_as_inst(pointer);
        if (!geo_op_is(inst->op, GEO_IS_POINTER_STEP) ||
            inst->operands[0]->type->kind != GEO_TYPE_POINTER) {
            return NULL;
        }
        *at_start = *at_start && is_start(inst);
        pointer = inst->operands[0];
    }
    return pointer->kind == GEO_VALUE_INST ? NULL : pointer;
}

/* Returns whether `count` bytes may be read at a table, and sets out->whole. LLVM takes it for
 * undefined to read beyond a variable at module scope, on whatever page. */
static bool may_be_read(const struct geo_ir_function *function, struct geo_table *out)
{
    bool at_start = true;
    struct geo_ir_value *root = root_of(out->base, &at_start);
    const struct geo_ir_variable *variable = root ? geo_ir_as_variable(root) : NULL;
    if (variable && variable->value.type->storage != SpvStorageClassWorkgroup) {
        out->whole = at_start && variable->value.type->element->size >= out->count;
        return out->whole && (variable->value.type->storage == SpvStorageClassUniformConstant ||
                              variable->value.type->storage == SpvStorageClassCrossWorkgroup);
    }
    bool argument = root && root->kind == GEO_VALUE_PARAMETER && function->entry_name &&
                    root->type->storage != SpvStorageClassFunction;
    out->whole = false;
    return variable || argument;
}

/* Returns whether an instruction loads a byte in each lane. */
static bool is_load(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpLoad && inst->value.type->kind == GEO_TYPE_INT &&
           inst->value.type->width == 8 && !(inst->memory_flags & SpvMemoryAccessVolatileMask);
}

bool geo_table_find(const struct geo_shapes *shapes, const struct geo_ir_function *function,
                    const struct geo_ir_inst *inst, uint32_t limit, struct geo_table *out)
{
    if (!limit || !shapes->ranges || !is_load(inst)) {
        return false;
    }
    const struct geo_ir_inst *step = geo_ir_as_inst(inst->operands[0]);
    /* lowering has the operands only in a block that reads them */
    if (!step || step->block != inst->block || step->operand_count < 2 ||
        !geo_op_is(step->op, GEO_IS_POINTER_STEP) || step->value.flags & GEO_VALUE_INTERLEAVED ||
        geo_shape_of(shapes, &step->value).kind != GEO_SHAPE_VARYING) {
        return false;
    }
    uint32_t last = step->operand_count - 1;
    *out = (struct geo_table){.base = step->operands[0], .index = step->operands[last]};
    for (uint32_t i = 1; i < last; i++) {
        if (!is_zero(step->operands[i])) {
            return false;
        }
    }
    if (out->base->type->kind != GEO_TYPE_POINTER || out->index->type->kind != GEO_TYPE_INT ||
        geo_address_scale(step, last) != 1 ||
        geo_shape_of(shapes, out->base).kind != GEO_SHAPE_UNIFORM) {
        return false;
    }
    struct geo_range range = geo_range_of(shapes->ranges, out->index);
    if (range.low < 0 || range.high >= (int64_t)limit) {
        return false;
    }
    out->count = GEO_TABLE_LEAST;
    while ((int64_t)out->count <= range.high) {
        out->count *= 2;
    }
    return may_be_read(function, out);
}
