/* Copies functions between modules. See copy.h.
 *
 * Types and values are copied on demand. Types nest without a limit, through pointers, so they are
 * copied with an explicit stack. Constants are copied by recursion: the reader bounds their
 * nesting. Initialisers of variables and bodies of functions wait in work lists, since chains of
 * them may be long. */
#include "compiler/link/copy.h"

#include "base/array.h"
#include "base/ptrmap.h"
#include "compiler/ir/debug.h"
#include "compiler/link/symbol.h"

#include <stdlib.h>
#include <string.h>

/* The state of copying from one module. Maps and stacks are on the heap, copies in the target's
 * arena. */
struct geo_copier {
    struct geo_ir_module *target;
    bool keep_linkage;     /* merging whole modules: linkage and kernels are copied too */
    uint32_t unit;         /* the unit copied from (units.h); 0: none */
    struct geo_ptrmap map; /* maps each old type, value or block to its copy */
    struct {
        const struct geo_ir_type **items; /* stack of old types that are not copied yet */
        size_t count, capacity;
    } types;
    uint32_t location_from, location_to; /* the newest pair of locations */
    struct geo_ptrmap waiting;           /* types on the stack that wait for a part of theirs */
    struct {
        /* old variables whose initialisers are to be copied */
        const struct geo_ir_variable **items;
        size_t count, capacity;
    } initializers;
    struct {
        struct geo_ir_function **items; /* old functions whose bodies are to be copied */
        size_t count, capacity;
    } pending;
};

static void *remember(struct geo_copier *copier, const void *old, const void *made)
{
    return made && geo_ptrmap_set(&copier->map, old, (void *)made) ? (void *)made : NULL;
}

/* ---- types ---- */

static const struct geo_ir_type *type_known(const struct geo_copier *copier,
                                            const struct geo_ir_type *type)
{
    return geo_ptrmap_find(&copier->map, type);
}

/* Completes a struct whose member types are copied. Returns the struct with the same members that
 * the target already has, if any, so that the types of merged modules agree. */
static const struct geo_ir_type *
struct_finish(struct geo_copier *copier, const struct geo_ir_type *type, struct geo_ir_type *made)
{
    for (uint64_t i = 0; i < type->count; i++) {
        made->members[i] = type_known(copier, type->members[i]);
    }
    made->packed = type->packed;
    made->width = type->width;
    made->name = geo_arena_string(&copier->target->arena, type->name, strlen(type->name));
    if (!made->name || !geo_ir_struct_layout(made)) {
        return NULL;
    }
    const struct geo_ir_type *same = geo_ir_struct_find(copier->target, made);
    if (same) {
        return remember(copier, type, same);
    }
    return geo_ir_struct_add(copier->target, made) ? made : NULL;
}

static const struct geo_ir_type *function_type_make(struct geo_copier *copier,
                                                    const struct geo_ir_type *type)
{
    const struct geo_ir_type **parameters =
        geo_arena_new_array(&copier->target->arena, const struct geo_ir_type *, type->count);
    if (!parameters) {
        return NULL;
    }
    for (uint64_t i = 0; i < type->count; i++) {
        parameters[i] = type_known(copier, type->members[i]);
    }
    return geo_ir_type_function(copier->target, type_known(copier, type->element), type->count,
                                parameters);
}

/* Makes the copy of a type whose parts are copied. */
static const struct geo_ir_type *type_make(struct geo_copier *copier,
                                           const struct geo_ir_type *type)
{
    struct geo_ir_module *target = copier->target;
    const struct geo_ir_type *element = type->element ? type_known(copier, type->element) : NULL;
    switch (type->kind) {
    case GEO_TYPE_VOID:
        return geo_ir_type_void(target);
    case GEO_TYPE_BOOL:
        return geo_ir_type_bool(target);
    case GEO_TYPE_INT:
        return geo_ir_is_bfloat(type) ? geo_ir_type_bfloat(target)
                                      : geo_ir_type_int_of_bits(target, geo_ir_int_bits(type));
    case GEO_TYPE_FLOAT:
        return geo_ir_type_float(target, type->width);
    case GEO_TYPE_VECTOR:
        return geo_ir_type_vector(target, element, type->count);
    case GEO_TYPE_ARRAY:
        if (geo_ir_is_matrix(type) && !target->matrix_items) {
            target->matrix_items = type->matrix.items;
        }
        return geo_ir_type_matrix(target, element, type->count, type->matrix);
    case GEO_TYPE_POINTER:
        return geo_ir_type_pointer(target, element, type->storage);
    case GEO_TYPE_FUNCTION:
        return function_type_make(copier, type);
    case GEO_TYPE_OPAQUE:
        return type->opaque == SpvOpTypeImage ? geo_ir_type_image(target, type->image)
                                              : geo_ir_type_opaque(target, type->opaque, element);
    case GEO_TYPE_STRUCT:
        break;
    }
    return NULL;
}

