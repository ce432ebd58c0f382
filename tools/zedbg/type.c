/* Reads types from DWARF. See type.h. Types are made on demand, because they may contain themselves
 * by a pointer. */
#include "type.h"

#include "memory.h"
#include "scope.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names, qualifiers and nested structures beyond this depth are not followed. */
#define DEPTH_LIMIT 64

const struct type type_long = {.kind = TYPE_SIGNED, .name = "long", .size = 8};
const struct type type_ulong = {.kind = TYPE_UNSIGNED, .name = "ulong", .size = 8};
const struct type type_int = {.kind = TYPE_SIGNED, .name = "int", .size = 4};
const struct type type_double = {.kind = TYPE_FLOAT, .name = "double", .size = 8};
const struct type type_bool = {.kind = TYPE_BOOL, .name = "bool", .size = 1};
static const struct type type_none = {.kind = TYPE_VOID, .name = "void"};
static const struct type type_unknown = {.kind = TYPE_UNKNOWN, .name = ""};

/* ---- attributes ---- */

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) == 0 ? value
                                                                                     : otherwise;
}

/* Finds the DIE that the attribute "type" refers to; addr NULL: void. */
static Dwarf_Die inner_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die inner = {0};
    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &inner)) {
        inner.addr = NULL;
    }
    return inner;
}

static Dwarf_Die child_of(Dwarf_Die *die, int tag)
{
    Dwarf_Die child = {0};
    if (dwarf_child(die, &child) != 0) {
        return (Dwarf_Die){0};
    }
    do {
        if (dwarf_tag(&child) == tag) {
            return child;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return (Dwarf_Die){0};
}

/* ---- kinds ---- */

static enum type_kind basic_kind(Dwarf_Die *die)
{
    switch (number_of(die, DW_AT_encoding, 0)) {
    case DW_ATE_boolean:
        return TYPE_BOOL;
    case DW_ATE_float:
        return TYPE_FLOAT;
    case DW_ATE_signed:
        return TYPE_SIGNED;
    case DW_ATE_signed_char:
        return TYPE_CHARACTER;
    case DW_ATE_unsigned_char:
        return TYPE_UNSIGNED_CHARACTER;
    case DW_ATE_unsigned:
    case DW_ATE_address:
        return TYPE_UNSIGNED;
    default:
        return TYPE_UNKNOWN;
    }
}

static enum type_kind kind_of(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type:
        return basic_kind(die);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return TYPE_POINTER;
    case DW_TAG_array_type:
        return dwarf_hasattr(die, DW_AT_GNU_vector) ? TYPE_VECTOR : TYPE_ARRAY;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        return TYPE_STRUCT;
    case DW_TAG_union_type:
        return TYPE_UNION;
    case DW_TAG_enumeration_type:
        return TYPE_ENUM;
    default:
        return TYPE_UNKNOWN;
    }
}

static bool is_name(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        return true;
    default:
        return false;
    }
}

/* ---- arrays ---- */

