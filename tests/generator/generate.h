/* Makes a random program from a seed: gen_program_make is the door, the rest is shared between
 * generate*.c.
 *
 * What keeps programs defined, terminating and race-free:
 *  - Every index, divisor, shift count and conversion to integer is guarded where it is made. NaN
 *    may be computed with but its bits are never seen (CANON before stores and bit casts).
 *  - A loop ends by its own counter, which nothing else writes; the product of all trip counts
 *    around a statement is bounded.
 *  - "Uniform" is tracked per group: barriers stand only where control flow is uniform, and uniform
 *    variables are assigned only there, uniform values only. A divergent break or continue is made
 *    only in loops that were declared divergent, a divergent return only where no barrier follows.
 *  - Outputs: an item touches only its own slots. Atomics: one operation per buffer, results unused
 *    but on own slots. Arrays shared by a group are in one of three phases that barriers separate:
 *    own slots only, any slot read-only, atomics only.
 *  - Operations of sub-groups take the items of one dynamic instance together: the same statement,
 *    calls and iterations (evaluate_subgroup.c). The specification lets items that meet where
 *    control flow joins go on together, in structured loops as in natural ones; where these two
 *    differ, on the way out of a loop (`leaving`), no such operation is made. "Whole" is tracked
 *    per sub-group, as "uniform" is per group. */
#ifndef GEOID_TESTS_GENERATOR_GENERATE_H
#define GEOID_TESTS_GENERATOR_GENERATE_H

#include "program.h"
#include "random.h"

struct gen_program *gen_program_make(uint64_t seed);

/* ---- inside ---- */

enum { GEN_MAX_SHARED = 4, GEN_MAX_LOOPS = 8 };

/* Seeds below mean what they meant before there were programs with shapes: all of the others are. */
enum { GEN_FIRST_SHAPED = 100000000 };
/* From here on their memory accesses, atomics and calls have all forms, too. */
enum { GEN_FIRST_FORMED = 200000000 };

/* TAKEN: by a pattern that is being made; nobody else touches it. */
enum gen_phase { GEN_PHASE_OWN, GEN_PHASE_READ, GEN_PHASE_ATOMIC, GEN_PHASE_TAKEN };

struct gen_shared_state {
    enum gen_phase phase[GEN_MAX_SHARED];
    enum gen_op atomic[GEN_MAX_SHARED];
};

struct gen_loop_state {
    struct gen_stmt *loop;
    bool divergent;   /* items may leave it at different times */
    bool has_barrier; /* one was made inside */
};

struct gen_context {
    struct gen_program *program;
    struct gen_random *random;
    struct gen_function *function;
    struct gen_variables buffers; /* of the kernel: inputs, outputs, atomics, shared arrays */
    struct gen_variables visible; /* of the function: values and pointers, no buffers */
    struct gen_variable *shared[GEN_MAX_SHARED];
    uint32_t shared_count;
    struct gen_shared_state state;
    bool uniform;  /* control flow here */
    bool barriers; /* may be made in this function from here on */
    bool returns;  /* divergent ones are allowed from here on */
    bool moved;    /* a barrier was made since the flag was cleared */
    bool whole;    /* all items of a sub-group are here together */
    bool only_ids; /* of sub-groups, no operations */
    bool leaving;  /* control flow here never comes back to one of the loops around */
    struct gen_loop_state loops[GEN_MAX_LOOPS];
    uint32_t loop_count;
    uint32_t depth;   /* of statements */
    uint32_t trips;   /* most times that a statement here runs */
    uint32_t budget;  /* statements left to make */
    uint32_t nesting; /* of indices inside indices */
    uint32_t cost;    /* of what was made so far */
    const struct gen_type *structs[3];
    const struct gen_type *record; /* that buffers often hold, and pass on whole; NULL: none */
    struct gen_variable *result;   /* OWN buffer of integers: where variables are shown */
    struct gen_variable *far;      /* parameter of the kernel: what is added to reach far buffers */
    struct gen_variable *me;       /* holds the item's linear number; NULL: not yet */
};

/* generate_expr.c: `uniform` asks for a value that is the same in all items of the group. */
struct gen_expr *gen_make_expr(struct gen_context *context, const struct gen_type *type,
                               uint32_t depth, bool uniform);
