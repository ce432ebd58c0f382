/* Lines, scopes and the places of variables in functions. See debug.h and debug_item.h.
 *
 * A line and a scope hold until the next one, or until the block ends. */
#include "compiler/ir/budget.h"
#include "compiler/spirv/debug_item.h"

#include <string.h>

/* ---- lines and scopes ---- */

static void line_set(struct spirv_reader *reader, const struct geo_ir_file *file, uint32_t line,
                     uint32_t column)
{
    reader->debug.here.file = file;
    reader->debug.here.line = line;
    reader->debug.here.column = column;
    reader->debug.has_line = true;
    reader->debug.is_known = false;
}

bool spirv_debug_line(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    struct spirv_id *file = spirv_id(reader, reader->operands[0]);
    if (!file) {
        return false;
    }
    if (file->kind != ID_STRING) {
        return spirv_error(reader, "id %u is not a string", reader->operands[0]);
    }
    line_set(reader, debug_file_of(reader, file->string), reader->operands[1], reader->operands[2]);
    return true;
}

void spirv_debug_no_line(struct spirv_reader *reader)
{
    reader->debug.here.file = NULL;
    reader->debug.here.line = reader->debug.here.column = 0;
    reader->debug.has_line = false;
    reader->debug.is_known = false;
}

static void no_scope(struct spirv_reader *reader)
{
    reader->debug.here.scope = NULL;
    reader->debug.here.inlined_at = reader->debug.here.depth = 0;
    reader->debug.has_scope = false;
    reader->debug.is_known = false;
}

void spirv_debug_block_end(struct spirv_reader *reader)
{
    spirv_debug_no_line(reader);
    no_scope(reader);
}

uint32_t spirv_debug_location(struct spirv_reader *reader)
{
    if (!reader->debug.has_line && !reader->debug.has_scope) {
        return 0;
    }
    if (!reader->debug.is_known) {
        struct geo_ir_location here = reader->debug.here;
        if (!reader->debug.has_scope) {
            here.scope = reader->function->scope;
        }
        reader->debug.location = geo_ir_location_number(reader->module, &here);
        reader->debug.is_known = true;
    }
    return reader->debug.location;
}

/* Operands: source, first and last line, first and last column. */
static void line_read(struct debug_cursor *c)
{
    const struct geo_ir_file *file = debug_file(c);
    uint32_t line = (uint32_t)debug_number(c);
    (void)debug_number(c);
    uint32_t column = (uint32_t)debug_number(c);
    if (!c->bad) {
        line_set(c->reader, file, line, column);
    }
}

/* Operands: scope, the place where its function was inlined. */
static void scope_read(struct debug_cursor *c)
{
    const struct geo_ir_scope *scope = debug_scope(c);
    const struct debug_item *inlined = debug_more(c) ? debug_any(c) : NULL;
    struct geo_ir_location *here = &c->reader->debug.here;
    no_scope(c->reader);
    if (c->bad) {
        return;
    }
    here->scope = scope;
    c->reader->debug.has_scope = scope != NULL;
    if (inlined && inlined->kind == DEBUG_INLINED && inlined->location) {
        here->inlined_at = inlined->location;
        here->depth = geo_ir_location(c->reader->module, inlined->location)->depth + 1;
    }
}

/* ---- variables ---- */

/* Returns a value that this function may name, or NULL. */
static struct geo_ir_value *value_of(const struct spirv_reader *reader, uint32_t id)
{
    const struct spirv_id *entry = id < reader->id_bound ? &reader->ids[id] : NULL;
    struct geo_ir_value *value = entry && entry->kind == ID_VALUE ? entry->value : NULL;
    if (!value || value->type->kind == GEO_TYPE_VOID || value->kind == GEO_VALUE_FUNCTION) {
        return NULL;
    }
    if (value->kind == GEO_VALUE_INST) {
        return geo_ir_as_inst(value)->block->function == reader->function ? value : NULL;
    }
    for (uint32_t i = 0; value->kind == GEO_VALUE_PARAMETER; i++) {
        if (i == reader->function->parameter_count || !geo_budget_spend(1)) {
            return NULL;
        }
        if (reader->function->parameters[i] == value) {
            break;
        }
    }
    return value;
}

static const struct geo_ir_debug_type *type_plain(const struct geo_ir_debug_type *type)
{
    for (uint32_t i = 0; type && i < GEO_LIMIT_INLINED_DEPTH; i++) {
        if (type->kind != GEO_DEBUG_TYPEDEF && type->kind != GEO_DEBUG_QUALIFIED) {
            return type;
        }
        type = type->base;
    }
    return NULL;
}

/* Bounds of the work for one index, since hostile input may have many. A type of more dimensions
 * has no known size, and members behind this number are not found. The work is spent from the
 * build's budget: an index is unknown when it is exceeded, and the next debug instruction fails. */
#define MAX_DIMENSIONS 16u
#define MAX_MEMBERS    256u

/* Returns the size of a type in bits; 0: unknown. */
static uint64_t type_bits(const struct geo_ir_debug_type *type)
{
    uint64_t count = 1;
    uint32_t dimensions = 0;
    for (uint32_t i = 0; type && i < GEO_LIMIT_INLINED_DEPTH; i++, type = type->base) {
        if (!geo_budget_spend(1)) {
            return 0;
        }
        if (type->kind == GEO_DEBUG_TYPEDEF || type->kind == GEO_DEBUG_QUALIFIED) {
            continue;
        }
        if (type->kind != GEO_DEBUG_ARRAY && type->kind != GEO_DEBUG_VECTOR) {
            uint64_t bits = type->kind == GEO_DEBUG_POINTER ? 64 : type->size;
            return __builtin_mul_overflow(count, bits, &count) ? 0 : count;
        }
        for (uint32_t r = 0; r < type->range_count; r++) {
            const struct geo_ir_range *range = &type->ranges[r];
            if (++dimensions > MAX_DIMENSIONS || !range->count_known ||
                __builtin_mul_overflow(count, range->count, &count)) {
                return 0;
            }
        }
    }
    return 0;
}