/* Pushes a type, whose copy follows when its parts are copied. A struct's copy is created at once,
 * without members, since the struct may contain pointers to itself. */
static bool type_push(struct geo_copier *copier, const struct geo_ir_type *type)
{
    if (type->kind == GEO_TYPE_STRUCT &&
        !remember(copier, type, geo_ir_type_struct(copier->target, type->count))) {
        return false;
    }
    if (!geo_array_reserve(&copier->types, 1)) {
        return false;
    }
    copier->types.items[copier->types.count++] = type;
    return true;
}

/* Pushes the parts of a type that are not copied yet. *pushed: whether there were any. */
static bool type_push_parts(struct geo_copier *copier, const struct geo_ir_type *type, bool *pushed)
{
    size_t before = copier->types.count;
    bool good =
        !type->element || type_known(copier, type->element) || type_push(copier, type->element);
    bool members = type->kind == GEO_TYPE_STRUCT || type->kind == GEO_TYPE_FUNCTION;
    for (uint64_t i = 0; good && members && i < type->count; i++) {
        good = type_known(copier, type->members[i]) || type_push(copier, type->members[i]);
    }
    *pushed = copier->types.count != before;
    if (*pushed && type->kind != GEO_TYPE_STRUCT) {
        /* A second wait means that the type contains itself without a struct in between: it would
           never end. */
        good = good && !geo_ptrmap_find(&copier->waiting, type) &&
               geo_ptrmap_set(&copier->waiting, type, copier);
    }
    return good;
}

static bool type_finish(struct geo_copier *copier, const struct geo_ir_type *type)
{
    const struct geo_ir_type *known = type_known(copier, type);
    if (type->kind == GEO_TYPE_STRUCT) {
        return struct_finish(copier, type, (struct geo_ir_type *)known) != NULL;
    }
    return known || remember(copier, type, type_make(copier, type));
}

static const struct geo_ir_type *type_copy(struct geo_copier *copier,
                                           const struct geo_ir_type *type)
{
    const struct geo_ir_type *made = type_known(copier, type);
    if (made) {
        return made;
    }
    bool good = type_push(copier, type);
    while (good && copier->types.count) {
        const struct geo_ir_type *top = copier->types.items[copier->types.count - 1];
        bool pushed;
        good = type_push_parts(copier, top, &pushed);
        if (good && !pushed) {
            copier->types.count--;
            good = type_finish(copier, top);
        }
    }
    copier->types.count = 0;
    return good ? type_known(copier, type) : NULL;
}

/* ---- values ---- */

static struct geo_ir_value *value_copy(struct geo_copier *copier, struct geo_ir_value *value);

static struct geo_ir_value *constant_copy(struct geo_copier *copier,
                                          const struct geo_ir_constant *constant)
{
    const struct geo_ir_type *type = type_copy(copier, constant->value.type);
    uint64_t bits;
    if (type && !constant->is_null && geo_ir_constant_bits(&constant->value, &bits)) {
        struct geo_ir_constant *scalar = geo_ir_const_scalar(copier->target, type, bits);
        return scalar ? &scalar->value : NULL;
    }
    struct geo_ir_constant *made = type ? geo_ir_const_blank(copier->target, type) : NULL;
    uint64_t count = constant->members ? constant->value.type->count : 0;
    if (!made) {
        return NULL;
    }
    made->is_null = constant->is_null;
    made->op = constant->op;
    made->operand_count = constant->operand_count;
    made->operands =
        geo_arena_new_array(&copier->target->arena, struct geo_ir_value *, constant->operand_count);
    made->literal_count = constant->literal_count;
    made->literals = geo_arena_copy(&copier->target->arena, constant->literals,
                                    constant->literal_count * sizeof(uint32_t));
    if (count) {
        made->members = geo_arena_new_array(&copier->target->arena, struct geo_ir_value *, count);
    }
    if (!made->operands || !made->literals || (count && !made->members)) {
        return NULL;
    }
    for (uint64_t i = 0; i < count; i++) {
        made->members[i] = value_copy(copier, constant->members[i]);
        if (!made->members[i]) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < constant->operand_count; i++) {
        made->operands[i] = value_copy(copier, constant->operands[i]);
        if (!made->operands[i]) {
            return NULL;
        }
    }
    return &made->value;
}

