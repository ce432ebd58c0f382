/* Operands of debug instructions. See debug_item.h. */
#include "compiler/spirv/debug_item.h"

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

struct debug_item *debug_item_of(const struct spirv_reader *reader, uint32_t id)
{
    return id < reader->id_bound && reader->ids[id].kind == ID_DEBUG ? reader->ids[id].debug : NULL;
}

const struct geo_ir_file *debug_file_of(struct spirv_reader *reader, const char *name)
{
    struct geo_ir_file *file = geo_ptrmap_find(&reader->debug.files, name);
    if (!file) {
        file = debug_alloc(reader, sizeof(*file));
        if (file) {
            file->name = name;
            (void)geo_ptrmap_set(&reader->debug.files, name, file);
        }
    }
    return file;
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
