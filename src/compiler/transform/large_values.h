/* Large values in memory: what its files share.
 *
 * A value has a place: a private variable of its own, or the memory that it was loaded from, where
 * that holds it wherever it is used. */
#ifndef GEO_COMPILER_TRANSFORM_LARGE_VALUES_H
#define GEO_COMPILER_TRANSFORM_LARGE_VALUES_H

#include "compiler/transform/internal.h"

/* No pointer: nowhere, it stays a value. */
struct large_place {
    struct geo_ir_value *pointer;
    uint32_t align;
};

struct large {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_uses uses;
    uint32_t *writes;           /* [value index] of an instruction: writes before it in its block */
    struct large_place *places; /* [value index] */
    struct large_place *arrivals;  /* [value index] of a phi: what the blocks before it write */
    struct large_place *constants; /* [module value index]: variables that hold them */
    uint32_t local_count;          /* of values that the function has without what is made */
    struct geo_ir_inst *start;     /* of the function, behind its variables */
};

static inline bool large_is_composite(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_STRUCT || type->kind == GEO_TYPE_ARRAY;
}

static inline bool large_is(const struct geo_ir_value *value)
{
    return large_is_composite(value->type) && value->type->leaves > GEO_LIMIT_VALUE_LEAVES;
}

/* The memory that a load reads, a store writes. */
static inline struct large_place large_accessed(const struct geo_ir_inst *inst,
                                                const struct geo_ir_type *type)
{
    return (struct large_place){inst->operands[0],
                                inst->memory_align ? inst->memory_align : type->align};
}

/* large_values_rewrite.c: false, without memory. A private variable for a value. */
bool large_variable(struct large *large, const struct geo_ir_value *value,
                    struct large_place *place);
bool large_store(struct large *large, struct geo_ir_inst *before, struct large_place place,
                 struct geo_ir_value *value);
/* What an instruction makes goes to its place, and what it uses comes from there, once all values
 * have theirs. */
bool large_rewrite(struct large *large, struct geo_ir_inst *inst);

#endif
