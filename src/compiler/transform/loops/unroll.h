/* Unrolling of loops that index private arrays, or walk along records: shared by its files.
 * unroll.c has the main idea. */
#ifndef GEO_COMPILER_TRANSFORM_LOOPS_UNROLL_H
#define GEO_COMPILER_TRANSFORM_LOOPS_UNROLL_H

#include "compiler/transform/loops/loop_form.h"

/* The facts about one loop that decide whether it is unrolled. */
struct unroll_loop {
    bool needed;    /* the current array becomes values only if this loop is unrolled */
    bool chosen;    /* it is unrolled in this round: no loop around it is */
    uint32_t exit;  /* the exit whose condition is known */
    uint32_t turns; /* the turn that leaves by this exit, from 1 */
};

/* The pass on one function. */
struct unroll {
    struct loop_pass p;
    struct geo_uses uses;
    struct unroll_loop *loops;  /* by loop index */
    uint64_t *bits;             /* by value index: current value of a header's phi */
    bool *known;                /* by value index: `bits` is valid */
    uint32_t *seen;             /* by value index: the last array whose search met the value */
    uint32_t *reached;          /* by block index: the last turn that reached the block */
    struct geo_ir_block **way;  /* blocks that the current turn has yet to look at */
    struct geo_ir_value **work; /* values that the search has yet to look at */
    uint32_t work_count, array, turn;
    uint32_t steps; /* instructions that may still be evaluated */
};

/* Chooses the loops to unroll. Returns false when memory runs out; *found says whether there are
 * any. The function is in loop form, and its analyses are computed. */
bool unroll_choose(struct unroll *u, bool *found);

/* Chooses more loops behind unroll_choose, which walk along a record of each lane
 * (unroll_records.c). Sets *found if there are any. Returns false when memory runs out. */
bool unroll_choose_records(struct unroll *u, bool *found);

/* Returns whether a function has a private array of a size that may become values, or a loop that
 * may walk along a record. */
bool unroll_has_array(const struct geo_ir_function *function);
bool unroll_has_records(const struct unroll *u);

/* Runs one loop with constants, and sets its exit and turns. Returns false if it must not be
 * copied, its end is unknown, or its turns have more instructions than `limit`. */
bool unroll_runs(struct unroll *u, const struct geo_loop *loop, uint32_t limit, uint32_t *turns);

#endif
