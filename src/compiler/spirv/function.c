/* Reads functions: head, parameters, labels, end. `instruction.c` reads the instructions in
 * blocks. */
#include "compiler/spirv/function.h"

#include "compiler/spirv/debug.h"
#include "compiler/spirv/decoration.h"
#include "compiler/spirv/id.h"
#include "compiler/spirv/instruction.h"
#include "compiler/spirv/reference.h"
#include "compiler/spirv/volatile.h"

static bool read_function_head(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 4)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    const struct geo_ir_type *result = spirv_type(reader, operands[0]);
    const struct geo_ir_type *type = result ? spirv_type(reader, operands[3]) : NULL;
    if (!type) {
        return false;
    }
    if (type->kind != GEO_TYPE_FUNCTION || type->element != result) {
        return spirv_error(reader, "its type is not a function type with that result");
    }
    struct geo_ir_function *function = geo_ir_function_create(reader->module, type);
    if (!function) {
        return spirv_out_of_memory(reader);
    }
    function->control = operands[2];
    function->word_offset = (uint32_t)reader->at;
    if (!spirv_define_value(reader, operands[1], &function->value)) {
        return false;
    }
    reader->function = function;
    reader->parameters_read = 0;
    reader->block = NULL;
    reader->fixups = NULL;
    spirv_debug_function(reader, operands[1]);
    return spirv_linkage(reader, reader->ids[operands[1]].decorations, &function->linkage,
                         &function->linkage_name);
}

static bool read_parameter(struct spirv_reader *reader)
{
    struct geo_ir_function *function = reader->function;
    if (!spirv_need(reader, 2)) {
        return false;
    }
    if (function->first_block || reader->parameters_read == function->parameter_count) {
        return spirv_error(reader, "one parameter too many, or in the wrong place");
    }
    struct geo_ir_value *parameter = function->parameters[reader->parameters_read++];
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    if (!type) {
        return false;
    }
    if (type != parameter->type) {
        return spirv_error(reader, "its type differs from the function type's");
    }
    return spirv_define_value(reader, reader->operands[1], parameter);
}

static bool read_label(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 1)) {
        return false;
    }
    if (reader->block) {
        return spirv_error(reader, "the block before has no terminator");
    }
    struct geo_ir_block *block = spirv_block(reader, reader->operands[0]);
    if (!block) {
        return false;
    }
    if (block->function) {
        return spirv_error(reader, "label %u is defined twice", reader->operands[0]);
    }
    struct geo_ir_function *function = reader->function;
    block->function = function;
    block->prev = function->last_block;
    if (function->last_block) {
        function->last_block->next = block;
    } else {
        function->first_block = block;
    }
    function->last_block = block;
    reader->block = block;
    return true;
}

static bool read_function_end(struct spirv_reader *reader)
{
    struct geo_ir_function *function = reader->function;
    if (reader->block) {
        return spirv_error(reader, "the last block has no terminator");
    }
    if (reader->parameters_read != function->parameter_count) {
        return spirv_error(reader, "the function has %u parameters of %u", reader->parameters_read,
                           function->parameter_count);
    }
    if (!function->first_block && function->linkage != GEO_LINKAGE_IMPORT) {
        return spirv_error(reader, "function %u has no body and is not imported",
                           function->value.id);
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            for (uint32_t i = 0; i < inst->target_count; i++) {
                if (inst->targets[i]->function != function) {
                    return spirv_error(reader, "label %u is used but never defined",
                                       inst->targets[i]->id);
                }
            }
        }
    }
    if (!spirv_fixups_resolve(reader, reader->fixups)) {
        return false;
    }
    spirv_volatile_spread(function);
    reader->function = NULL;
    return true;
}

bool spirv_read_function(struct spirv_reader *reader)
{
    if (!reader->function) {
        return read_function_head(reader);
    }
    switch (reader->op) {
    case SpvOpFunction:
        return spirv_error(reader, "is inside of another function");
    case SpvOpFunctionParameter:
        return read_parameter(reader);
    case SpvOpFunctionEnd:
        return read_function_end(reader);
    case SpvOpLabel:
        return read_label(reader);
    default:
        break;
    }
    if (!reader->block) {
        return spirv_error(reader, "is outside of a block");
    }
    return spirv_read_instruction(reader);
}