/* Narrows a record to a member or element of what it is about. Returns false if it cannot. */
static bool index_apply(struct geo_ir_record *record, const struct geo_ir_debug_type **type,
                        uint64_t index)
{
    const struct geo_ir_debug_type *whole = type_plain(*type);
    uint64_t offset;
    if (!whole) {
        return false;
    }
    if (whole->kind == GEO_DEBUG_STRUCTURE || whole->kind == GEO_DEBUG_CLASS) {
        const struct geo_ir_debug_member *member = index < MAX_MEMBERS ? whole->members : NULL;
        for (; member && index > 0 && geo_budget_spend(1); index--) {
            member = member->next;
        }
        if (!member || index > 0 || member->size == 0) {
            return false;
        }
        record->fragment_offset += member->offset;
        record->fragment_size = member->size;
        *type = member->type;
        return true;
    }
    uint64_t bits = type_bits(whole->base);
    if ((whole->kind != GEO_DEBUG_ARRAY && whole->kind != GEO_DEBUG_VECTOR) ||
        whole->range_count != 1 || !whole->ranges[0].count_known ||
        index >= whole->ranges[0].count || bits == 0 ||
        __builtin_mul_overflow(index, bits, &offset)) {
        return false;
    }
    record->fragment_offset += offset;
    record->fragment_size = bits;
    *type = whole->base;
    return true;
}

/* Applies the operands that select a part of the variable. */
static void indexes_read(struct debug_cursor *c, struct geo_ir_record *record)
{
    const struct geo_ir_debug_type *type = record->variable->type;
    while (debug_more(c)) {
        bool known;
        uint64_t index = debug_constant(c, &known);
        if (!known || !index_apply(record, &type, index)) {
            /* which part it is stays unknown, so the whole variable is */
            record->fragment_offset = record->fragment_size = 0;
            geo_ir_record_lose(record);
            return;
        }
    }
}

/* A value whose last step loads it is a place in memory. */
static void expression_apply(struct debug_cursor *c, const struct debug_item *item,
                             struct geo_ir_record *record)
{
    const struct debug_expression *expression = item->expression;
    uint32_t count = expression->count;
    record->fragment_offset = expression->fragment_offset;
    record->fragment_size = expression->fragment_size;
    if (record->place == GEO_PLACE_VALUE && count &&
        expression->steps[count - 1].kind == GEO_STEP_DEREF) {
        record->place = GEO_PLACE_MEMORY;
        count--;
    }
    if (expression->unknown || !geo_budget_spend(count) ||
        !geo_ir_record_steps(c->reader->module, record, 0, expression->steps, count)) {
        geo_ir_record_lose(record);
    }
}

/* DebugDeclare: variable, pointer, expression, indexes. DebugValue: variable, value, expression,
 * indexes. */
static void place_read(struct debug_cursor *c, enum geo_ir_place place)
{
    struct spirv_reader *reader = c->reader;
    const struct debug_item *variable = debug_any(c);
    struct geo_ir_record record = {.place = place};
    if (c->bad || !variable || variable->kind != DEBUG_VARIABLE || variable->broken) {
        debug_broken(reader, c->item, "needs a variable");
        return;
    }
    record.variable = variable->variable;
    record.value = value_of(reader, c->item->operands[c->at++]);
    struct geo_ir_location here = reader->debug.here;
    if (variable->inlined_at) {
        here.inlined_at = variable->inlined_at;
        here.depth = geo_ir_location(reader->module, variable->inlined_at)->depth + 1;
    }
    here.scope = here.scope ? here.scope : reader->function->scope;
    record.location = geo_ir_location_number(reader->module, &here);
    const struct debug_item *expression = debug_any(c);
    if (!record.value || record.value->kind == GEO_VALUE_UNDEF ||
        (place == GEO_PLACE_MEMORY && record.value->type->kind != GEO_TYPE_POINTER)) {
        geo_ir_record_lose(&record);
    }
    if (expression && expression->kind == DEBUG_EXPRESSION) {
        expression_apply(c, expression, &record);
    }
    indexes_read(c, &record);
    if (!reader->block) {
        debug_broken(reader, c->item, "is outside of a block");
        return;
    }
    geo_ir_record_append(reader->block, &record);
}

void debug_code(struct spirv_reader *reader, struct debug_item *item)
{
    struct debug_cursor cursor = {.reader = reader, .item = item};
    switch (item->grammar->op) {
    case DEBUG(Scope):
        scope_read(&cursor);
        break;
    case DEBUG(NoScope):
        no_scope(reader);
        break;
    case DEBUG(Line):
        line_read(&cursor);
        break;
    case DEBUG(NoLine):
        spirv_debug_no_line(reader);
        break;
    case DEBUG(Declare):
        place_read(&cursor, GEO_PLACE_MEMORY);
        break;
    case DEBUG(Value):
        place_read(&cursor, GEO_PLACE_VALUE);
        break;
    case DEBUG(FunctionDefinition): {
        const struct geo_ir_scope *scope = debug_scope(&cursor);
        if (!cursor.bad && scope && scope->kind == GEO_SCOPE_FUNCTION) {
            reader->function->scope = scope;
        }
        break;
    }
    default:
        debug_item_fill(reader, item);
        break;
    }
}
