/* Fills the objects of debug instructions: files, scopes, variables, expressions and places of
 * inlined calls. debug_type.c fills types. See debug_item.h. */
#include "compiler/spirv/debug_item.h"

#include <string.h>

static struct debug_cursor cursor_at(struct spirv_reader *reader, struct debug_item *item)
{
    return (struct debug_cursor){.reader = reader, .item = item};
}

/* ---- files and scopes ---- */

/* Operands: name, text. Set 200: name, kind of checksum, checksum, text. */
static void file_fill(struct debug_cursor *c)
{
    struct geo_ir_file *file = c->item->file;
    const uint32_t *words = c->item->operands;
    file->name = debug_text(c);
    if (c->item->set == GEO_DEBUG_SHADER_200 && c->item->count > 1) {
        c->at += c->item->count > 3 ? 2 : 1;
    }
    file->text = debug_text(c);
    if (file->name && !geo_ptrmap_find(&c->reader->debug.files, c->reader->ids[words[0]].string)) {
        /* without memory, OpLine makes a file of its own */
        (void)geo_ptrmap_set(&c->reader->debug.files, c->reader->ids[words[0]].string, file);
    }
}

static void position_fill(struct debug_cursor *c, uint32_t *line, uint32_t *column)
{
    *line = (uint32_t)debug_number(c);
    *column = (uint32_t)debug_number(c);
}

/* Operands: version, version of DWARF, source, language; set 200: producer. */
static void unit_fill(struct debug_cursor *c, struct geo_ir_scope *scope)
{
    scope->kind = GEO_SCOPE_UNIT;
    (void)debug_number(c);
    scope->version = (uint32_t)debug_number(c);
    scope->file = debug_file(c);
    scope->language = (uint32_t)debug_number(c);
    if (c->item->set == GEO_DEBUG_SHADER_200) {
        scope->producer = debug_text(c);
    }
}

/* Operands of a declaration: name, type, source, line, column, parent, linkage name, flags. A
 * definition also has the line of the body, in OpenCL's set the function, and the declaration. */
static void function_fill(struct debug_cursor *c, struct geo_ir_scope *scope, bool definition)
{
    scope->kind = GEO_SCOPE_FUNCTION;
    scope->name = debug_text(c);
    scope->type = debug_type(c);
    scope->file = debug_file(c);
    position_fill(c, &scope->line, &scope->column);
    scope->parent = debug_scope(c);
    scope->linkage_name = debug_text(c);
    scope->flags = (uint32_t)debug_number(c);
    if (!definition) {
        return;
    }
    scope->scope_line = (uint32_t)debug_number(c);
    if (c->item->set == GEO_DEBUG_OPENCL_100 && debug_more(c)) {
        uintptr_t id = c->item->operands[c->at++];
        if (!debug_item_of(c->reader, (uint32_t)id) && id != 0) {
            (void)geo_ptrmap_set(&c->reader->debug.functions, (const void *)id, scope);
        }
    }
    scope->declaration = debug_more(c) ? debug_scope(c) : NULL;
    if (scope->declaration == scope) {
        scope->declaration = NULL;
    }
}

/* OpenCL's set: name, source, parent, line, ...; set 200: name, source, line, parent, ... */
static void module_fill(struct debug_cursor *c, struct geo_ir_scope *scope)
{
    scope->kind = GEO_SCOPE_MODULE;
    scope->name = debug_text(c);
    scope->file = debug_file(c);
    if (c->item->set == GEO_DEBUG_OPENCL_100) {
        scope->parent = debug_scope(c);
        scope->line = (uint32_t)debug_number(c);
    } else {
        scope->line = (uint32_t)debug_number(c);
        scope->parent = debug_scope(c);
    }
}

/* The number of DebugModuleINTEL of OpenCL's set means nothing in the others. */
static void scope_fill(struct debug_cursor *c)
{
    struct geo_ir_scope *scope = c->item->scope;
    switch (c->item->grammar->op) {
    case DEBUG(CompilationUnit):
        unit_fill(c, scope);
        break;
    case DEBUG(FunctionDeclaration):
        function_fill(c, scope, false);
        break;
    case DEBUG(Function):
        function_fill(c, scope, true);
        break;
    case DEBUG(LexicalBlock):
        scope->kind = GEO_SCOPE_BLOCK;
        scope->file = debug_file(c);
        position_fill(c, &scope->line, &scope->column);
        scope->parent = debug_scope(c);
        scope->name = debug_text(c);
        break;
    case DEBUG(LexicalBlockDiscriminator):
        scope->kind = GEO_SCOPE_BLOCK;
        scope->file = debug_file(c);
        scope->discriminator = (uint32_t)debug_number(c);
        scope->parent = debug_scope(c);
        break;
    default:
        module_fill(c, scope);
        break;
    }
}