/* Counts the elements of a dimension, and the dimensions. */
static int dimensions(Dwarf_Die *die, int wanted, uint64_t *count)
{
    Dwarf_Die child;
    int found = 0;
    *count = 0;
    if (dwarf_child(die, &child) != 0) {
        return 0;
    }
    do {
        if (dwarf_tag(&child) == DW_TAG_subrange_type) {
            if (found == wanted) {
                const uint64_t upper = number_of(&child, DW_AT_upper_bound, UINT64_MAX);
                *count = number_of(&child, DW_AT_count, upper + 1);
                *count = *count > INT64_MAX ? 0 : *count; /* -1: unknown */
            }
            found++;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return found;
}

static void array_fill(struct type *type, int dimension)
{
    const int all = dimensions(&type->die, dimension, &type->count);
    type->inner = inner_of(&type->die);
    type->dimension = dimension;
    type->size = number_of(&type->die, DW_AT_byte_size, 0);
    if (dimension + 1 < all) {
        struct type *row = memory_alloc(1, sizeof(*row));
        *row = *type;
        row->name = "";
        array_fill(row, dimension + 1);
        type->target = row;
        struct image *image = type->image;
        image->types = memory_grow(image->types, image->type_count, sizeof(row));
        image->types[image->type_count++] = row;
    } else {
        type->target = type_get(type->image, &type->inner);
    }
    if (!type->size || type->kind == TYPE_ARRAY) {
        if (__builtin_mul_overflow(type->count, type->target->size, &type->size)) {
            type->size = 0;
        }
    }
}

/* ---- copies for lanes ---- */

/* Reads the type behind the name geoid_lanes_W. See src/compiler/lower/debug/lanes.c. */
static bool lanes_fill(struct type *type, uint64_t lanes)
{
    Dwarf_Die die = type->die;
    uint64_t count;
    type->kind = TYPE_LANES;
    type->count = lanes;
    type->form = FORM_ROW;
    if (dwarf_tag(&die) == DW_TAG_union_type) { /* "interleaved": {elements, value} */
        Dwarf_Die rows = child_of(&die, DW_TAG_member), value = rows;
        if (!rows.addr || dwarf_siblingof(&rows, &value) != 0) {
            return false;
        }
        const struct type *row = type_target(type_of(type->image, &rows));
        type->form = FORM_INTERLEAVED;
        type->unit = row->size / lanes;
        type->inner = inner_of(&value);
        type->size = number_of(&die, DW_AT_byte_size, 0);
        return type->unit > 0;
    }
    if (dwarf_tag(&die) != DW_TAG_array_type || dimensions(&die, 0, &count) < 1) {
        return false;
    }
    type->inner = inner_of(&die);
    const struct type *copy = type_get(type->image, &type->inner);
    type->unit = copy->size;
    if (copy->kind == TYPE_STRUCT && strcmp(copy->name, "lane") == 0) { /* with a gap behind it */
        Dwarf_Die value = child_of(&type->inner, DW_TAG_member);
        if (!value.addr) {
            return false;
        }
        type->inner = inner_of(&value);
    }
    return !__builtin_mul_overflow(type->unit, lanes, &type->size);
}

/* ---- making ---- */

static const struct type *type_make(struct image *image, Dwarf_Die *die)
{
    struct type *type = memory_alloc(1, sizeof(*type));
    unsigned lanes = 0;
    int end = 0;
    *type = (struct type){.image = image, .name = scope_name(die), .die = *die};
    for (int depth = 0; depth < DEPTH_LIMIT && is_name(&type->die); depth++) {
        if (sscanf(scope_name(&type->die), "geoid_lanes_%u%n", &lanes, &end) != 1 || lanes > 64) {
            lanes = 0;
        }
        type->die = inner_of(&type->die);
        if (!type->die.addr) {
            type->kind = TYPE_VOID;
            break;
        }
        type->name = *type->name ? type->name : scope_name(&type->die);
        if (lanes) {
            break;
        }
    }
    image->types = memory_grow(image->types, image->type_count, sizeof(type));
    image->types[image->type_count++] = type;
    if (!type->die.addr) {
        return type;
    }
    if (lanes && lanes_fill(type, lanes)) {
        return type;
    }
    type->kind = kind_of(&type->die);
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR) {
        array_fill(type, 0);
    } else {
        type->size = number_of(&type->die, DW_AT_byte_size, type->kind == TYPE_POINTER ? 8 : 0);
        type->inner = inner_of(&type->die);
    }
    return type;
}

const struct type *type_get(struct image *image, Dwarf_Die *die)
{
    static int depth;
    if (!die->addr) {
        return &type_none;
    }
    for (size_t i = 0; i < image->type_count; i++) {
        const struct type *type = image->types[i];
        if (type->name == scope_name(die) && type->die.addr == die->addr && type->dimension == 0) {
            return type;
        }
    }
    if (depth > DEPTH_LIMIT) {
        return &type_unknown; /* an array whose elements contain it: the information is broken */
    }
    depth++;
    const struct type *made = type_make(image, die);
    depth--;
    return made;
}

const struct type *type_of(struct image *image, Dwarf_Die *die)
{
    Dwarf_Die inner = inner_of(die);
    return type_get(image, &inner);
}

const struct type *type_target(const struct type *type)
{
    if (type->target) {
        return type->target;
    }
    Dwarf_Die inner = type->inner;
    return type->image ? type_get(type->image, &inner) : &type_none;
}

const struct type *type_pointer(const struct type *target)
{
    struct type *type = scratch_alloc(sizeof(*type));
    *type = (struct type){.kind = TYPE_POINTER, .name = "", .size = 8, .target = target};
    return type;
}

void types_free(struct image *image)
{
    for (size_t i = 0; i < image->type_count; i++) {
        free(image->types[i]);
    }
    free(image->types);
    image->types = NULL;
    image->type_count = 0;
}

/* ---- members ---- */

void type_members(const struct type *type,
                  bool (*visit)(void *context, const struct type_member *member), void *context)
{
    Dwarf_Die die = type->die, child;
    bool more = true;
    if ((type->kind != TYPE_STRUCT && type->kind != TYPE_UNION) || dwarf_child(&die, &child) != 0) {
        return;
    }
    do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) {
            continue;
        }
        struct type_member member = {
            .name = scope_name(&child),
            .type = type_of(type->image, &child),
            .offset = number_of(&child, DW_AT_data_member_location, 0),
            .bit_size = (unsigned)number_of(&child, DW_AT_bit_size, 0),
        };
        const uint64_t bits = number_of(&child, DW_AT_data_bit_offset, 0);
        if (member.bit_size && bits) { /* within the piece of the member's type that it lies in */
            const uint64_t unit = member.type->size ? 8 * member.type->size : 8;
            member.offset = bits / unit * (unit / 8);
            member.bit_offset = (unsigned)(bits % unit);
        }
        more = visit(context, &member);
    } while (more && dwarf_siblingof(&child, &child) == 0);
}

