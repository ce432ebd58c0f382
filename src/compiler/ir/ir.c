/* Creating and changing modules, functions, blocks and instructions. See ir.h. */
#include "compiler/ir/ir.h"

#include "base/array.h"
#include "base/assert.h"
#include "compiler/ir/debug.h"
#include "compiler/ir/grammar.h"

#include <stdlib.h>
#include <string.h>

struct geo_ir_module *geo_ir_module_create(size_t limit_bytes)
{
    struct geo_ir_module *module = calloc(1, sizeof(*module));
    if (module) {
        geo_arena_init(&module->arena, limit_bytes);
    }
    return module;
}

void geo_ir_module_destroy(struct geo_ir_module *module)
{
    if (!module) {
        return;
    }
    geo_array_finish(&module->types);
    free(module->unique_types.slots);
    geo_array_finish(&module->constants);
    geo_array_finish(&module->variables);
    free(module->scalars.slots);
    free(module->undefs.slots);
    geo_arena_finish(&module->arena);
    geo_ir_debug_destroy(module->debug);
    free(module);
}

/* ---- invariants ---- */

/* Return whether the neighbours in the list refer to this element, and the list's ends too. */
static bool function_is_linked(const struct geo_ir_function *function)
{
    const struct geo_ir_module *module = function->module;
    return (function->prev ? function->prev->next : module->first_function) == function &&
           (function->next ? function->next->prev : module->last_function) == function;
}

static bool block_is_linked(const struct geo_ir_block *block)
{
    const struct geo_ir_function *function = block->function;
    return (block->prev ? block->prev->next : function->first_block) == block &&
           (block->next ? block->next->prev : function->last_block) == block;
}

static bool inst_is_linked(const struct geo_ir_inst *inst)
{
    const struct geo_ir_block *block = inst->block;
    return block && (inst->prev ? inst->prev->next : block->first) == inst &&
           (inst->next ? inst->next->prev : block->last) == inst;
}

/* Returns whether the instruction is in no block, as after its creation or removal. */
static bool inst_is_free(const struct geo_ir_inst *inst)
{
    return !inst->block && !inst->prev && !inst->next;
}

/* ---- variables, functions and blocks ---- */

struct geo_ir_variable *geo_ir_variable_create(struct geo_ir_module *module,
                                               const struct geo_ir_type *type)
{
    GEO_ASSERT(type->kind == GEO_TYPE_POINTER);
    struct geo_ir_variable *variable = geo_arena_new(&module->arena, struct geo_ir_variable);
    if (!variable || !geo_array_reserve(&module->variables, 1)) {
        return NULL;
    }
    variable->value.kind = GEO_VALUE_VARIABLE;
    variable->value.type = type;
    variable->value.index = module->next_index++;
    variable->builtin = -1;
    module->variables.items[module->variables.count++] = variable;
    return variable;
}

struct geo_ir_function *geo_ir_function_create(struct geo_ir_module *module,
                                               const struct geo_ir_type *type)
{
    GEO_ASSERT(type->kind == GEO_TYPE_FUNCTION && type->count <= UINT32_MAX);
    struct geo_ir_function *function = geo_arena_new(&module->arena, struct geo_ir_function);
    if (!function) {
        return NULL;
    }
    function->value.kind = GEO_VALUE_FUNCTION;
    function->value.type = type;
    function->value.index = module->next_index++;
    function->module = module;
    function->parameter_count = (uint32_t)type->count;
    function->parameters = geo_arena_new_array(&module->arena, struct geo_ir_value *, type->count);
    if (!function->parameters) {
        return NULL;
    }
    for (uint64_t i = 0; i < type->count; i++) {
        struct geo_ir_value *parameter = geo_arena_new(&module->arena, struct geo_ir_value);
        if (!parameter) {
            return NULL;
        }
        parameter->kind = GEO_VALUE_PARAMETER;
        parameter->type = type->members[i];
        function->parameters[i] = parameter;
    }
    function->prev = module->last_function;
    if (module->last_function) {
        module->last_function->next = function;
    } else {
        module->first_function = function;
    }
    module->last_function = function;
    GEO_ASSERT(function_is_linked(function));
    return function;
}

void geo_ir_function_remove(struct geo_ir_function *function)
{
    struct geo_ir_module *module = function->module;
    GEO_ASSERT(function_is_linked(function));
    if (function->prev) {
        function->prev->next = function->next;
    } else {
        module->first_function = function->next;
    }
    if (function->next) {
        function->next->prev = function->prev;
    } else {
        module->last_function = function->prev;
    }
    function->prev = function->next = NULL;
}

struct geo_ir_block *geo_ir_block_create(struct geo_ir_function *function,
                                         struct geo_ir_block *after)
{
    GEO_ASSERT(!after || (after->function == function && block_is_linked(after)));
    struct geo_ir_block *block = geo_arena_new(&function->module->arena, struct geo_ir_block);
    if (!block) {
        return NULL;
    }
    block->function = function;
    if (!after) {
        after = function->last_block;
    }
    block->prev = after;
    block->next = after ? after->next : NULL;
    if (block->next) {
        block->next->prev = block;
    } else {
        function->last_block = block;
    }
    if (after) {
        after->next = block;
    } else {
        function->first_block = block;
    }
    GEO_ASSERT(block_is_linked(block));
    return block;
}