struct gen_expr *gen_make_bool(struct gen_context *context, uint32_t depth, bool uniform);
struct gen_expr *gen_make_const(struct gen_context *context, const struct gen_type *type,
                                uint64_t value);
struct gen_expr *gen_make_random_const(struct gen_context *context, const struct gen_type *type);
struct gen_expr *gen_make_binary(struct gen_context *context, enum gen_op op, struct gen_expr *a,
                                 struct gen_expr *b);
struct gen_expr *gen_make_unary(struct gen_context *context, enum gen_op op, struct gen_expr *a);
struct gen_expr *gen_make_load(struct gen_context *context, struct gen_place *place);
/* The same components in another scalar type, whatever the value. */
struct gen_expr *gen_make_convert(struct gen_context *context, struct gen_expr *value,
                                  const struct gen_type *scalar);
/* A value below `bound`, of 32 bits (at times extended to 64). */
struct gen_expr *gen_make_index(struct gen_context *context, uint32_t bound, uint32_t depth,
                                bool uniform);
/* NaN made 0 in every float of the value. */
struct gen_expr *gen_make_canon(struct gen_context *context, struct gen_expr *value);
/* A float without -0, for fmin and fmax: which of -0 and +0 is less is left open. */
struct gen_expr *gen_make_ordered(struct gen_context *context, const struct gen_type *type,
                                  struct gen_expr *value);
const struct gen_type *gen_random_scalar(struct gen_context *context);
const struct gen_type *gen_random_value_type(struct gen_context *context);

/* generate_memory.c */
void gen_make_buffers(struct gen_context *context, struct gen_function *kernel);
/* The parameter of the current function that stands for a kernel's buffer; made when missing. */
struct gen_variable *gen_reach_buffer(struct gen_context *context, struct gen_variable *buffer);
/* The slots of an item are scalars that lie side by side. */
bool gen_is_record(const struct gen_variable *buffer);
/* A kernel's buffer of this use, or NULL. */
struct gen_variable *gen_pick_buffer(struct gen_context *context, enum gen_use use);
struct gen_place *gen_place_create(struct gen_context *context, struct gen_variable *base,
                                   struct gen_expr *element);
/* One of the item's slots; slot NULL: a random one. */
struct gen_place *gen_own_place(struct gen_context *context, struct gen_variable *buffer,
                                struct gen_expr *slot);
/* Items that follow each other have slots side by side; one of the item's, in its row. */
bool gen_has_rows(const struct gen_context *context, const struct gen_variable *buffer);
struct gen_place *gen_own_row(struct gen_context *context, struct gen_variable *buffer);
/* Element `index` (of 32 bits) of a shared array, and how many there are that all have a value. */
struct gen_place *gen_flat_place(struct gen_context *context, struct gen_variable *array,
                                 struct gen_expr *index);
uint32_t gen_flat_length(const struct gen_context *context, const struct gen_variable *array);
/* Any slot of a shared array of the group (phase READ or ATOMIC). */
struct gen_place *gen_any_place(struct gen_context *context, struct gen_variable *array,
                                bool uniform);
struct gen_place *gen_input_place(struct gen_context *context, struct gen_variable *buffer,
                                  bool uniform);
/* An element of a constant table; NULL when there is none. */
struct gen_place *gen_table_place(struct gen_context *context, bool uniform);
/* Makes the place of a private variable one of two variables; false: there is no second one. */
bool gen_make_either(struct gen_context *context, struct gen_place *place, bool uniform);
struct gen_expr *gen_linear_id(struct gen_context *context, bool of_group_items);
struct gen_expr *gen_id(struct gen_context *context, enum gen_id id, uint32_t dimension);
/* The item's place along one dimension, from 0. */
struct gen_expr *gen_global_from_zero(struct gen_context *context, uint32_t dimension);
/* Walks on at random until a scalar or vector is reached; `deep`: until a scalar. */
void gen_place_descend(struct gen_context *context, struct gen_place *place, bool uniform,
                       bool deep);

