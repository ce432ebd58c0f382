/* Replaces loads and stores of two-dimensional blocks by calls of block2d.cl's functions, one for
 * each element size. See block2d.h. */
#include "compiler/builtins/block2d.h"

#include "compiler/ir/grammar.h"

#include <stdio.h>

/* The operands that all these instructions have. The others follow: private memory (stores only),
 * global memory, its width, height and pitch, the coordinates, and private memory (loads only). */
enum {
    BLOCK_ELEMENT,
    BLOCK_WIDTH,
    BLOCK_HEIGHT,
    BLOCK_COUNT,
    BLOCK_REST,
    BLOCK_OPERANDS = 10,
};

#define MAX_EXTENT   256u
#define MAX_ELEMENTS 4096u /* of all blocks together */

/* Returns the middle part of the function's name, or NULL for other instructions. */
static const char *name_of(uint32_t op)
{
    switch (op) {
    case GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_INTEL:
        return "load";
    case GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_TRANSFORM_INTEL:
        return "transform";
    case GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_TRANSPOSE_INTEL:
        return "transpose";
    case GEO_SPV_SUBGROUP_2D_BLOCK_STORE_INTEL:
        return "store";
    default:
        return NULL;
    }
}

/* Reads the constant operands. Returns false if they are out of bounds. */
static bool extents_read(const struct geo_ir_inst *inst, uint64_t *values)
{
    for (uint32_t i = BLOCK_ELEMENT; i < BLOCK_REST; i++) {
        if (!geo_ir_constant_bits(inst->operands[i], &values[i]) || values[i] == 0 ||
            values[i] > MAX_EXTENT) {
            return false;
        }
    }
    uint64_t bytes = values[BLOCK_ELEMENT];
    bool packs = (uint32_t)inst->op == GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_TRANSFORM_INTEL;
    return (bytes & (bytes - 1)) == 0 && bytes <= (packs ? 2 : 8) &&
           values[BLOCK_WIDTH] * values[BLOCK_HEIGHT] * values[BLOCK_COUNT] <= MAX_ELEMENTS;
}

static struct geo_ir_value *as_pointer(struct geo_writer *writer, struct geo_ir_value *pointer,
                                       const struct geo_ir_type *type)
{
    return pointer->type == type ? pointer : geo_write_1(writer, SpvOpBitcast, type, pointer);
}

static struct geo_ir_value *as_long(struct geo_writer *writer, struct geo_ir_value *value)
{
    const struct geo_ir_type *type = geo_ir_type_int(writer->module, 64);
    return value && value->type != type ? geo_write_1(writer, SpvOpSConvert, type, value) : value;
}

static struct geo_ir_value *item_fact(struct geo_writer *writer, SpvBuiltIn builtin)
{
    const uint32_t literals[] = {builtin, 0};
    return geo_write_op(writer, (SpvOp)GEO_OP_BUILTIN, geo_ir_type_int(writer->module, 32), 0, NULL,
                        2, literals);
}

static bool block_write(struct geo_builtins_functions *functions, struct geo_writer *writer,
                        const struct geo_ir_inst *inst, const char *what, const uint64_t *extents)
{
    char name[48];
    bool stores = (uint32_t)inst->op == GEO_SPV_SUBGROUP_2D_BLOCK_STORE_INTEL;
    uint32_t region = BLOCK_REST + (stores ? 1 : 0);
    struct geo_ir_value *items = inst->operands[stores ? BLOCK_REST : BLOCK_OPERANDS - 1];
    snprintf(name, sizeof(name), "geo_block2d_%s%u", what, 8 * (unsigned)extents[BLOCK_ELEMENT]);
    struct geo_ir_function *function =
        geo_builtins_function(functions, name, &writer->out_of_memory);
    if (!function) {
        return false;
    }
    struct geo_ir_value *place = inst->operands[region + 4];
    struct geo_ir_value *operands[] = {
        &function->value,
        geo_write_const(writer, 32, extents[BLOCK_WIDTH]),
        geo_write_const(writer, 32, extents[BLOCK_HEIGHT]),
        geo_write_const(writer, 32, extents[BLOCK_COUNT]),
        as_pointer(writer, inst->operands[region], function->parameters[3]->type),
        as_long(writer, inst->operands[region + 1]),
        as_long(writer, inst->operands[region + 2]),
        as_long(writer, inst->operands[region + 3]),
        as_long(writer, geo_write_extract(writer, place, 0)),
        as_long(writer, geo_write_extract(writer, place, 1)),
        as_pointer(writer, items, function->parameters[9]->type),
        item_fact(writer, SpvBuiltInSubgroupLocalInvocationId),
        item_fact(writer, SpvBuiltInSubgroupMaxSize),
    };
    return geo_write_op(writer, SpvOpFunctionCall, geo_ir_type_void(writer->module),
                        sizeof(operands) / sizeof(operands[0]), operands, 0, NULL) != NULL;
}

bool geo_builtins_block2d(struct geo_builtins_functions *functions, struct geo_writer *writer,
                          struct geo_ir_inst *inst)
{
    uint64_t extents[BLOCK_REST];
    const char *what = name_of((uint32_t)inst->op);
    if (!what || inst->operand_count != BLOCK_OPERANDS || !extents_read(inst, extents) ||
        !block_write(functions, writer, inst, what, extents) || writer->out_of_memory) {
        return false;
    }
    geo_write_replace(inst, NULL);
    return true;
}
