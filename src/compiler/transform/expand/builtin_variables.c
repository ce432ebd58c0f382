/* Replaces reads of built-in variables by GEO_OP_BUILTIN instructions.
 *
 * A built-in variable has a BuiltIn decoration, or is imported under the name
 * __spirv_BuiltIn<Name>. Producers load it whole and extract components, use access chains, or
 * compute byte addresses. So each pointer derived from a built-in variable is tracked as variable,
 * byte offset and dynamic component. A scalar of a built-in variable is read once per function, at
 * the entry, since its value never changes. */
#include "compiler/transform/pass/pass.h"

#include "compiler/transform/pass/offset.h"

#include <stdio.h>
#include <string.h>

#define MAX_COMPONENTS 4u /* sub-group masks have 4 components, ids 3 */

/* A pointer into a built-in variable. */
struct source {
    /* NULL: the value is not a pointer into a built-in variable */
    const struct geo_ir_variable *variable;
    int64_t offset;
    struct geo_ir_value *dynamic; /* component number that is not constant; then `offset` is 0 */
};

/* The GEO_OP_BUILTIN instructions made for one built-in variable. Components are NULL until they
 * are read. */
struct made {
    int32_t builtin;
    struct geo_ir_value *components[MAX_COMPONENTS];
    struct made *next;
};

/* The pass on one function. */
struct resolver {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct source *sources; /* by value index */
    struct made *made;
    struct geo_ir_inst *entry; /* GEO_OP_BUILTIN instructions are inserted before it */
};

/* ---- names of the variables ---- */

static const struct {
    const char *name;
    SpvBuiltIn builtin;
} names[] = {
    {"WorkDim", SpvBuiltInWorkDim},
    {"GlobalSize", SpvBuiltInGlobalSize},
    {"GlobalInvocationId", SpvBuiltInGlobalInvocationId},
    {"WorkgroupSize", SpvBuiltInWorkgroupSize},
    {"EnqueuedWorkgroupSize", SpvBuiltInEnqueuedWorkgroupSize},
    {"LocalInvocationId", SpvBuiltInLocalInvocationId},
    {"NumWorkgroups", SpvBuiltInNumWorkgroups},
    {"WorkgroupId", SpvBuiltInWorkgroupId},
    {"GlobalOffset", SpvBuiltInGlobalOffset},
    {"GlobalLinearId", SpvBuiltInGlobalLinearId},
    {"LocalInvocationIndex", SpvBuiltInLocalInvocationIndex},
    {"SubgroupSize", SpvBuiltInSubgroupSize},
    {"SubgroupMaxSize", SpvBuiltInSubgroupMaxSize},
    {"NumSubgroups", SpvBuiltInNumSubgroups},
    {"NumEnqueuedSubgroups", SpvBuiltInNumEnqueuedSubgroups},
    {"SubgroupId", SpvBuiltInSubgroupId},
    {"SubgroupLocalInvocationId", SpvBuiltInSubgroupLocalInvocationId},
    {"SubgroupEqMask", SpvBuiltInSubgroupEqMask},
    {"SubgroupGeMask", SpvBuiltInSubgroupGeMask},
    {"SubgroupGtMask", SpvBuiltInSubgroupGtMask},
    {"SubgroupLeMask", SpvBuiltInSubgroupLeMask},
    {"SubgroupLtMask", SpvBuiltInSubgroupLtMask},
};

static void variable_name(struct geo_ir_variable *variable)
{
    static const char prefix[] = "__spirv_BuiltIn";
    const char *name = variable->linkage_name;
    if (variable->builtin >= 0 || !name || variable->linkage != GEO_LINKAGE_IMPORT ||
        strncmp(name, prefix, sizeof(prefix) - 1) != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i].name, name + sizeof(prefix) - 1) == 0) {
            variable->builtin = (int32_t)names[i].builtin;
        }
    }
}

/* ---- pointers ---- */

static struct source source_of(struct resolver *r, struct geo_ir_value *value)
{
    struct source none = {NULL, 0, NULL};
    if (value->kind == GEO_VALUE_INST) {
        return r->sources[value->index];
    }
    /* A constant address: follow constant expressions down to the variable. */
    int64_t offset = 0;
    struct geo_ir_constant *constant;
    for (uint32_t depth = 0; (constant = geo_ir_as_constant(value)) != NULL && depth < 64;
         depth++) {
        int64_t step;
        if (constant->op == SpvOpNop || constant->operand_count == 0 ||
            !geo_make_pointer_step(constant->op, constant->value.type, constant->operands,
                                   constant->operand_count, &step)) {
            return none;
        }
        offset += step;
        value = constant->operands[0];
    }
    const struct geo_ir_variable *variable = geo_ir_as_variable(value);
    if (!variable || variable->builtin < 0) {
        return none;
    }
    return (struct source){variable, offset, NULL};
}

