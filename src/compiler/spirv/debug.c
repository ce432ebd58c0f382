/* Collects debug instructions, and fills their objects when all ids are known. See debug.h and
 * debug_item.h. */
#include "compiler/spirv/debug_item.h"

#include "base/ptrmap.h"
#include "compiler/ir/budget.h"

#include <string.h>

/* The Khronos translator writes DebugLine with a result id that it has used before. */
static bool is_repeatable(uint32_t number)
{
    return number == DEBUG(Line) || number == DEBUG(NoLine) || number == DEBUG(Scope) ||
           number == DEBUG(NoScope);
}

bool spirv_debug_import(struct spirv_id *entry, const char *name)
{
    static const struct {
        const char *name;
        enum geo_debug_set set;
    } sets[] = {
        {"OpenCL.DebugInfo.100", GEO_DEBUG_OPENCL_100},
        {"NonSemantic.Shader.DebugInfo.100", GEO_DEBUG_SHADER_100},
        {"NonSemantic.Shader.DebugInfo.200", GEO_DEBUG_SHADER_200},
    };
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (strcmp(name, sets[i].name) == 0) {
            entry->kind = ID_EXT_DEBUG;
            entry->debug_set = sets[i].set;
            return true;
        }
    }
    return false;
}

/* ---- items ---- */

static enum debug_kind kind_of(uint32_t number)
{
    switch (number) {
    case DEBUG(Source):
        return DEBUG_FILE;
    case DEBUG(CompilationUnit):
    case DEBUG(FunctionDeclaration):
    case DEBUG(Function):
    case DEBUG(LexicalBlock):
    case DEBUG(LexicalBlockDiscriminator):
    case OpenCLDebugInfo100DebugModuleINTEL:
    case GEO_SPV_DEBUG_MODULE:
        return DEBUG_SCOPE;
    case DEBUG(TypeBasic):
    case DEBUG(TypePointer):
    case DEBUG(TypeQualifier):
    case DEBUG(TypeArray):
    case DEBUG(TypeVector):
    case DEBUG(Typedef):
    case DEBUG(TypeFunction):
    case DEBUG(TypeEnum):
    case DEBUG(TypeComposite):
    case DEBUG(TypePtrToMember):
    case DEBUG(TypeMatrix):
    case GEO_SPV_DEBUG_TYPE_ARRAY_DYNAMIC:
    case GEO_SPV_DEBUG_TYPE_STRING:
        return DEBUG_TYPE;
    case DEBUG(TypeMember):
    case DEBUG(TypeInheritance):
        return DEBUG_MEMBER;
    case DEBUG(TypeTemplate):
        return DEBUG_TEMPLATE;
    case DEBUG(TypeTemplateParameter):
    case DEBUG(TypeTemplateTemplateParameter):
    case DEBUG(TypeTemplateParameterPack):
        return DEBUG_ARGUMENT;
    case DEBUG(GlobalVariable):
    case DEBUG(LocalVariable):
    case DEBUG(InlinedVariable):
        return DEBUG_VARIABLE;
    case DEBUG(Operation):
        return DEBUG_OPERATION;
    case DEBUG(Expression):
        return DEBUG_EXPRESSION;
    case DEBUG(InlinedAt):
        return DEBUG_INLINED;
    case GEO_SPV_DEBUG_TYPE_SUBRANGE:
        return DEBUG_RANGE;
    default:
        /* DebugInfoNone; macros, imported entities, the build's identifier and path, entry points
           and continued source text, which DWARF can do without */
        return DEBUG_NOTHING;
    }
}

