/* Makes the metadata of types. A type may contain itself by a pointer, so a structure is entered
 * into the map before its members are made. */
#include "compiler/lower/debug/internal.h"

#include <string.h>

/* Encodings of DWARF (DW_ATE_*), by DebugBaseTypeAttributeEncoding. */
static const LLVMDWARFTypeEncoding encodings[] = {
    0, /* unspecified */
    1, /* address */
    2, /* boolean */
    4, /* float */
    5, /* signed */
    6, /* signed char */
    7, /* unsigned */
    8, /* unsigned char */
};

/* Tags of DWARF. */
enum {
    TAG_CLASS = 0x02,
    TAG_REFERENCE = 0x10,
    TAG_STRUCTURE = 0x13,
    TAG_UNION = 0x17,
    TAG_CONST = 0x26,
    TAG_VOLATILE = 0x35,
    TAG_RESTRICT = 0x37,
    TAG_RVALUE_REFERENCE = 0x42,
    TAG_ATOMIC = 0x47,
};
static const unsigned qualifiers[] = {TAG_CONST, TAG_VOLATILE, TAG_RESTRICT, TAG_ATOMIC};

/* Flags of the debug instruction sets. */
#define IS_LVALUE_REFERENCE (1u << 9)
#define IS_RVALUE_REFERENCE (1u << 10)

/* Larger arrays of a hostile module would overflow the sizes that LLVM computes. */
#define SIZE_LIMIT (UINT64_C(1) << 40)

#define POINTER_BITS 64u

static const char *text(const char *name)
{
    return name ? name : "";
}

static LLVMMetadataRef type_make(struct geo_lower_debug *debug,
                                 const struct geo_ir_debug_type *type, uint32_t depth);

/* Returns the metadata of a type inside of `depth` others. */
static LLVMMetadataRef type_get(struct geo_lower_debug *debug, const struct geo_ir_debug_type *type,
                                uint32_t depth)
{
    if (!type || type->kind == GEO_DEBUG_UNSPECIFIED || depth >= GEO_DEBUG_DEPTH) {
        return NULL;
    }
    LLVMMetadataRef made = geo_ptrmap_find(&debug->types, type);
    if (!made) {
        made = type_make(debug, type, depth + 1);
        if (made) {
            (void)geo_ptrmap_set(&debug->types, type, made); /* else it is made again */
        }
    }
    return made;
}

LLVMMetadataRef geo_debug_type(struct geo_lower_debug *debug, const struct geo_ir_debug_type *type)
{
    return type_get(debug, type, 0);
}

/* ---- sizes ---- */

uint64_t geo_debug_type_bits(const struct geo_ir_debug_type *type)
{
    uint64_t factor = 1;
    for (uint32_t depth = 0; type && depth < GEO_DEBUG_DEPTH; depth++) {
        uint64_t bits = type->size;
        if (type->kind == GEO_DEBUG_POINTER && !bits) {
            bits = POINTER_BITS;
        }
        bool counts = type->kind == GEO_DEBUG_ARRAY || type->kind == GEO_DEBUG_VECTOR ||
                      type->kind == GEO_DEBUG_MATRIX;
        for (uint32_t i = 0; counts && i < type->range_count; i++) {
            uint64_t count = type->ranges[i].count_known ? type->ranges[i].count : 0;
            count = type->kind == GEO_DEBUG_VECTOR && count == 3 ? 4 : count;
            if (__builtin_mul_overflow(factor, count, &factor) || factor > SIZE_LIMIT) {
                return 0;
            }
        }
        if (!counts && bits) {
            return bits <= SIZE_LIMIT / (factor ? factor : 1) ? bits * factor : 0;
        }
        bool wraps = counts || type->kind == GEO_DEBUG_TYPEDEF ||
                     type->kind == GEO_DEBUG_QUALIFIED || type->kind == GEO_DEBUG_ENUM;
        type = wraps ? type->base : NULL;
    }
    return 0;
}

/* ---- arrays and vectors ---- */