/* Returns the index of a chain that selects a component of a vector variable by a non-constant
 * index; NULL for other instructions. */
static struct geo_ir_value *dynamic_component(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->operands[0]->type->element;
    bool element = geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN);
    uint64_t bits;
    if (type->kind != GEO_TYPE_VECTOR || !geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN) ||
        inst->operand_count != (element ? 3u : 2u)) {
        return NULL;
    }
    if (element && (!geo_ir_constant_bits(inst->operands[1], &bits) || bits != 0)) {
        return NULL;
    }
    return inst->operands[inst->operand_count - 1];
}

static bool misuse(struct resolver *r, const struct geo_ir_inst *inst,
                   const struct geo_ir_variable *variable)
{
    char label[256];
    const char *name = variable->linkage_name ? variable->linkage_name : variable->value.name;
    return geo_pass_fail(
        r->pass, "%s %%%u at word %u in %s: this use of the built-in variable %s is not supported",
        geo_op_name(inst->op), inst->value.id, inst->word_offset,
        geo_pass_function_label(r->function, label, sizeof(label)), name ? name : "");
}

/* ---- values ---- */

static uint32_t component_count(const struct geo_ir_variable *variable)
{
    const struct geo_ir_type *type = variable->value.type->element;
    return type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ? (uint32_t)type->count
                                                                         : 1;
}

static const struct geo_ir_type *component_type(const struct geo_ir_variable *variable)
{
    const struct geo_ir_type *type = variable->value.type->element;
    return type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ? type->element : type;
}

/* Returns the instruction for one component, which is created at the function's entry on first
 * use. */
static struct geo_ir_value *component_make(struct resolver *r, const struct geo_ir_inst *load,
                                           const struct geo_ir_variable *variable,
                                           uint32_t component)
{
    const struct geo_ir_type *type = component_type(variable);
    struct made *made = r->made;
    while (made && made->builtin != variable->builtin) {
        made = made->next;
    }
    if (!made) {
        made = geo_arena_new(&r->pass->arena, struct made);
        if (!made) {
            geo_pass_no_memory(r->pass);
            return NULL;
        }
        made->builtin = variable->builtin;
        made->next = r->made;
        r->made = made;
    }
    struct geo_ir_value **slot = &made->components[component];
    if (*slot && (*slot)->type == type) {
        return *slot;
    }
    struct geo_ir_inst *inst = geo_make(r->pass, r->entry, (SpvOp)GEO_OP_BUILTIN, type, 0, 2, 0);
    if (!inst) {
        return NULL;
    }
    inst->location = load->location; /* the first of the loads that it replaces */
    inst->literals[0] = (uint32_t)variable->builtin;
    inst->literals[1] = component;
    *slot = &inst->value;
    return *slot;
}

/* Returns the scalar of `type` at a byte offset; undef behind the last component. Returns NULL if
 * the scalar is not (the low part of) one component, or memory runs out. */
static struct geo_ir_value *scalar_read(struct resolver *r, struct geo_ir_inst *load,
                                        const struct geo_ir_variable *variable, int64_t offset,
                                        const struct geo_ir_type *type)
{
    const struct geo_ir_type *own = component_type(variable);
    if (own->kind != GEO_TYPE_INT || type->kind != GEO_TYPE_INT || offset < 0 ||
        (uint64_t)offset % own->size != 0 || type->size > own->size) {
        return NULL;
    }
    uint64_t component = (uint64_t)offset / own->size;
    if (component >= component_count(variable) || component >= MAX_COMPONENTS) {
        return geo_pass_undef(r->pass, type);
    }
    struct geo_ir_value *value = component_make(r, load, variable, (uint32_t)component);
    if (value && type != own) {
        value = geo_make_unary(r->pass, load, SpvOpUConvert, type, value);
    }
    return value;
}

