/* Shared by the files of the large values pass.
 *
 * A value's place is a private variable of its own, or the memory that it was loaded from, if that
 * still holds the value at all its uses. */
#ifndef GEO_COMPILER_TRANSFORM_MEMORY_LARGE_VALUES_H
#define GEO_COMPILER_TRANSFORM_MEMORY_LARGE_VALUES_H

#include "compiler/transform/pass/pass.h"

/* pointer NULL: no place, it stays a value */
struct large_place {
    struct geo_ir_value *pointer;
    uint32_t align;
};

/* The pass on one function. */
struct large {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_uses uses;
    /* by value index of an instruction: number of writes before it in its block */
    uint32_t *writes;
    struct large_place *places;    /* by value index */
    struct large_place *arrivals;  /* by value index of a phi: the place that predecessors write */
    struct large_place *constants; /* by module value index: variables that hold constants */
    uint32_t local_count;          /* number of values before the pass adds any */
    struct geo_ir_inst *start;     /* first instruction of the function behind its variables */
};

static inline bool large_is_composite(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_STRUCT || type->kind == GEO_TYPE_ARRAY;
}

/* Returns whether a value has too many scalars to stay a value. */
static inline bool large_is(const struct geo_ir_value *value)
{
    return large_is_composite(value->type) && value->type->leaves > GEO_LIMIT_VALUE_LEAVES;
}

/* Returns the memory that a load reads or a store writes. */
static inline struct large_place large_accessed(const struct geo_ir_inst *inst,
                                                const struct geo_ir_type *type)
{
    return (struct large_place){inst->operands[0],
                                inst->memory_align ? inst->memory_align : type->align};
}

/* Defined in large_values_rewrite.c. They return false when memory runs out. `large_variable`
 * creates a private variable for a value. */
bool large_variable(struct large *large, const struct geo_ir_value *value,
                    struct large_place *place);
/* Stores a value in a place, in front of an instruction. */
bool large_store(struct large *large, struct geo_ir_inst *before, struct large_place place,
                 struct geo_ir_value *value);
/* Rewrites an instruction to write its result to its place and read its operands from theirs.
 * Called when all values have their places. */
bool large_rewrite(struct large *large, struct geo_ir_inst *inst);

#endif