static bool object_make(struct spirv_reader *reader, struct debug_item *item)
{
    static const size_t sizes[] = {
        [DEBUG_FILE] = sizeof(struct geo_ir_file),
        [DEBUG_SCOPE] = sizeof(struct geo_ir_scope),
        [DEBUG_TYPE] = sizeof(struct geo_ir_debug_type),
        [DEBUG_MEMBER] = sizeof(struct geo_ir_debug_member),
        [DEBUG_ARGUMENT] = sizeof(struct geo_ir_template),
        [DEBUG_VARIABLE] = sizeof(struct geo_ir_debug_variable),
        [DEBUG_RANGE] = sizeof(struct geo_ir_range),
    };
    size_t bytes = item->kind < sizeof(sizes) / sizeof(sizes[0]) ? sizes[item->kind] : 0;
    if (item->kind == DEBUG_EXPRESSION) {
        item->expression = geo_arena_new(&reader->debug.arena, struct debug_expression);
        return item->expression != NULL;
    }
    item->object = bytes ? debug_alloc(reader, bytes) : NULL;
    return item->object || bytes == 0;
}

/* Returns the number of operands that an instruction must have. */
static uint32_t operands_needed(const struct geo_grammar *grammar)
{
    uint32_t count = 0;
    for (const char *letter = grammar->operands; *letter; letter++) {
        count += *letter != '?' && *letter != '*' && letter[1] != '?' && letter[1] != '*';
    }
    return count;
}

static struct debug_item *item_make(struct spirv_reader *reader, enum geo_debug_set set)
{
    struct debug_item *item = geo_arena_new(&reader->debug.arena, struct debug_item);
    if (!item) {
        return NULL;
    }
    uint32_t number = reader->operands[3];
    item->set = set;
    item->grammar = geo_grammar_find_debug(set, number);
    item->operands = reader->operands + 4;
    item->count = spirv_operand_count(reader) - 4;
    item->at = reader->at;
    if (!item->grammar) {
        debug_broken(reader, item, "is not in its instruction set");
    } else if (item->count < operands_needed(item->grammar)) {
        debug_broken(reader, item, "has too few operands");
    } else {
        item->kind = kind_of(number);
        if (!object_make(reader, item)) {
            return NULL;
        }
    }
    return item;
}

bool spirv_debug_instruction(struct spirv_reader *reader, const struct spirv_id *set)
{
    uint32_t id = reader->operands[1];
    struct spirv_id *entry = spirv_id(reader, id);
    enum geo_debug_set number = set->debug_set;
    if (!geo_budget_spend(spirv_operand_count(reader))) {
        reader->out_of_memory = true; /* the facade replaces it by the real reason */
        return false;
    }
    if (entry && !(entry->kind == ID_DEBUG && is_repeatable(reader->operands[3]))) {
        entry = spirv_define(reader, id);
    }
    if (!entry) {
        return false;
    }
    if (!reader->debug.tail) {
        geo_arena_init(&reader->debug.arena, reader->module->arena.limit_bytes);
        reader->debug.tail = &reader->debug.items;
    }
    entry->kind = ID_DEBUG;
    entry->debug = NULL;
    struct debug_item *item = item_make(reader, number);
    if (!item) { /* beyond the limit on memory, as for hostile input */
        return true;
    }
    entry->debug = item;
    if (reader->function) {
        if (!item->broken) {
            debug_code(reader, item);
        }
        return true;
    }
    *reader->debug.tail = item;
    reader->debug.tail = &item->next;
    return true;
}

void spirv_debug_fill(struct spirv_reader *reader)
{
    struct debug_item *item = reader->debug.items;
    for (; item; item = item->next) {
        debug_item_fill(reader, item);
    }
    if (reader->debug.tail) {
        reader->debug.items = NULL;
        reader->debug.tail = &reader->debug.items;
    }
}

void spirv_debug_function(struct spirv_reader *reader, uint32_t id)
{
    spirv_debug_fill(reader);
    spirv_debug_block_end(reader);
    reader->function->scope = geo_ptrmap_find(&reader->debug.functions, (void *)(uintptr_t)id);
}

void spirv_debug_finish(struct spirv_reader *reader)
{
    if (reader->debug.broken > 1) {
        geo_strbuf_printf(reader->log,
                          "warning: debug information: %u more instructions are ignored\n",
                          reader->debug.broken - 1);
    }
    if (reader->debug.tail) {
        geo_arena_finish(&reader->debug.arena);
    }
    geo_ptrmap_finish(&reader->debug.functions);
    geo_ptrmap_finish(&reader->debug.files);
}
