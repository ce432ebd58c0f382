/* By how much values grow in each turn of a loop, and which accesses walk along a row or record of
 * each lane. */
#ifndef GEO_COMPILER_TRANSFORM_LOOPS_ADVANCE_H
#define GEO_COMPILER_TRANSFORM_LOOPS_ADVANCE_H

#include "compiler/analysis/loops.h"
#include "compiler/analysis/shape.h"

/* A question about a loop with one latch. */
struct loop_advance {
    const struct geo_loops *loops;
    const struct geo_loop *loop;
    /* The answer must hold for each bit. Otherwise extensions and ors count as if nothing wrapped,
       which is good enough for a choice. */
    bool exact;
    /* With `exact`: a phi of the header that does not wrap, although its flags may not say it. */
    const struct geo_ir_inst *counter;
    uint32_t counter_flags; /* GEO_VALUE_NO_SIGNED_WRAP, GEO_VALUE_NO_UNSIGNED_WRAP */
};

/* Returns whether a value of the loop, or from outside it, grows by the same number in each turn;
 * *step is that number, in bytes for pointers. */
bool loop_advance_of(const struct loop_advance *a, struct geo_ir_value *value, int64_t *step);

/* Returns whether an access may be one of a record's elements, as far as it says itself. */
bool loop_access_is_element(const struct geo_ir_inst *inst);
/* Returns whether lanes are far apart in such an access, and each goes on to the next element or to
 * the one before in each turn. */
bool loop_access_walks(const struct loop_advance *a, const struct geo_shapes *shapes,
                       const struct geo_ir_inst *inst);

#endif
