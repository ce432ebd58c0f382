/* Fills the types of debug instructions and their members. See debug_item.h. */
#include "compiler/spirv/debug_item.h"

/* The high half of the generator's word of the Khronos translator. */
#define GENERATOR_TRANSLATOR 6u

static void declaration_fill(struct debug_cursor *c, struct geo_ir_debug_type *type)
{
    type->file = debug_file(c);
    type->line = (uint32_t)debug_number(c);
    type->column = (uint32_t)debug_number(c);
    type->parent = debug_scope(c);
}

/* ---- arrays ---- */

static struct geo_ir_range *ranges_make(struct debug_cursor *c, struct geo_ir_debug_type *type,
                                        uint32_t count)
{
    struct geo_ir_range *ranges =
        count ? debug_alloc(c->reader, count * sizeof(struct geo_ir_range)) : NULL;
    type->ranges = ranges;
    type->range_count = ranges ? count : 0;
    return ranges;
}

/* Operands: lowest index, highest index, count. */
static void range_fill(struct debug_cursor *c)
{
    bool known, bounded;
    struct geo_ir_range *range = c->item->range;
    uint64_t lower = debug_constant(c, &known);
    range->lower = known ? (int64_t)lower : 0;
    uint64_t upper = debug_constant(c, &bounded);
    range->count = debug_constant(c, &range->count_known);
    if (!range->count_known && bounded) {
        range->count = upper - (uint64_t)range->lower + 1;
        range->count_known = true;
    }
}

/* Reads one dimension: the id of its length, or of a DebugTypeSubrange. */
static void range_read(struct debug_cursor *c, struct geo_ir_range *range)
{
    uint32_t word = c->item->operands[c->at];
    struct debug_item *item = debug_item_of(c->reader, word);
    if (item && item->kind == DEBUG_RANGE) {
        struct debug_cursor inner = {.reader = c->reader, .item = item};
        if (debug_item_begin(item)) {
            range_fill(&inner);
        }
        *range = *item->range;
        c->at++;
        return;
    }
    range->count = debug_constant(c, &range->count_known);
    range->count_known &= range->count != 0; /* 0: its length is unknown */
}

/* Operands: base, length of each dimension. The Khronos translator appends the lowest index of each
 * dimension, unless they are DebugTypeSubranges. */
static void array_fill(struct debug_cursor *c, struct geo_ir_debug_type *type)
{
    type->kind = GEO_DEBUG_ARRAY;
    type->base = debug_type(c);
    uint32_t count = c->item->count - c->at;
    const struct debug_item *first =
        count ? debug_item_of(c->reader, c->item->operands[c->at]) : NULL;
    bool doubled = c->reader->module->generator >> 16 == GENERATOR_TRANSLATOR && count % 2 == 0 &&
                   !(first && first->kind == DEBUG_RANGE);
    count = doubled ? count / 2 : count;
    struct geo_ir_range *ranges = ranges_make(c, type, count);
    for (uint32_t i = 0; ranges && i < count && !c->bad; i++) {
        range_read(c, &ranges[i]);
    }
    for (uint32_t i = 0; ranges && doubled && i < count && !c->bad; i++) {
        bool known;
        uint64_t lower = debug_constant(c, &known);
        ranges[i].lower = known ? (int64_t)lower : 0;
    }
}

/* Operands: base, three expressions and the rank, of which the model keeps none; dimensions. */
static void dynamic_array_fill(struct debug_cursor *c, struct geo_ir_debug_type *type)
{
    type->kind = GEO_DEBUG_ARRAY;
    type->dynamic = true;
    type->base = debug_type(c);
    c->at += 4;
    uint32_t count = c->item->count > c->at ? c->item->count - c->at : 0;
    struct geo_ir_range *ranges = ranges_make(c, type, count);
    for (uint32_t i = 0; ranges && i < count && !c->bad; i++) {
        range_read(c, &ranges[i]);
    }
}

static void vector_fill(struct debug_cursor *c, struct geo_ir_debug_type *type, bool is_matrix)
{
    type->kind = is_matrix ? GEO_DEBUG_MATRIX : GEO_DEBUG_VECTOR;
    type->base = debug_type(c);
    uint64_t count = debug_number(c);
    type->column_major = is_matrix && debug_number(c) != 0;
    struct geo_ir_range *range = ranges_make(c, type, 1);
    if (range) {
        range->count = count;
        range->count_known = count != 0;
    }
}

/* ---- types with members ---- */

static struct geo_ir_debug_member *member_add(struct debug_cursor *c,
                                              const struct geo_ir_debug_member ***end)
{
    struct geo_ir_debug_member *member = debug_alloc(c->reader, sizeof(*member));
    if (member) {
        **end = member;
        *end = &member->next;
    }
    return member;
}

/* Operands: flags, type of the result, types of the parameters. */
static void function_fill(struct debug_cursor *c, struct geo_ir_debug_type *type)
{
    type->kind = GEO_DEBUG_FUNCTION;
    type->flags = (uint32_t)debug_number(c);
    type->base = debug_type(c);
    const struct geo_ir_debug_member **end = &type->members;
    while (debug_more(c)) {
        struct geo_ir_debug_member *member = member_add(c, &end);
        const struct geo_ir_debug_type *of = debug_type(c);
        if (member) {
            member->type = of;
        }
    }
}

