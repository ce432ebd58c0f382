/* Scalar replacement: shared by its files.
 *
 * Every access of a private variable at a constant position is divided into accesses of scalars
 * (leaves). The bytes of the variable are divided into parts. A part is one scalar on which all
 * accesses agree; a row of small integers where accesses of different sizes overlap; or memory
 * where an index is not constant. Each part becomes one or more variables of its own, which mem2reg
 * turns into values. */
#ifndef GEO_COMPILER_TRANSFORM_MEMORY_SROA_H
#define GEO_COMPILER_TRANSFORM_MEMORY_SROA_H

#include "compiler/transform/pass/pass.h"

#include "compiler/transform/memory/declared.h"
#include "compiler/transform/pass/offset.h"

/* leaves of one access; larger accesses stay in memory */
#define SROA_MAX_LEAVES   GEO_LIMIT_VALUE_LEAVES
#define SROA_MAX_ACCESSES (1u << 18) /* leaves of all accesses of a function */

enum sroa_kind {
    SROA_LOAD,  /* the result of `inst` is read at `offset` */
    SROA_STORE, /* operands[value_operand] is written at `offset` */
    /* `inst` is a chain whose index value_operand is not constant: it selects from the object of
       `type` at [offset, end) */
    SROA_POINTER,
};

/* A use of a variable at a constant position. */
struct sroa_access {
    struct geo_ir_inst *inst;
    enum sroa_kind kind;
    uint32_t value_operand;
    uint64_t offset, end;
    const struct geo_ir_type *type; /* type that is loaded, stored or selected from */
};

/* A scalar, or a range of memory, that one access uses. */
struct sroa_leaf {
    uint64_t offset, end;
    const struct geo_ir_type *type; /* NULL: a range of memory */
};

/* A part of a variable's bytes. */
struct sroa_part {
    uint64_t offset, end;
    uint64_t step;                  /* bytes of each scalar; 0: memory */
    uint64_t base;                  /* memory: start of its variable, which preserves alignments */
    const struct geo_ir_type *type; /* type of each scalar, or of the memory */
    struct geo_ir_inst **variables; /* (end - offset) / step variables; one for memory */
};

/* A private variable of the function, with all its accesses. */
struct sroa_variable {
    struct geo_ir_inst *inst;
    const struct geo_ir_type *type; /* type of its contents */
    bool escapes;                   /* has a use that is not understood: not split */
    bool direct; /* a scalar that is only loaded and stored whole: left to mem2reg */
    struct {
        struct sroa_access *items;
        size_t count, capacity;
    } accesses;
    struct sroa_part *parts;
    uint32_t part_count;
};

/* The pass on one function. */
struct sroa {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_uses uses;
    struct sroa_variable *variables;
    uint32_t variable_count;
    uint32_t leaf_budget;
    struct declared_map declared;
    const bool *escaping; /* by index: variables that cannot be split; set if there are copies */
};

/* In sroa_leaves.c. `sroa_leaves` lists the scalars of a type in memory order; it returns false if
 * there are more than `limit`. Recursion is bounded by the reader's limit on nesting. */
bool sroa_is_scalar(const struct geo_ir_type *type);
bool sroa_leaves(const struct geo_ir_type *type, uint64_t offset, struct sroa_leaf *leaves,
                 uint32_t limit, uint32_t *count);

/* In sroa_collect.c. `sroa_prepare` splits copies, turns initialisers into stores and removes
 * lifetime markers. `sroa_collect` then lists all accesses of each variable. */
bool sroa_prepare(struct sroa *sroa);
bool sroa_collect(struct sroa *sroa);

/* Returns the alignment of the whole variable. */
static inline uint32_t sroa_align(const struct sroa_variable *variable)
{
    uint32_t align = variable->inst->value.align;
    return align > variable->type->align ? align : variable->type->align;
}

/* In sroa_rewrite.c. Redirects the accesses to the variables of the parts. */
bool sroa_rewrite(struct sroa *sroa, struct sroa_variable *variable);

#endif
