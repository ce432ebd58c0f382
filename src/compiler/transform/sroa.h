/* Scalar replacement: what its files share.
 *
 * Every access of a private variable that is at a constant place is seen as accesses of scalars
 * ("leaves"). The bytes of the variable fall into parts: a part is one scalar that all accesses
 * agree on, a row of small integers where accesses of different sizes overlap, or memory where an
 * index is not constant. Each part becomes a variable of its own; mem2reg does the rest. */
#ifndef GEO_COMPILER_TRANSFORM_SROA_H
#define GEO_COMPILER_TRANSFORM_SROA_H

#include "compiler/transform/internal.h"

#include "compiler/transform/offset.h"

#define SROA_MAX_LEAVES   GEO_LIMIT_VALUE_LEAVES /* of one access; larger ones stay in memory */
#define SROA_MAX_ACCESSES (1u << 18)             /* leaves of all accesses of a function */

enum sroa_kind {
    SROA_LOAD,    /* inst's result is read at offset */
    SROA_STORE,   /* operands[value_operand] is written at offset */
    SROA_POINTER, /* inst is a chain whose index value_operand is not constant: it selects from the
                     object of `type` at [offset, end) */
};

struct sroa_access {
    struct geo_ir_inst *inst;
    enum sroa_kind kind;
    uint32_t value_operand;
    uint64_t offset, end;
    const struct geo_ir_type *type; /* of what is loaded, stored or selected from */
};

/* A scalar (or a range of memory) in a variable, from one access. */
struct sroa_leaf {
    uint64_t offset, end;
    const struct geo_ir_type *type; /* NULL: memory */
};

struct sroa_part {
    uint64_t offset, end;
    uint64_t step; /* bytes of each scalar; 0: memory */
    uint64_t base; /* memory: where its variable begins, so that alignments stay what they were */
    const struct geo_ir_type *type; /* of each scalar; of the memory */
    struct geo_ir_inst **variables; /* [(end - offset) / step], one for memory */
};

struct sroa_variable {
    struct geo_ir_inst *inst;
    const struct geo_ir_type *type; /* the pointee */
    bool escapes;                   /* used in a way that is not understood: left alone */
    bool direct;                    /* a scalar that is only loaded and stored as such: mem2reg's */
    struct {
        struct sroa_access *items;
        size_t count, capacity;
    } accesses;
    struct sroa_part *parts;
    uint32_t part_count;
};

struct sroa {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_uses uses;
    struct sroa_variable *variables;
    uint32_t variable_count;
    uint32_t leaf_budget;
};

/* sroa_leaves.c: scalars of a type in memory order; *count <= limit, or false. Bounded by the
 * reader's limit on nesting. */
bool sroa_is_scalar(const struct geo_ir_type *type);
bool sroa_leaves(const struct geo_ir_type *type, uint64_t offset, struct sroa_leaf *leaves,
                 uint32_t limit, uint32_t *count);

/* sroa_collect.c: copies are taken apart, initialisers become stores, lifetime markers go; then
 * all accesses of each variable are listed. */
bool sroa_prepare(struct sroa *sroa);
bool sroa_collect(struct sroa *sroa);

/* Alignment of the whole variable. */
static inline uint32_t sroa_align(const struct sroa_variable *variable)
{
    uint32_t align = variable->inst->value.align;
    return align > variable->type->align ? align : variable->type->align;
}

/* sroa_rewrite.c: accesses go to the parts' variables. */
bool sroa_rewrite(struct sroa *sroa, struct sroa_variable *variable);

#endif