struct wanted {
    const char *name;
    struct type_member *member;
    uint64_t offset; /* of the structure in the outermost one */
    int depth;
    bool found;
};

static bool wanted_visit(void *context, const struct type_member *member)
{
    struct wanted *wanted = context;
    if (strcmp(member->name, wanted->name) == 0) {
        *wanted->member = *member;
        wanted->member->offset += wanted->offset;
        wanted->found = true;
    } else if (!*member->name && wanted->depth < DEPTH_LIMIT) {
        struct wanted inner = *wanted;
        inner.offset += member->offset;
        inner.depth++;
        type_members(member->type, wanted_visit, &inner);
        wanted->found = inner.found;
    }
    return !wanted->found;
}

bool type_member(const struct type *type, const char *name, struct type_member *member)
{
    struct wanted wanted = {.name = name, .member = member};
    type_members(type, wanted_visit, &wanted);
    return wanted.found;
}

const char *type_enumerator(const struct type *type, int64_t value)
{
    Dwarf_Die die = type->die, child;
    if (type->kind != TYPE_ENUM || dwarf_child(&die, &child) != 0) {
        return NULL;
    }
    do {
        Dwarf_Attribute attribute;
        Dwarf_Sword number;
        if (dwarf_tag(&child) == DW_TAG_enumerator &&
            dwarf_formsdata(dwarf_attr(&child, DW_AT_const_value, &attribute), &number) == 0 &&
            number == value) {
            return scope_name(&child);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return NULL;
}

/* ---- properties ---- */

bool type_is_integer(const struct type *type)
{
    switch (type->kind) {
    case TYPE_SIGNED:
    case TYPE_UNSIGNED:
    case TYPE_CHARACTER:
    case TYPE_UNSIGNED_CHARACTER:
    case TYPE_BOOL:
    case TYPE_ENUM:
        return type->size <= 8;
    default:
        return false;
    }
}

bool type_is_number(const struct type *type)
{
    return type->kind == TYPE_FLOAT || type_is_integer(type);
}

bool type_is_signed(const struct type *type)
{
    return type->kind == TYPE_SIGNED || type->kind == TYPE_CHARACTER || type->kind == TYPE_ENUM;
}

/* Returns the text of an array: the dimensions, outermost first, follow the type of the elements. */
static const char *array_text(const struct type *type)
{
    const char *dimensions = "";
    while (type->kind == TYPE_ARRAY && !*type->name) {
        dimensions = scratch_format("%s[%llu]", dimensions, (unsigned long long)type->count);
        type = type_target(type);
    }
    return scratch_format("%s %s", type_text(type), dimensions);
}

const char *type_text(const struct type *type)
{
    const struct type *target = type_target(type);
    if (*type->name) {
        return type->name;
    }
    switch (type->kind) {
    case TYPE_POINTER: {
        const char *inner = type_text(target);
        return scratch_format("%s%s*", inner, inner[strlen(inner) - 1] == '*' ? "" : " ");
    }
    case TYPE_ARRAY:
        return array_text(type);
    case TYPE_STRUCT:
        return "struct {...}";
    case TYPE_UNION:
        return "union {...}";
    case TYPE_ENUM:
        return "enum {...}";
    default:
        return "?";
    }
}