static const char *string_copy(struct geo_copier *copier, const char *text)
{
    return text ? geo_arena_string(&copier->target->arena, text, strlen(text)) : NULL;
}

static bool linkage_copy(struct geo_copier *copier, const struct geo_ir_variable *variable,
                         struct geo_ir_variable *made)
{
    if (copier->unit && geo_symbol_stays(variable)) {
        made->linkage = GEO_LINKAGE_EXTERNAL;
        made->unit = copier->unit;
        made->linkage_name = geo_symbol_shared(copier->target, variable);
        return made->linkage_name != NULL;
    }
    if (copier->keep_linkage || variable->linkage == GEO_LINKAGE_IMPORT) {
        made->linkage = variable->linkage;
        made->unit = copier->unit;
        made->linkage_name = string_copy(copier, variable->linkage_name);
    }
    return true;
}

static struct geo_ir_value *variable_copy(struct geo_copier *copier,
                                          const struct geo_ir_variable *variable)
{
    struct geo_ir_module *target = copier->target;
    const struct geo_ir_type *type = type_copy(copier, variable->value.type);
    struct geo_ir_variable *made = type ? geo_ir_variable_create(target, type) : NULL;
    if (!made) {
        return NULL;
    }
    made->value.align = variable->value.align;
    made->debug = copier->keep_linkage ? variable->debug : NULL; /* geo_copy_module shares it */
    made->is_constant = variable->is_constant;
    made->builtin = variable->builtin;
    made->host_name = copier->keep_linkage ? string_copy(copier, variable->host_name) : NULL;
    if (!linkage_copy(copier, variable, made) || !remember(copier, variable, made) ||
        !geo_array_reserve(&copier->initializers, 1)) {
        return NULL;
    }
    if (variable->initializer && made->linkage != GEO_LINKAGE_EXTERNAL) {
        copier->initializers.items[copier->initializers.count++] = variable;
    }
    return &made->value;
}

static void kernel_copy(struct geo_copier *copier, const struct geo_ir_function *function,
                        struct geo_ir_function *made)
{
    made->is_kernel = function->is_kernel;
    made->entry_name = string_copy(copier, function->entry_name);
    made->vector_type_hint = string_copy(copier, function->vector_type_hint);
    made->required_subgroup_size = function->required_subgroup_size;
    memcpy(made->required_size, function->required_size, sizeof(made->required_size));
    memcpy(made->size_hint, function->size_hint, sizeof(made->size_hint));
    memcpy(made->max_size, function->max_size, sizeof(made->max_size));
}

/* Copies the head of a function, and queues its body. */
static struct geo_ir_value *function_declare(struct geo_copier *copier,
                                             struct geo_ir_function *function)
{
    const struct geo_ir_type *type = type_copy(copier, function->value.type);
    struct geo_ir_function *made = type ? geo_ir_function_create(copier->target, type) : NULL;
    if (!made || !remember(copier, function, made) || !geo_array_reserve(&copier->pending, 1)) {
        return NULL;
    }
    if (!geo_ir_debug_share(copier->target, function->module)) {
        return NULL;
    }
    made->scope = function->scope;
    made->control = function->control;
    made->float_modes = function->float_modes;
    made->value.name =
        string_copy(copier, function->linkage_name ? function->linkage_name : function->value.name);
    if (copier->keep_linkage) {
        made->linkage = function->linkage;
        made->linkage_name = string_copy(copier, function->linkage_name);
        kernel_copy(copier, function, made);
    }
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        made->parameters[i]->flags = function->parameters[i]->flags;
        made->parameters[i]->align = function->parameters[i]->align;
        made->parameters[i]->name = string_copy(copier, function->parameters[i]->name);
        if (!remember(copier, function->parameters[i], made->parameters[i])) {
            return NULL;
        }
    }
    if (function->first_block) {
        copier->pending.items[copier->pending.count++] = function;
    } else {
        made->linkage = GEO_LINKAGE_IMPORT;
        made->unit = copier->unit;
        made->linkage_name = made->value.name;
    }
    return &made->value;
}