/* generate_stmt.c: plain statements */
struct gen_variable *gen_make_variable(struct gen_context *context, const struct gen_type *type);
void gen_make_assign(struct gen_context *context, struct gen_block *block, struct gen_place *place,
                     struct gen_expr *value);
/* A private variable that may be written here, of this type (NULL: any); NULL when there is none.
 */
struct gen_variable *gen_writable(struct gen_context *context, const struct gen_type *type);
/* A variable gets another value. */
void gen_make_update(struct gen_context *context, struct gen_block *block);
/* One statement without control flow. */
void gen_make_simple(struct gen_context *context, struct gen_block *block);
/* Calls a function made before; false: there is none that may be called here. */
bool gen_make_call(struct gen_context *context, struct gen_block *block);
/* all_own: into phase OWN everywhere; otherwise phases at random. */
void gen_make_barrier(struct gen_context *context, struct gen_block *block, bool own);
/* Folds the variables into the result buffer. */
void gen_make_show(struct gen_context *context, struct gen_block *block);

/* generate_operand.c */
const struct gen_type *gen_u32_type(struct gen_context *context);
struct gen_expr *gen_u32_const(struct gen_context *context, uint32_t value);
/* Any value of 32 bits below `bound`. */
struct gen_expr *gen_make_below(struct gen_context *context, uint32_t bound, bool uniform);
/* A scalar or short vector of bools, ints, floats, or (VOID) any of them. */
const struct gen_type *gen_random_group_type(struct gen_context *context, enum gen_kind kind);
/* A value; one that may be joined with others, in any order; one that is often the same for all. */
struct gen_expr *gen_make_plain(struct gen_context *context, const struct gen_type *type);
struct gen_expr *gen_make_reduced(struct gen_context *context, enum gen_op join);
struct gen_expr *gen_make_compared(struct gen_context *context);
/* Four words without bits that a partial sub-group has no items for. */
struct gen_expr *gen_cut_ballot(struct gen_context *context, struct gen_expr *value);
/* A number below `bound` (a power of two), a condition, that often divide a sub-group. */
struct gen_expr *gen_make_scattered(struct gen_context *context, uint32_t bound);
struct gen_expr *gen_make_division(struct gen_context *context);

/* generate_subgroup.c */
/* An operation of sub-groups; false: none may stand here. */
bool gen_make_subgroup(struct gen_context *context, struct gen_block *block);
/* An operation of the group; false: none may stand here. */
bool gen_make_collective(struct gen_context *context, struct gen_block *block);
/* What the items that are here agree on: a condition, a number below `bound` (a power of two). */
struct gen_expr *gen_make_agreed(struct gen_context *context, struct gen_block *block);
struct gen_expr *gen_make_agreed_count(struct gen_context *context, struct gen_block *block,
                                       uint32_t bound);

/* generate_corner.c */
/* The same number by sums of which parts wrap. */
struct gen_expr *gen_make_wrapped(struct gen_context *context, struct gen_expr *index);
/* Reads an own place so. */
void gen_make_wraps(struct gen_context *context, struct gen_block *block);
/* A question about a generic pointer, of 32 bits. In kernels. */
struct gen_expr *gen_make_space(struct gen_context *context);
/* Some items of the kernel are done here, whatever barriers follow. */
void gen_make_return(struct gen_context *context, struct gen_block *block);

/* generate_shape.c: programs with shapes */
void gen_choose_shape(struct gen_context *context);
/* A number that follows from ids (`uniform`: from the group's), of 32 or 64 bits; below `bound`. */
struct gen_expr *gen_make_number(struct gen_context *context, bool uniform);
struct gen_expr *gen_make_number_below(struct gen_context *context, uint32_t bound, bool uniform);
/* A condition that holds for the first items of some row, or for the others. */
struct gen_expr *gen_make_front(struct gen_context *context);

/* generate_pattern.c */
/* What kernels do with shared memory, between barriers; false: it came to nothing. Where barriers
 * may stand and there are shared arrays. */
bool gen_make_pattern(struct gen_context *context, struct gen_block *block);

/* generate_flow.c: statements with blocks inside */
void gen_make_block(struct gen_context *context, struct gen_block *block, uint32_t count);

#endif