static struct geo_ir_value *vector_read(struct resolver *r, struct geo_ir_inst *load,
                                        const struct geo_ir_variable *variable, int64_t offset,
                                        const struct geo_ir_type *type)
{
    struct geo_ir_value *parts[16];
    for (uint64_t i = 0; i < type->count; i++) {
        parts[i] = scalar_read(r, load, variable, offset + (int64_t)(i * type->element->size),
                               type->element);
        if (!parts[i]) {
            return NULL;
        }
    }
    struct geo_ir_inst *made =
        geo_make(r->pass, load, SpvOpCompositeConstruct, type, (uint32_t)type->count, 0, 0);
    if (!made) {
        return NULL;
    }
    memcpy(made->operands, parts, type->count * sizeof(parts[0]));
    return &made->value;
}

static struct geo_ir_value *load_read(struct resolver *r, struct geo_ir_inst *load,
                                      const struct source *source)
{
    const struct geo_ir_type *type = load->value.type;
    if (source->dynamic) {
        const struct geo_ir_type *whole = source->variable->value.type->element;
        if (whole->kind != GEO_TYPE_VECTOR || type != whole->element) {
            return NULL;
        }
        struct geo_ir_value *vector = vector_read(r, load, source->variable, 0, whole);
        return geo_make_binary(r->pass, load, SpvOpVectorExtractDynamic, type, vector,
                               source->dynamic);
    }
    if (type->kind == GEO_TYPE_VECTOR && type->count <= 16) {
        return vector_read(r, load, source->variable, source->offset, type);
    }
    return scalar_read(r, load, source->variable, source->offset, type);
}

/* ---- the walk ---- */

static bool inst_resolve(struct resolver *r, struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct source source = source_of(r, inst->operands[i]);
        int64_t step;
        if (!source.variable) {
            continue;
        }
        if (inst->op == SpvOpLoad) {
            inst->value.forward = load_read(r, inst, &source);
            if (!inst->value.forward) {
                return r->pass->result == ZE_RESULT_SUCCESS ? misuse(r, inst, source.variable)
                                                            : false;
            }
            geo_ir_inst_remove(inst);
            return true;
        }
        if (i > 0) {
            return misuse(r, inst, source.variable);
        }
        if (geo_make_pointer_step(inst->op, inst->value.type, inst->operands, inst->operand_count,
                                  &step)) {
            if (source.dynamic && step != 0) {
                return misuse(r, inst, source.variable);
            }
            source.offset += step;
        } else {
            source.dynamic = source.dynamic || source.offset ? NULL : dynamic_component(inst);
            if (!source.dynamic) {
                return misuse(r, inst, source.variable);
            }
        }
        r->sources[inst->value.index] = source;
        return true;
    }
    return true;
}

static bool uses_builtins(const struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                struct geo_ir_value *value = inst->operands[i];
                const struct geo_ir_variable *variable = geo_ir_as_variable(value);
                const struct geo_ir_constant *constant = geo_ir_as_constant(value);
                if ((variable && variable->builtin >= 0) ||
                    (constant && constant->op != SpvOpNop)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool function_resolve(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct resolver r = {.pass = pass, .function = function};
    struct geo_cfg cfg;
    if (!uses_builtins(function)) {
        return true;
    }
    geo_ir_function_number(function);
    r.sources = geo_arena_new_array(&pass->arena, struct source, function->value_count);
    if (!r.sources || !geo_cfg_build(function, &pass->arena, &cfg)) {
        return geo_pass_no_memory(pass);
    }
    r.entry = function->first_block->first;
    while (r.entry->op == SpvOpVariable && r.entry->next) {
        r.entry = r.entry->next;
    }
    /* The instructions are inserted before a placeholder: the first instruction behind the
       variables may be a load that is removed. */
    struct geo_ir_inst *anchor = geo_make(pass, r.entry, SpvOpNop, pass->type_void, 0, 0, 0);
    if (!anchor) {
        return false;
    }
    r.entry = anchor;
    for (uint32_t i = 0; i < cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg.order[i]) {
            /* The placeholder has no value index yet. */
            if (inst != anchor && !inst_resolve(&r, inst)) {
                return false;
            }
        }
    }
    geo_ir_inst_remove(anchor);
    geo_ir_function_resolve(function);
    return geo_remove_dead(pass, function);
}

ze_result_t geo_transform_resolve_builtin_variables(struct geo_ir_module *module,
                                                    struct geo_strbuf *log)
{
    struct geo_pass pass;
    if (geo_pass_begin(&pass, module, log)) {
        for (size_t i = 0; i < module->variables.count; i++) {
            variable_name(module->variables.items[i]);
        }
        geo_ir_for_each_function(function, module) {
            if (function->first_block && !function_resolve(&pass, function)) {
                break;
            }
        }
    }
    return geo_pass_end(&pass);
}