static struct geo_ir_value *value_copy(struct geo_copier *copier, struct geo_ir_value *value)
{
    struct geo_ir_value *made = geo_ptrmap_find(&copier->map, value);
    if (made) {
        return made;
    }
    switch (value->kind) {
    case GEO_VALUE_CONSTANT:
        return remember(copier, value,
                        constant_copy(copier, (const struct geo_ir_constant *)value));
    case GEO_VALUE_UNDEF: {
        const struct geo_ir_type *type = type_copy(copier, value->type);
        return remember(copier, value, type ? geo_ir_const_undef(copier->target, type) : NULL);
    }
    case GEO_VALUE_VARIABLE:
        return variable_copy(copier, (const struct geo_ir_variable *)value);
    case GEO_VALUE_FUNCTION:
        return function_declare(copier, (struct geo_ir_function *)value);
    case GEO_VALUE_PARAMETER:
    case GEO_VALUE_INST:
        break; /* copied when their function was declared */
    }
    return NULL;
}

/* ---- debug information ---- */

/* Returns the number in the target of a location of another module. */
static uint32_t location_copy(struct geo_copier *copier, const struct geo_ir_module *source,
                              uint32_t number)
{
    if (!number || number == copier->location_from) {
        return number ? copier->location_to : 0;
    }
    uint32_t chain[GEO_LIMIT_INLINED_DEPTH + 1], count = 0, copy = 0;
    for (uint32_t at = number; at && count <= GEO_LIMIT_INLINED_DEPTH;
         at = geo_ir_location(source, at)->inlined_at) {
        chain[count++] = at;
    }
    while (count > 0) {
        struct geo_ir_location location = *geo_ir_location(source, chain[--count]);
        location.inlined_at = copy;
        copy = geo_ir_location_number(copier->target, &location);
        if (!copy) {
            return 0;
        }
    }
    copier->location_from = number;
    copier->location_to = copy;
    return copy;
}

/* Returns the copy of a record's value, if there is one. Records must not make anything else be
 * copied. Scalars are the exception: a copy of theirs is in no table. */
static struct geo_ir_value *record_value(struct geo_copier *copier, struct geo_ir_value *value)
{
    uint64_t bits;
    struct geo_ir_value *made = geo_ptrmap_find(&copier->map, value);
    const struct geo_ir_type *type = type_known(copier, value->type);
    if (made || !type || value->kind != GEO_VALUE_CONSTANT || !geo_ir_constant_bits(value, &bits)) {
        return made;
    }
    struct geo_ir_constant *constant =
        geo_arena_new(&copier->target->arena, struct geo_ir_constant);
    if (!constant) {
        return NULL;
    }
    constant->value.kind = GEO_VALUE_CONSTANT;
    constant->value.type = type;
    constant->bits = bits;
    return &constant->value;
}

static void records_copy(struct geo_copier *copier, const struct geo_ir_inst *inst,
                         struct geo_ir_inst *made)
{
    const struct geo_ir_module *source = inst->block->function->module;
    geo_ir_for_each_record(record, inst)
    {
        struct geo_ir_record copy = *record;
        copy.location = location_copy(copier, source, record->location);
        copy.value = record->value ? record_value(copier, record->value) : NULL;
        if (!copy.value) {
            geo_ir_record_lose(&copy);
        }
        geo_ir_record_add(made, &copy);
    }
}

/* ---- bodies ---- */

static struct geo_ir_inst *inst_declare(struct geo_copier *copier, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = type_copy(copier, inst->value.type);
    struct geo_ir_inst *made =
        type ? geo_ir_inst_create(copier->target, inst->op, type, inst->operand_count,
                                  inst->literal_count, inst->target_count)
             : NULL;
    if (!made || !remember(copier, inst, made)) {
        return NULL;
    }
    made->value.flags = inst->value.flags;
    made->value.align = inst->value.align;
    made->memory_align = inst->memory_align;
    made->memory_flags = inst->memory_flags;
    made->source_align = inst->source_align;
    made->word_offset = inst->word_offset;
    if (inst->location) {
        made->location = location_copy(copier, inst->block->function->module, inst->location);
    }
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        made->literals[i] = inst->literals[i];
    }
    return made;
}

