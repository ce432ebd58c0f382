/* Types of lowered values: how a type of the model splits into parts, and what LLVM type holds one.
 *
 * Called by everything in lower/. Composite types are flattened in memory order; the depth of a
 * type is bounded by the reader, its parts are counted before anything is allocated. */
#include "compiler/lower/frame/frame.h"

static uint32_t saturate(uint64_t count)
{
    return count > GEO_LOWER_PARTS_LIMIT ? GEO_LOWER_PARTS_LIMIT + 1 : (uint32_t)count;
}

uint32_t geo_lower_part_count(const struct geo_ir_type *type)
{
    uint64_t count = 0;
    switch (type->kind) {
    case GEO_TYPE_VOID:
    case GEO_TYPE_FUNCTION:
        return 0;
    case GEO_TYPE_VECTOR:
        return (uint32_t)type->count;
    case GEO_TYPE_ARRAY:
        count = geo_lower_part_count(type->element);
        return __builtin_mul_overflow(count, type->count, &count) ? GEO_LOWER_PARTS_LIMIT + 1
                                                                  : saturate(count);
    case GEO_TYPE_STRUCT:
        for (uint64_t i = 0; i < type->count && count <= GEO_LOWER_PARTS_LIMIT; i++) {
            count += geo_lower_part_count(type->members[i]);
        }
        return saturate(count);
    default:
        return 1;
    }
}

const struct geo_ir_type *geo_lower_part_type(const struct geo_ir_type *type, uint32_t part)
{
    for (;;) {
        if (type->kind == GEO_TYPE_VECTOR) {
            return type->element;
        }
        if (type->kind == GEO_TYPE_ARRAY) {
            part %= geo_lower_part_count(type->element);
            type = type->element;
        } else if (type->kind == GEO_TYPE_STRUCT) {
            uint64_t member = 0;
            uint32_t count;
            while (part >= (count = geo_lower_part_count(type->members[member]))) {
                part -= count;
                member++;
            }
            type = type->members[member];
        } else {
            return type;
        }
    }
}

LLVMTypeRef geo_lower_scalar_type(struct geo_lower_function *f, const struct geo_ir_type *type)
{
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        return LLVMInt1TypeInContext(f->context);
    case GEO_TYPE_INT:
        return LLVMIntTypeInContext(f->context, type->width);
    case GEO_TYPE_FLOAT:
        return type->width == 16   ? LLVMInt16TypeInContext(f->context)
               : type->width == 32 ? LLVMFloatTypeInContext(f->context)
                                   : LLVMDoubleTypeInContext(f->context);
    case GEO_TYPE_VOID:
        return LLVMVoidTypeInContext(f->context);
    default: /* pointers, and handles of opaque types */
        return LLVMPointerTypeInContext(f->context, 0);
    }
}

LLVMTypeRef geo_lower_vector_type(struct geo_lower_function *f, LLVMTypeRef scalar)
{
    return f->lanes == 1 ? scalar : LLVMVectorType(scalar, f->lanes);
}
