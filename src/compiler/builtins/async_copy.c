/* Replaces asynchronous copies. Each item copies its share at the instruction, by a function of
 * copy.cl. The event has no content. Waiting for it is a barrier, behind which all items have
 * copied. See async_copy.h. */
#include "compiler/builtins/async_copy.h"

#include <stdio.h>

/* The operands of OpGroupAsyncCopy. */
enum {
    COPY_SCOPE,
    COPY_TO,
    COPY_FROM,
    COPY_COUNT,
    COPY_STRIDE,
    COPY_EVENT,
    COPY_OPERANDS,
};

static const struct geo_ir_type *element_of(const struct geo_ir_value *pointer)
{
    return pointer->type->kind == GEO_TYPE_POINTER ? pointer->type->element : NULL;
}

static bool copy_ok(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if (inst->operand_count != COPY_OPERANDS ||
        !geo_ir_constant_bits(inst->operands[COPY_SCOPE], &scope) || scope != SpvScopeWorkgroup) {
        return false;
    }
    const struct geo_ir_type *element = element_of(inst->operands[COPY_TO]);
    return element && element == element_of(inst->operands[COPY_FROM]) && element->size > 0 &&
           inst->operands[COPY_COUNT]->type->kind == GEO_TYPE_INT &&
           inst->operands[COPY_STRIDE]->type->kind == GEO_TYPE_INT;
}

static struct geo_ir_value *as_ulong(struct geo_writer *writer, struct geo_ir_value *value)
{
    const struct geo_ir_type *type = geo_ir_type_int(writer->module, 64);
    return value && value->type != type ? geo_write_1(writer, SpvOpUConvert, type, value) : value;
}

/* Converts a pointer to one to units of `width` bits in generic memory. */
static struct geo_ir_value *as_units(struct geo_writer *writer, struct geo_ir_value *pointer,
                                     uint32_t width)
{
    const struct geo_ir_type *unit = geo_ir_type_int(writer->module, width);
    uint32_t storage = pointer->type->storage;
    pointer = geo_write_1(writer, SpvOpBitcast, geo_ir_type_pointer(writer->module, unit, storage),
                          pointer);
    return storage == SpvStorageClassGeneric
               ? pointer
               : geo_write_1(writer, SpvOpPtrCastToGeneric,
                             geo_ir_type_pointer(writer->module, unit, SpvStorageClassGeneric),
                             pointer);
}

/* Writes a GEO_OP_BUILTIN: one component of an id or size. */
static struct geo_ir_value *item_fact(struct geo_writer *writer, SpvBuiltIn builtin,
                                      uint32_t component)
{
    const uint32_t literals[] = {builtin, component};
    return geo_write_op(writer, (SpvOp)GEO_OP_BUILTIN, geo_ir_type_int(writer->module, 64), 0, NULL,
                        2, literals);
}

static struct geo_ir_value *group_items(struct geo_writer *writer)
{
    const struct geo_ir_type *type = geo_ir_type_int(writer->module, 64);
    struct geo_ir_value *items = item_fact(writer, SpvBuiltInWorkgroupSize, 0);
    for (uint32_t d = 1; d < 3; d++) {
        items = geo_write_2(writer, SpvOpIMul, type, items,
                            item_fact(writer, SpvBuiltInWorkgroupSize, d));
    }
    return items;
}

static bool copy_write(struct geo_builtins_functions *functions, struct geo_writer *writer,
                       const struct geo_ir_inst *inst)
{
    uint64_t size = element_of(inst->operands[COPY_TO])->size;
    uint32_t bytes = size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
    char letter = bytes == 4 ? 'j' : bytes == 2 ? 't' : 'h';
    char name[64];
    snprintf(name, sizeof(name), "_Z14geo_group_copyPU3AS4%cPU3AS4K%cmmmmmm", letter, letter);
    struct geo_ir_function *function =
        geo_builtins_function(functions, name, &writer->out_of_memory);
    struct geo_ir_value *units = geo_write_const(writer, 64, size / bytes);
    struct geo_ir_value *stride =
        geo_write_2(writer, SpvOpIMul, geo_ir_type_int(writer->module, 64),
                    as_ulong(writer, inst->operands[COPY_STRIDE]), units);
    /* the stride applies to global memory */
    bool to_global = inst->operands[COPY_TO]->type->storage == SpvStorageClassCrossWorkgroup;
    struct geo_ir_value *operands[] = {
        function ? &function->value : NULL,
        as_units(writer, inst->operands[COPY_TO], 8 * bytes),
        as_units(writer, inst->operands[COPY_FROM], 8 * bytes),
        as_ulong(writer, inst->operands[COPY_COUNT]),
        units,
        to_global ? stride : units,
        to_global ? units : stride,
        item_fact(writer, SpvBuiltInLocalInvocationIndex, 0),
        group_items(writer),
    };
    return geo_write_op(writer, SpvOpFunctionCall, geo_ir_type_void(writer->module),
                        sizeof(operands) / sizeof(operands[0]), operands, 0, NULL) != NULL;
}

static bool copy_replace(struct geo_builtins_functions *functions, struct geo_writer *writer,
                         struct geo_ir_inst *inst)
{
    struct geo_ir_value *event = geo_ir_const_null(writer->module, inst->value.type);
    writer->out_of_memory |= event == NULL;
    if (!copy_write(functions, writer, inst) || writer->out_of_memory) {
        return false;
    }
    geo_write_replace(inst, event);
    return true;
}

static bool wait_replace(struct geo_writer *writer, struct geo_ir_inst *inst)
{
    struct geo_ir_value *scope = geo_write_const(writer, 32, SpvScopeWorkgroup);
    struct geo_ir_value *semantics = geo_write_const(
        writer, 32,
        SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask |
            SpvMemorySemanticsCrossWorkgroupMemoryMask);
    if (!geo_write_3(writer, SpvOpControlBarrier, geo_ir_type_void(writer->module), scope, scope,
                     semantics)) {
        return false;
    }
    geo_write_replace(inst, NULL);
    return true;
}

bool geo_builtins_async_copy(struct geo_builtins_functions *functions, struct geo_writer *writer,
                             struct geo_ir_inst *inst)
{
    if (inst->op == SpvOpGroupWaitEvents) {
        return wait_replace(writer, inst);
    }
    return inst->op == SpvOpGroupAsyncCopy && copy_ok(inst) &&
           copy_replace(functions, writer, inst);
}