/* Copies a value, and the initialisers of all variables that it refers to. */
static struct geo_ir_value *value_get(struct geo_copier *copier, struct geo_ir_value *value)
{
    struct geo_ir_value *made = value_copy(copier, value);
    while (made && copier->initializers.count) {
        const struct geo_ir_variable *variable =
            copier->initializers.items[--copier->initializers.count];
        struct geo_ir_variable *copy = geo_ptrmap_find(&copier->map, variable);
        copy->initializer = value_copy(copier, variable->initializer);
        made = copy->initializer ? made : NULL;
    }
    return made;
}

static bool inst_connect(struct geo_copier *copier, const struct geo_ir_inst *inst)
{
    struct geo_ir_inst *made = geo_ptrmap_find(&copier->map, inst);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        made->operands[i] = value_get(copier, inst->operands[i]);
        if (!made->operands[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < inst->target_count; i++) {
        made->targets[i] = geo_ptrmap_find(&copier->map, inst->targets[i]);
    }
    return true;
}

static bool body_copy(struct geo_copier *copier, const struct geo_ir_function *function)
{
    struct geo_ir_function *made = geo_ptrmap_find(&copier->map, function);
    geo_ir_for_each_block(block, function) {
        struct geo_ir_block *copy = geo_ir_block_create(made, NULL);
        if (!copy || !remember(copier, block, copy)) {
            return false;
        }
        copy->loop_control = block->loop_control;
        geo_ir_for_each_inst(inst, block) {
            struct geo_ir_inst *made_inst = inst_declare(copier, inst);
            if (!made_inst) {
                return false;
            }
            geo_ir_inst_append(copy, made_inst);
        }
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (!inst_connect(copier, inst)) {
                return false;
            }
            if (inst->records) {
                records_copy(copier, inst, geo_ptrmap_find(&copier->map, inst));
            }
        }
    }
    return true;
}

/* Copies the bodies of all queued functions, and of the functions that they refer to. */
static bool bodies_copy(struct geo_copier *copier)
{
    bool good = true;
    while (good && copier->pending.count) {
        good = body_copy(copier, copier->pending.items[--copier->pending.count]);
    }
    return good;
}

static bool copier_finish(struct geo_copier *copier, bool good)
{
    good = good && bodies_copy(copier);
    geo_ptrmap_finish(&copier->map);
    geo_ptrmap_finish(&copier->waiting);
    geo_array_finish(&copier->types);
    geo_array_finish(&copier->initializers);
    geo_array_finish(&copier->pending);
    return good;
}

struct geo_ir_function *geo_copy_function(struct geo_ir_module *target,
                                          struct geo_ir_function *function)
{
    struct geo_copier copier = {.target = target};
    struct geo_ir_value *made = value_get(&copier, &function->value);
    return copier_finish(&copier, made != NULL) ? (struct geo_ir_function *)made : NULL;
}

ze_result_t geo_copy_module(struct geo_ir_module *target, struct geo_ir_module *source)
{
    struct geo_copier copier = {.target = target, .keep_linkage = true};
    bool good = geo_ir_debug_share(target, source);
    for (size_t i = 0; good && i < source->variables.count; i++) {
        good = value_get(&copier, &source->variables.items[i]->value) != NULL;
    }
    geo_ir_for_each_function(function, source) {
        good = good && value_get(&copier, &function->value) != NULL;
    }
    return copier_finish(&copier, good) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- several copies from one module ---- */

struct geo_copier *geo_copier_create(struct geo_ir_module *target, uint32_t unit)
{
    struct geo_copier *copier = calloc(1, sizeof(*copier));
    if (copier) {
        copier->target = target;
        copier->unit = unit;
    }
    return copier;
}

void geo_copier_destroy(struct geo_copier *copier)
{
    if (copier) {
        copier_finish(copier, false);
        free(copier);
    }
}

struct geo_ir_value *geo_copier_copy(struct geo_copier *copier, struct geo_ir_value *value)
{
    struct geo_ir_value *made = value_get(copier, value);
    return made && bodies_copy(copier) ? made : NULL;
}