void geo_ir_block_remove(struct geo_ir_block *block)
{
    struct geo_ir_function *function = block->function;
    GEO_ASSERT(block_is_linked(block));
    if (block->prev) {
        block->prev->next = block->next;
    } else {
        function->first_block = block->next;
    }
    if (block->next) {
        block->next->prev = block->prev;
    } else {
        function->last_block = block->prev;
    }
    block->prev = block->next = NULL;
    block->removed = true;
}

/* ---- instructions ---- */

struct geo_ir_inst *geo_ir_inst_create(struct geo_ir_module *module, SpvOp op,
                                       const struct geo_ir_type *type, uint32_t operand_count,
                                       uint32_t literal_count, uint32_t target_count)
{
    size_t bytes = sizeof(struct geo_ir_inst) + operand_count * sizeof(struct geo_ir_value *) +
                   target_count * sizeof(struct geo_ir_block *) + literal_count * sizeof(uint32_t);
    struct geo_ir_inst *inst = geo_arena_alloc(&module->arena, bytes);
    if (!inst) {
        return NULL;
    }
    inst->value.kind = GEO_VALUE_INST;
    inst->value.type = type;
    inst->op = op;
    inst->operand_count = operand_count;
    inst->target_count = target_count;
    inst->literal_count = literal_count;
    inst->operands = (struct geo_ir_value **)(inst + 1);
    inst->targets = (struct geo_ir_block **)(inst->operands + operand_count);
    inst->literals = (uint32_t *)(inst->targets + target_count);
    return inst;
}

void geo_ir_inst_append(struct geo_ir_block *block, struct geo_ir_inst *inst)
{
    GEO_ASSERT(inst_is_free(inst));
    inst->block = block;
    inst->prev = block->last;
    inst->next = NULL;
    if (block->last) {
        block->last->next = inst;
    } else {
        block->first = inst;
    }
    block->last = inst;
    if (block->records) {
        inst->records =
            geo_ir_records_join(block->function->module->debug, block->records, inst->records);
        block->records = 0;
    }
}

void geo_ir_inst_insert_before(struct geo_ir_inst *position, struct geo_ir_inst *inst)
{
    GEO_ASSERT(inst_is_free(inst) && inst_is_linked(position));
    inst->block = position->block;
    inst->prev = position->prev;
    inst->next = position;
    if (position->prev) {
        position->prev->next = inst;
    } else {
        position->block->first = inst;
    }
    position->prev = inst;
}

void geo_ir_inst_remove(struct geo_ir_inst *inst)
{
    struct geo_ir_block *block = inst->block;
    GEO_ASSERT(inst_is_linked(inst));
    if (inst->records) {
        uint32_t *to = inst->next ? &inst->next->records : &block->records;
        *to = geo_ir_records_join(block->function->module->debug, inst->records, *to);
        inst->records = 0;
    }
    if (inst->prev) {
        inst->prev->next = inst->next;
    } else {
        block->first = inst->next;
    }
    if (inst->next) {
        inst->next->prev = inst->prev;
    } else {
        block->last = inst->prev;
    }
    inst->prev = inst->next = NULL;
    inst->block = NULL;
}

void geo_ir_function_number(struct geo_ir_function *function)
{
    uint32_t value = 0;
    uint32_t block_index = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        function->parameters[i]->index = value++;
    }
    geo_ir_for_each_block(block, function) {
        block->index = block_index++;
        GEO_ASSERT(block->function == function && block_is_linked(block));
        geo_ir_for_each_inst(inst, block) {
            GEO_ASSERT(inst_is_linked(inst) && inst->block == block);
            inst->value.index = value++;
        }
    }
    function->value_count = value;
    function->block_count = block_index;
}

struct geo_ir_value *geo_ir_value_end(struct geo_ir_value *value)
{
    struct geo_ir_value *end = value;
    while (end->forward) {
        end = end->forward;
        GEO_ASSERT(end != value); /* forwards form no circle */
    }
    while (value->forward && value->forward != end) {
        struct geo_ir_value *next = value->forward;
        value->forward = end;
        value = next;
    }
    return end;
}

void geo_ir_function_resolve(struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                if (inst->operands[i] && inst->operands[i]->forward) {
                    inst->operands[i] = geo_ir_value_end(inst->operands[i]);
                }
            }
            geo_ir_for_each_record(record, inst)
            {
                if (record->value && record->value->forward) {
                    record->value = geo_ir_value_end(record->value);
                }
            }
        }
    }
}

/* ---- effects ---- */

bool geo_ir_is_kernel_twin(const char *linkage_name)
{
    static const char prefix[] = "__clang_ocl_kern_imp_";
    return linkage_name && strncmp(linkage_name, prefix, sizeof(prefix) - 1) == 0;
}

/* An opcode that is not known to be pure counts as having an effect, which is safe. */
bool geo_ir_has_effect(const struct geo_ir_inst *inst)
{
    if (inst->op == SpvOpLoad) {
        return inst->memory_flags & SpvMemoryAccessVolatileMask;
    }
    if (inst->op == SpvOpExtInst) {
        const struct geo_grammar *ext = geo_grammar_find_opencl(inst->literals[1]);
        return !ext || !(ext->traits & GEO_IS_PURE);
    }
    return !geo_op_is(inst->op, GEO_IS_PURE);
}

uint32_t geo_ir_builtin_outside(SpvBuiltIn builtin)
{
    switch (builtin) {
    case SpvBuiltInGlobalSize:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
    case SpvBuiltInNumWorkgroups:
        return 1;
    default:
        return 0;
    }
}