/* ---- variables ---- */

/* The Khronos translator writes the number of an argument as a word where the specification asks
 * for the id of a constant. */
static uint32_t argument_number(struct debug_cursor *c)
{
    if (!debug_more(c)) {
        return 0;
    }
    uint32_t word = c->item->operands[c->at];
    const struct spirv_id *entry = word < c->reader->id_bound ? &c->reader->ids[word] : NULL;
    uint64_t bits;
    if (c->item->set != GEO_DEBUG_OPENCL_100 && entry && entry->kind == ID_VALUE &&
        geo_ir_constant_bits(entry->value, &bits)) {
        return (uint32_t)bits;
    }
    return word;
}

static void global_fill(struct debug_cursor *c, struct geo_ir_debug_variable *variable)
{
    variable->linkage_name = debug_text(c);
    uint32_t id = c->at < c->item->count ? c->item->operands[c->at++] : 0;
    const struct spirv_id *entry = id < c->reader->id_bound ? &c->reader->ids[id] : NULL;
    if (entry && entry->kind == ID_VALUE && entry->value->kind == GEO_VALUE_VARIABLE) {
        ((struct geo_ir_variable *)entry->value)->debug = variable;
    }
    variable->flags = (uint32_t)debug_number(c);
}

/* An inlined variable is the variable itself at another place. */
static void inlined_fill(struct debug_cursor *c)
{
    const struct debug_item *of = debug_any(c), *at = debug_any(c);
    if (!of || of->kind != DEBUG_VARIABLE || !at || at->kind != DEBUG_INLINED) {
        debug_broken(c->reader, c->item, "needs a variable and a DebugInlinedAt");
        return;
    }
    c->item->variable = of->variable;
    c->item->inlined_at = at->location;
}

static void variable_fill(struct debug_cursor *c)
{
    struct geo_ir_debug_variable *variable = c->item->variable;
    if (c->item->grammar->op == DEBUG(InlinedVariable)) {
        inlined_fill(c);
        return;
    }
    variable->name = debug_text(c);
    variable->type = debug_type(c);
    variable->file = debug_file(c);
    position_fill(c, &variable->line, &variable->column);
    variable->scope = debug_scope(c);
    if (c->item->grammar->op == DEBUG(GlobalVariable)) {
        global_fill(c, variable);
    } else {
        variable->flags = (uint32_t)debug_number(c);
        variable->argument = argument_number(c);
    }
}

/* ---- inlined calls ---- */

/* Operands: line, in set 200 the column, scope, the call around it. */
static void place_fill(struct debug_cursor *c)
{
    struct geo_ir_location at = {.line = (uint32_t)debug_number(c)};
    if (c->item->set == GEO_DEBUG_SHADER_200 && !debug_item_of(c->reader, c->item->operands[1])) {
        at.column = (uint32_t)debug_number(c);
    }
    at.scope = debug_scope(c);
    at.file = at.scope ? at.scope->file : NULL;
    const struct debug_item *outer = debug_more(c) ? debug_any(c) : NULL;
    struct geo_ir_debug *debug = geo_ir_debug_get(c->reader->module);
    if (c->bad || !debug) {
        return;
    }
    if (outer && outer->kind == DEBUG_INLINED && outer->location) {
        const struct geo_ir_location *around = geo_ir_location(c->reader->module, outer->location);
        if (around->depth >= GEO_LIMIT_INLINED_DEPTH) {
            debug_broken(c->reader, c->item, "is nested too deeply");
            return;
        }
        at.inlined_at = outer->location;
        at.depth = around->depth + 1;
    }
    at.instance = ++debug->instances;
    c->item->location = geo_ir_location_number(c->reader->module, &at);
}

/* ---- expressions ---- */

