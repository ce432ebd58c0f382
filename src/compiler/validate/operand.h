/* Queries of operand types, shared by the type rules (rules*.c). */
#ifndef GEO_COMPILER_VALIDATE_OPERAND_H
#define GEO_COMPILER_VALIDATE_OPERAND_H

#include "compiler/ir/ir.h"

#include <stddef.h>

/* Class of a type's scalars. */
enum scalar_class {
    ANY,
    INT,
    FLOAT,
    REAL,   /* FLOAT or bfloat16 */
    NUMBER, /* INT or FLOAT */
    BOOL,
    POINTER,
};

/* Returns whether a type, or the components of a vector, are of the wanted class. */
static inline bool class_fits(enum scalar_class wanted, const struct geo_ir_type *type)
{
    enum geo_ir_type_kind kind = geo_ir_scalar_of(type)->kind;
    bool bfloat = geo_ir_is_bfloat(geo_ir_scalar_of(type));
    switch (wanted) {
    case INT:
        return kind == GEO_TYPE_INT && !bfloat;
    case REAL:
        return kind == GEO_TYPE_FLOAT || bfloat;
    case FLOAT:
        return kind == GEO_TYPE_FLOAT;
    case NUMBER:
        return (kind == GEO_TYPE_INT && !bfloat) || kind == GEO_TYPE_FLOAT;
    case BOOL:
        return kind == GEO_TYPE_BOOL;
    case POINTER:
        return kind == GEO_TYPE_POINTER;
    default:
        return true;
    }
}

static inline const struct geo_ir_type *operand_type(const struct geo_ir_inst *inst, uint32_t i)
{
    return inst->operands[i]->type;
}

static inline bool is_int(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT && !geo_ir_is_bfloat(type);
}

/* Returns whether a type is a pointer whose pointee is known. */
static inline bool is_pointer(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_POINTER && type->element;
}

static inline bool is_composite(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
           type->kind == GEO_TYPE_STRUCT;
}

/* Returns the type of the member at a constant index; NULL if the index is out of range. */
static inline const struct geo_ir_type *member_at(const struct geo_ir_type *type, uint64_t index)
{
    if (!is_composite(type) || index >= type->count) {
        return NULL;
    }
    return type->kind == GEO_TYPE_STRUCT ? type->members[index] : type->element;
}

#endif
