/* Collects debug instructions and gives access to their operands. See debug.h and debug_item.h. */
#include "compiler/spirv/debug_item.h"

#include "base/ptrmap.h"

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

void debug_broken(struct spirv_reader *reader, struct debug_item *item, const char *reason)
{
    if (item && !item->broken) {
        item->broken = true;
        if (reader->debug.broken++ == 0) {
            geo_strbuf_printf(
                reader->log, "warning: debug information: %s at word %zu %s: it is ignored\n",
                item->grammar ? item->grammar->name : "instruction", item->at, reason);
        }
    }
}

void *debug_alloc(struct spirv_reader *reader, size_t bytes)
{
    struct geo_ir_debug *debug = geo_ir_debug_get(reader->module);
    void *made = debug ? geo_arena_alloc(&debug->store->arena, bytes) : NULL;
    if (debug && !made) {
        debug->overflowed = true;
    }
    return made;
}

/* ---- items ---- */

struct debug_item *debug_item_of(const struct spirv_reader *reader, uint32_t id)
{
    return id < reader->id_bound && reader->ids[id].kind == ID_DEBUG ? reader->ids[id].debug : NULL;
}

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

/* ---- operands ---- */

/* Returns whether an operand is a literal word. A repeated letter is the last one. */
static bool is_literal(const struct geo_grammar *grammar, uint32_t at)
{
    const char *letter = grammar->operands;
    while (at > 0 && letter[0] && letter[1] != '*') {
        letter += letter[1] == '?' ? 2 : 1;
        at--;
    }
    return *letter == 'l';
}

/* Takes the next operand's word. Returns false behind the last one. */
static bool word_take(struct debug_cursor *cursor, uint32_t *word)
{
    if (!debug_more(cursor)) {
        return false;
    }
    *word = cursor->item->operands[cursor->at++];
    return true;
}

static void operand_bad(struct debug_cursor *cursor, const char *reason)
{
    cursor->bad = true;
    debug_broken(cursor->reader, cursor->item, reason);
}

uint64_t debug_constant(struct debug_cursor *cursor, bool *known)
{
    uint32_t word;
    uint64_t bits = 0;
    *known = false;
    if (!word_take(cursor, &word)) {
        return 0;
    }
    if (is_literal(cursor->item->grammar, cursor->at - 1)) {
        *known = true;
        return word;
    }
    const struct spirv_id *entry =
        word < cursor->reader->id_bound ? &cursor->reader->ids[word] : NULL;
    if (!entry || entry->kind == ID_NONE) {
        operand_bad(cursor, "refers to an id that is not defined");
    } else if (entry->kind == ID_VALUE) {
        *known = geo_ir_constant_bits(entry->value, &bits);
    }
    return bits;
}

uint64_t debug_number(struct debug_cursor *cursor)
{
    bool known;
    uint32_t at = cursor->at;
    uint64_t bits = debug_constant(cursor, &known);
    if (!known && !cursor->bad && at < cursor->item->count &&
        cursor->reader->ids[cursor->item->operands[at]].kind != ID_DEBUG) {
        operand_bad(cursor, "needs a constant");
    }
    return bits;
}

const char *debug_text(struct debug_cursor *cursor)
{
    uint32_t word;
    if (!word_take(cursor, &word)) {
        return NULL;
    }
    if (debug_item_of(cursor->reader, word)) {
        return NULL; /* DebugInfoNone */
    }
    if (word >= cursor->reader->id_bound || cursor->reader->ids[word].kind != ID_STRING) {
        operand_bad(cursor, "needs a string");
        return NULL;
    }
    const char *text = cursor->reader->ids[word].string;
    return text[0] ? text : NULL;
}

struct debug_item *debug_any(struct debug_cursor *cursor)
{
    uint32_t word;
    if (!word_take(cursor, &word)) {
        return NULL;
    }
    struct debug_item *item = debug_item_of(cursor->reader, word);
    if (!item &&
        (word >= cursor->reader->id_bound || (cursor->reader->ids[word].kind != ID_TYPE &&
                                              cursor->reader->ids[word].kind != ID_DEBUG))) {
        operand_bad(cursor, "refers to an id outside of debug information");
    }
    return item && item->kind == DEBUG_TEMPLATE ? item->target : item;
}

const struct geo_ir_file *debug_file(struct debug_cursor *cursor)
{
    struct spirv_reader *reader = cursor->reader;
    uint32_t word = debug_more(cursor) ? cursor->item->operands[cursor->at] : 0;
    if (word < reader->id_bound && reader->ids[word].kind == ID_STRING) {
        cursor->at++;
        return debug_file_of(reader, reader->ids[word].string);
    }
    const struct debug_item *item = debug_any(cursor);
    if (item && item->kind != DEBUG_FILE && item->kind != DEBUG_NOTHING) {
        operand_bad(cursor, "needs a DebugSource");
    }
    return item && item->kind == DEBUG_FILE ? item->file : NULL;
}

const struct geo_ir_scope *debug_scope(struct debug_cursor *cursor)
{
    struct debug_item *item = debug_any(cursor);
    if (!item || item->kind == DEBUG_NOTHING) {
        return NULL;
    }
    if (item->kind == DEBUG_TYPE && !item->as_scope) {
        item->as_scope = debug_alloc(cursor->reader, sizeof(*item->as_scope));
        if (item->as_scope) {
            item->as_scope->kind = GEO_SCOPE_TYPE;
            item->as_scope->type = item->type;
        }
    }
    if (item->kind != DEBUG_TYPE && item->kind != DEBUG_SCOPE) {
        operand_bad(cursor, "needs a scope");
        return NULL;
    }
    return item->kind == DEBUG_TYPE ? item->as_scope : item->scope;
}

const struct geo_ir_debug_type *debug_type(struct debug_cursor *cursor)
{
    const struct debug_item *item = debug_any(cursor);
    if (item && item->kind != DEBUG_TYPE && item->kind != DEBUG_NOTHING) {
        operand_bad(cursor, "needs a debug type");
    }
    return item && item->kind == DEBUG_TYPE ? item->type : NULL;
}