static LLVMMetadataRef array_make(struct geo_lower_debug *debug,
                                  const struct geo_ir_debug_type *type, LLVMMetadataRef element)
{
    enum { DIMENSIONS = 16 };
    LLVMMetadataRef ranges[DIMENSIONS];
    uint32_t count = type->range_count < DIMENSIONS ? type->range_count : DIMENSIONS;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_range *range = &type->ranges[i];
        bool known = range->count_known && range->count <= SIZE_LIMIT;
        ranges[i] = LLVMDIBuilderGetOrCreateSubrange(debug->builder, range->lower,
                                                     known ? (int64_t)range->count : -1);
    }
    uint64_t bits = geo_debug_type_bits(type);
    return type->kind == GEO_DEBUG_VECTOR
               ? LLVMDIBuilderCreateVectorType(debug->builder, bits, 0, element, ranges, count)
               : LLVMDIBuilderCreateArrayType(debug->builder, bits, 0, element, ranges, count);
}

/* ---- structures and enumerations ---- */

/* Allocates room for the metadata of members. NULL: memory ran out; the type has no members then. */
static LLVMMetadataRef *members_alloc(struct geo_lower_debug *debug,
                                      const struct geo_ir_debug_member *member)
{
    size_t count = 0;
    for (; member; member = member->next) {
        count++;
    }
    return geo_arena_new_array(debug->arena, LLVMMetadataRef, count + 1);
}

static LLVMMetadataRef enum_make(struct geo_lower_debug *debug,
                                 const struct geo_ir_debug_type *type, uint32_t depth)
{
    LLVMMetadataRef *values = members_alloc(debug, type->members);
    unsigned count = 0;
    for (const struct geo_ir_debug_member *m = type->members; m && values; m = m->next) {
        const char *name = text(m->name);
        values[count++] = LLVMDIBuilderCreateEnumerator(debug->builder, name, strlen(name),
                                                        (int64_t)m->value, type->size > 32);
    }
    const char *name = text(type->name);
    LLVMMetadataRef base = type_get(debug, type->base, depth);
    return LLVMDIBuilderCreateEnumerationType(debug->builder, debug->unit, name, strlen(name),
                                              geo_debug_file(debug, type->file), type->line,
                                              type->size ? type->size : 32, 0, values, count, base);
}

static unsigned class_tag(const struct geo_ir_debug_type *type)
{
    return type->kind == GEO_DEBUG_UNION   ? TAG_UNION
           : type->kind == GEO_DEBUG_CLASS ? TAG_CLASS
                                           : TAG_STRUCTURE;
}

static LLVMMetadataRef member_make(struct geo_lower_debug *debug, LLVMMetadataRef owner,
                                   const struct geo_ir_debug_member *member, uint32_t depth)
{
    const char *name = text(member->name);
    LLVMMetadataRef type = type_get(debug, member->type, depth);
    LLVMMetadataRef file = geo_debug_file(debug, member->file);
    if (!type || member->has_value) {
        return NULL; /* a function, a constant, or a member without information */
    }
    return member->is_base
               ? LLVMDIBuilderCreateInheritance(debug->builder, owner, type, member->offset, 0,
                                                LLVMDIFlagZero)
               : LLVMDIBuilderCreateMemberType(debug->builder, owner, name, strlen(name), file,
                                               member->line, member->size, 0, member->offset,
                                               LLVMDIFlagZero, type);
}

/* Makes the final form of a structure. `owner` stands for it in its members. */
static LLVMMetadataRef class_fill(struct geo_lower_debug *debug,
                                  const struct geo_ir_debug_type *type, LLVMMetadataRef owner,
                                  uint32_t depth)
{
    LLVMMetadataRef *members = members_alloc(debug, type->members);
    unsigned count = 0;
    for (const struct geo_ir_debug_member *m = type->members; m && members; m = m->next) {
        LLVMMetadataRef made = member_make(debug, owner, m, depth);
        if (made) {
            members[count++] = made;
        }
    }
    const char *name = text(type->name), *id = text(type->linkage_name);
    LLVMMetadataRef file = geo_debug_file(debug, type->file);
    return type->kind == GEO_DEBUG_UNION
               ? LLVMDIBuilderCreateUnionType(debug->builder, debug->unit, name, strlen(name), file,
                                              type->line, type->size, 0, LLVMDIFlagZero, members,
                                              count, 0, id, strlen(id))
               : LLVMDIBuilderCreateStructType(debug->builder, debug->unit, name, strlen(name),
                                               file, type->line, type->size, 0, LLVMDIFlagZero,
                                               NULL, members, count, 0, NULL, id, strlen(id));
}