/* Operands: name, underlying type, source, line, column, parent, size, flags, pairs of a value and
 * a name. The Khronos translator writes the flags twice for sets of NonSemantic.Shader. */
static void enum_fill(struct debug_cursor *c, struct geo_ir_debug_type *type)
{
    type->kind = GEO_DEBUG_ENUM;
    type->name = debug_text(c);
    type->base = debug_type(c);
    declaration_fill(c, type);
    type->size = debug_number(c);
    type->flags = (uint32_t)debug_number(c);
    const struct geo_ir_debug_member **end = &type->members;
    while (debug_more(c)) {
        struct geo_ir_debug_member *member = member_add(c, &end);
        uint64_t value = debug_number(c);
        const char *name = debug_text(c);
        if (member) {
            member->has_value = true;
            member->value = value;
            member->name = name;
        }
    }
}

/* Operands: name, type, source, line, column, (parent,) offset, size, flags, value. */
static void member_fill(struct debug_cursor *c)
{
    struct geo_ir_debug_member *member = c->item->member;
    bool opencl = c->item->set == GEO_DEBUG_OPENCL_100;
    if (c->item->grammar->op == DEBUG(TypeInheritance)) {
        member->is_base = true;
        c->at += opencl ? 1 : 0; /* the derived class */
        member->type = debug_type(c);
    } else {
        member->name = debug_text(c);
        member->type = debug_type(c);
        member->file = debug_file(c);
        member->line = (uint32_t)debug_number(c);
        member->column = (uint32_t)debug_number(c);
        c->at += opencl ? 1 : 0; /* the parent */
    }
    member->offset = debug_number(c);
    member->size = debug_number(c);
    member->flags = (uint32_t)debug_number(c);
    member->value = debug_constant(c, &member->has_value);
}

/* Operands: name, tag, source, line, column, parent, linkage name, size, flags, members. Member
 * functions are scopes that name the type as their parent. */
static void composite_fill(struct debug_cursor *c, struct geo_ir_debug_type *type)
{
    type->name = debug_text(c);
    uint64_t tag = debug_number(c);
    type->kind = tag == NonSemanticShaderDebugInfo100Class   ? GEO_DEBUG_CLASS
                 : tag == NonSemanticShaderDebugInfo100Union ? GEO_DEBUG_UNION
                                                             : GEO_DEBUG_STRUCTURE;
    declaration_fill(c, type);
    type->linkage_name = debug_text(c);
    type->size = debug_number(c);
    type->flags = (uint32_t)debug_number(c);
    const struct geo_ir_debug_member **end = &type->members;
    while (debug_more(c)) {
        struct debug_item *item = debug_any(c);
        if (!item || item->kind != DEBUG_MEMBER) {
            continue;
        }
        struct debug_cursor inner = {.reader = c->reader, .item = item};
        if (debug_item_begin(item)) {
            member_fill(&inner);
        }
        struct geo_ir_debug_member *member = item->broken ? NULL : member_add(c, &end);
        if (member) {
            *member = *item->member;
            member->next = NULL;
        }
    }
}

void debug_type_fill(struct debug_cursor *c)
{
    struct geo_ir_debug_type *type = c->item->type;
    if (c->item->kind == DEBUG_MEMBER) {
        member_fill(c);
        return;
    }
    if (c->item->kind == DEBUG_RANGE) {
        range_fill(c);
        return;
    }
    switch (c->item->grammar->op) {
    case DEBUG(TypeBasic):
        type->kind = GEO_DEBUG_BASIC;
        type->name = debug_text(c);
        type->size = debug_number(c);
        type->encoding = (uint32_t)debug_number(c);
        break;
    case DEBUG(TypePointer):
        type->kind = GEO_DEBUG_POINTER;
        type->base = debug_type(c);
        type->storage = (uint32_t)debug_number(c);
        type->flags = (uint32_t)debug_number(c);
        break;
    case DEBUG(TypeQualifier):
        type->kind = GEO_DEBUG_QUALIFIED;
        type->base = debug_type(c);
        type->qualifier = (uint32_t)debug_number(c);
        break;
    case DEBUG(TypeArray):
        array_fill(c, type);
        break;
    case GEO_SPV_DEBUG_TYPE_ARRAY_DYNAMIC:
        dynamic_array_fill(c, type);
        break;
    case DEBUG(TypeVector):
        vector_fill(c, type, false);
        break;
    case DEBUG(TypeMatrix):
        vector_fill(c, type, true);
        break;
    case DEBUG(Typedef):
        type->kind = GEO_DEBUG_TYPEDEF;
        type->name = debug_text(c);
        type->base = debug_type(c);
        declaration_fill(c, type);
        break;
    case DEBUG(TypeFunction):
        function_fill(c, type);
        break;
    case DEBUG(TypeEnum):
        enum_fill(c, type);
        break;
    case DEBUG(TypePtrToMember):
        type->kind = GEO_DEBUG_MEMBER_POINTER;
        type->base = debug_type(c);
        type->owner = debug_type(c);
        break;
    case GEO_SPV_DEBUG_TYPE_STRING: /* name, two expressions, size */
        type->kind = GEO_DEBUG_STRING;
        type->name = debug_text(c);
        c->at += 2;
        type->size = debug_number(c);
        break;
    default:
        composite_fill(c, type);
        break;
    }
}
