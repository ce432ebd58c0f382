/* Def-use lists of one function, built on demand.
 *
 * They cover parameters and instructions. Module-scope values are shared by all functions and have
 * no lists. Valid until the function changes. The function must be numbered. */
#ifndef GEO_COMPILER_ANALYSIS_USES_H
#define GEO_COMPILER_ANALYSIS_USES_H

#include "compiler/ir/ir.h"

/* One operand of an instruction that is a given value. */
struct geo_use {
    struct geo_ir_inst *user;
    uint32_t operand; /* index into user->operands */
};

/* The lists of all values of a function, in the arena that was given to geo_uses_build. */
struct geo_uses {
    struct geo_use *all;
    uint32_t *start; /* by value index: first use; [value_count] ends the last list */
};

/* Builds the lists, each in block and instruction order. Returns false when the arena is
 * exhausted. */
bool geo_uses_build(const struct geo_ir_function *function, struct geo_arena *arena,
                    struct geo_uses *out);

/* Returns whether a value belongs to a function, and so is in its lists. */
static inline bool geo_uses_is_local(const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST || value->kind == GEO_VALUE_PARAMETER;
}

/* Returns the uses of a value, and their number in *count: 0 for values at module scope. */
static inline const struct geo_use *geo_uses_of(const struct geo_uses *uses,
                                                const struct geo_ir_value *value, uint32_t *count)
{
    if (!geo_uses_is_local(value)) {
        *count = 0;
        return NULL;
    }
    *count = uses->start[value->index + 1] - uses->start[value->index];
    return uses->all + uses->start[value->index];
}

#endif