static LLVMMetadataRef class_make(struct geo_lower_debug *debug,
                                  const struct geo_ir_debug_type *type, uint32_t depth)
{
    const char *name = text(type->name);
    LLVMMetadataRef owner = LLVMDIBuilderCreateReplaceableCompositeType(
        debug->builder, class_tag(type), name, strlen(name), debug->unit,
        geo_debug_file(debug, type->file), type->line, 0, type->size, 0, LLVMDIFlagZero, "", 0);
    if (!geo_ptrmap_set(&debug->types, type, owner)) {
        depth = GEO_DEBUG_DEPTH; /* its members must not lead back to it */
    }
    LLVMMetadataRef made = class_fill(debug, type, owner, depth);
    LLVMMetadataReplaceAllUsesWith(owner, made);
    return made;
}

/* ---- other types ---- */

static LLVMMetadataRef pointer_make(struct geo_lower_debug *debug,
                                    const struct geo_ir_debug_type *type, LLVMMetadataRef base)
{
    if (base && type->flags & (IS_LVALUE_REFERENCE | IS_RVALUE_REFERENCE)) {
        return LLVMDIBuilderCreateReferenceType(
            debug->builder,
            type->flags & IS_LVALUE_REFERENCE ? TAG_REFERENCE : TAG_RVALUE_REFERENCE, base);
    }
    return LLVMDIBuilderCreatePointerType(debug->builder, base, POINTER_BITS, 0, 0, "", 0);
}

static LLVMMetadataRef basic_make(struct geo_lower_debug *debug, const char *name, uint64_t bits,
                                  uint32_t encoding)
{
    bool known = encoding < sizeof(encodings) / sizeof(encodings[0]);
    return LLVMDIBuilderCreateBasicType(debug->builder, name, strlen(name), bits,
                                        known ? encodings[encoding] : 0, LLVMDIFlagZero);
}

static LLVMMetadataRef function_make(struct geo_lower_debug *debug,
                                     const struct geo_ir_debug_type *type, LLVMMetadataRef result,
                                     uint32_t depth)
{
    enum { PARAMETERS = 64 };
    LLVMMetadataRef types[PARAMETERS + 1] = {result};
    unsigned count = 1;
    for (const struct geo_ir_debug_member *m = type->members; m && count <= PARAMETERS;
         m = m->next) {
        types[count++] = type_get(debug, m->type, depth);
    }
    return LLVMDIBuilderCreateSubroutineType(debug->builder, debug->unknown_file, types, count,
                                             LLVMDIFlagZero);
}

static LLVMMetadataRef type_make(struct geo_lower_debug *debug,
                                 const struct geo_ir_debug_type *type, uint32_t depth)
{
    const char *name = text(type->name);
    LLVMMetadataRef base = type->kind == GEO_DEBUG_CLASS || type->kind == GEO_DEBUG_STRUCTURE ||
                                   type->kind == GEO_DEBUG_UNION || type->kind == GEO_DEBUG_ENUM
                               ? NULL
                               : type_get(debug, type->base, depth);
    switch (type->kind) {
    case GEO_DEBUG_BASIC:
        return basic_make(debug, name, type->size, type->encoding);
    case GEO_DEBUG_STRING:
        return basic_make(debug, name, type->size, 0);
    case GEO_DEBUG_POINTER:
        return pointer_make(debug, type, base);
    case GEO_DEBUG_QUALIFIED:
        return type->qualifier < sizeof(qualifiers) / sizeof(qualifiers[0])
                   ? LLVMDIBuilderCreateQualifiedType(debug->builder, qualifiers[type->qualifier],
                                                      base)
                   : base;
    case GEO_DEBUG_ARRAY:
    case GEO_DEBUG_VECTOR:
    case GEO_DEBUG_MATRIX:
        return base ? array_make(debug, type, base) : NULL;
    case GEO_DEBUG_TYPEDEF:
        return LLVMDIBuilderCreateTypedef(debug->builder, base, name, strlen(name),
                                          geo_debug_file(debug, type->file), type->line,
                                          debug->unit, 0);
    case GEO_DEBUG_FUNCTION:
        return function_make(debug, type, base, depth);
    case GEO_DEBUG_ENUM:
        return enum_make(debug, type, depth);
    case GEO_DEBUG_CLASS:
    case GEO_DEBUG_STRUCTURE:
    case GEO_DEBUG_UNION:
        return class_make(debug, type, depth);
    case GEO_DEBUG_MEMBER_POINTER: /* its size depends on the class */
    case GEO_DEBUG_UNSPECIFIED:
        return NULL;
    }
    return NULL;
}