/* Appends one operation. Returns false if it is not understood. */
static bool operation_add(struct spirv_reader *reader, struct debug_item *operation,
                          struct debug_expression *out)
{
    struct debug_cursor c = cursor_at(reader, operation);
    uint64_t number = debug_number(&c), first = debug_number(&c);
    struct geo_ir_debug_step step = {.number = first};
    switch (number) {
    case NonSemanticShaderDebugInfo100Deref:
        step.kind = GEO_STEP_DEREF;
        break;
    case NonSemanticShaderDebugInfo100Plus:
        step.kind = GEO_STEP_PLUS;
        break;
    case NonSemanticShaderDebugInfo100Minus:
        step.kind = GEO_STEP_MINUS;
        break;
    case NonSemanticShaderDebugInfo100PlusUconst:
        step.kind = GEO_STEP_ADD_CONSTANT;
        break;
    case NonSemanticShaderDebugInfo100Constu:
        step.kind = GEO_STEP_CONSTANT;
        break;
    case NonSemanticShaderDebugInfo100Swap:
        step.kind = GEO_STEP_SWAP;
        break;
    case NonSemanticShaderDebugInfo100Xderef:
        /* Clang marks address spaces by Constu, Swap, Xderef. Here, all have one address space. */
        if (out->count < 2 || out->steps[out->count - 1].kind != GEO_STEP_SWAP ||
            out->steps[out->count - 2].kind != GEO_STEP_CONSTANT) {
            return false;
        }
        out->count -= 2;
        return !c.bad;
    case NonSemanticShaderDebugInfo100StackValue:
        return !c.bad;
    case NonSemanticShaderDebugInfo100Fragment:
        out->fragment_offset = first;
        out->fragment_size = debug_number(&c);
        return !c.bad && out->fragment_size != 0;
    default:
        return false; /* BitPiece, and operations of newer versions */
    }
    if (c.bad || out->count == GEO_LIMIT_DEBUG_STEPS) {
        return false;
    }
    out->steps[out->count++] = step;
    return true;
}

static void expression_fill(struct debug_cursor *c)
{
    struct debug_expression *out = c->item->expression;
    while (debug_more(c) && !out->unknown) {
        struct debug_item *operation = debug_any(c);
        out->unknown = !operation || operation->kind != DEBUG_OPERATION || operation->broken ||
                       !operation_add(c->reader, operation, out);
    }
    out->unknown |= c->bad;
}

/* ---- templates ---- */

/* Operands: name, actual type, value, ...; of others: name, name of the template. */
static void argument_fill(struct debug_cursor *c)
{
    struct geo_ir_template *argument = c->item->argument;
    argument->name = debug_text(c);
    if (c->item->grammar->op == DEBUG(TypeTemplateParameter)) {
        argument->type = debug_type(c);
        argument->value = debug_constant(c, &argument->has_value);
    } else if (c->item->grammar->op == DEBUG(TypeTemplateTemplateParameter)) {
        argument->template_name = debug_text(c);
    }
}

/* Operands: the type or function, its arguments. Each template gets arguments of its own, since
 * they are in a list. */
static void template_fill(struct debug_cursor *c)
{
    struct debug_item *target = debug_any(c);
    bool fits = target && (target->kind == DEBUG_TYPE || target->kind == DEBUG_SCOPE);
    if (!fits) {
        debug_broken(c->reader, c->item, "needs a type or function");
        return;
    }
    c->item->target = target;
    const struct geo_ir_template **end =
        target->kind == DEBUG_TYPE ? &target->type->templates : &target->scope->templates;
    while (debug_more(c)) {
        const struct debug_item *argument = debug_any(c);
        struct geo_ir_template *copy = argument && argument->kind == DEBUG_ARGUMENT
                                           ? debug_alloc(c->reader, sizeof(*copy))
                                           : NULL;
        if (!copy) {
            continue;
        }
        *copy = *argument->argument;
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
    }
}

void debug_item_fill(struct spirv_reader *reader, struct debug_item *item)
{
    struct debug_cursor cursor = cursor_at(reader, item);
    if (!debug_item_begin(item)) {
        return;
    }
    switch (item->kind) {
    case DEBUG_FILE:
        file_fill(&cursor);
        break;
    case DEBUG_SCOPE:
        scope_fill(&cursor);
        break;
    case DEBUG_TYPE:
    case DEBUG_MEMBER:
    case DEBUG_RANGE:
        debug_type_fill(&cursor);
        break;
    case DEBUG_TEMPLATE:
        template_fill(&cursor);
        break;
    case DEBUG_ARGUMENT:
        argument_fill(&cursor);
        break;
    case DEBUG_VARIABLE:
        variable_fill(&cursor);
        break;
    case DEBUG_EXPRESSION:
        expression_fill(&cursor);
        break;
    case DEBUG_INLINED:
        place_fill(&cursor);
        break;
    case DEBUG_OPERATION:
    case DEBUG_NOTHING:
        break;
    }
}
