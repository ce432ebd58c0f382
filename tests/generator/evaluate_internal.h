/* The interpreter's parts: statements of one item (evaluate.c) and its expressions
 * (evaluate_expr.c), items and groups in turn (evaluate_group.c), operations of sub-groups
 * (evaluate_subgroup.c), accesses that race (evaluate_race.c). See evaluate.h. */
#ifndef GEOID_TESTS_GENERATOR_EVALUATE_INTERNAL_H
#define GEOID_TESTS_GENERATOR_EVALUATE_INTERNAL_H

#include "evaluate.h"

#include <ucontext.h>

enum { GEN_FILL = 0xA5, GEN_MAX_PATH = 128 };

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_FAILED };

enum gen_access { GEN_ACCESS_READ, GEN_ACCESS_WRITE, GEN_ACCESS_ATOMIC, GEN_ACCESS_COUNT };

enum item_state { ITEM_READY, ITEM_AT_BARRIER, ITEM_AT_SUBGROUP, ITEM_DONE };

/* An item's part in an operation of its sub-group. */
struct lane {
    uint64_t value[GEN_MAX_LEAVES], second[GEN_MAX_LEAVES], number;
    uint64_t result[GEN_MAX_LEAVES];
};

struct item {
    struct run *run;
    uint32_t local[3];
    ucontext_t context;
    enum item_state state;
    const struct gen_stmt *stmt; /* where it waits */
    struct lane *lane;           /* AT_SUBGROUP: on its stack */
    /* Where it is: statements in their blocks from the kernel down, the branch taken, the number of
     * the iteration; statements of callees follow that of the call. Grows, word by word, as the
     * item goes on: whoever has the smaller path is behind. */
    uint32_t path[GEN_MAX_PATH];
    uint32_t path_length;
};

struct run {
    const struct gen_program *program;
    uint8_t *const *memory;
    uint8_t **shared; /* by slot of the kernel */
    uint32_t group[3], group_number;
    uint32_t epoch; /* barriers that the group has passed */
    struct race_map *races;
    struct item *items;
    ucontext_t scheduler;
    bool coroutines;
    uint64_t steps;
    char *text;
    size_t text_bytes;
    bool failed;
};

struct frame {
    struct item *item;
    const struct gen_function *function;
    uint8_t **address; /* by slot */
    uint8_t *memory;
    const struct gen_stmt *target; /* of a break or continue on its way */
    uint64_t result[GEN_MAX_LEAVES];
};

/* Returns false; the first reason is kept. */
bool gen_run_fail(struct run *run, const char *reason);
/* evaluate_expr.c: values as leaves; false: the run has failed. The address is NULL then. */
bool gen_eval(struct frame *frame, const struct gen_expr *expr, uint64_t *leaves);
bool gen_eval_bool(struct frame *frame, const struct gen_expr *expr, bool *value);
/* A number below `bound`. */
bool gen_eval_index(struct frame *frame, const struct gen_expr *expr, uint32_t bound,
                    uint32_t *index);
uint8_t *gen_eval_address(struct frame *frame, const struct gen_place *place);
/* evaluate_race.c: before each access of memory that items share; false: a race, the run has
 * failed. */
bool gen_access(struct item *item, const uint8_t *address, size_t bytes, enum gen_access access);
bool gen_race_create(struct run *run); /* watches the kernel's buffers */
void gen_race_watch(struct run *run, const uint8_t *start, size_t bytes, bool local);
void gen_race_next_group(struct run *run);
void gen_race_destroy(struct run *run);
/* evaluate.c: the kernel for one item. */
void gen_item_run(struct item *item);
/* evaluate_group.c: to the scheduler, until the item may go on. False: the run has failed. */
bool gen_item_wait(struct item *item, enum item_state state, const struct gen_stmt *stmt);
/* evaluate_subgroup.c: one operation; lanes[i] is NULL when item i takes no part. NULL, or why it
 * is undefined. */
const char *gen_interpret_subgroup(const struct gen_program *program, const struct gen_stmt *stmt,
                                   struct lane *const *lanes, uint32_t size);
/* The operations that are waited for, one in each sub-group; false: there is none. */
bool gen_subgroups_advance(struct run *run);
/* One that all items of the group wait for. */
bool gen_group_advance(struct run *run);
/* Who is behind: negative when a is. */
int gen_path_compare(const struct item *a, const struct item *b);

#endif
