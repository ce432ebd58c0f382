/* Group operations: which there are, what their operands are, and what kind of operation each is.
 * One table for the rules (rules.c), the analyses, the transforms and lowering, so that a new
 * operation is a new row. */
#ifndef GEO_COMPILER_IR_GROUP_OP_H
#define GEO_COMPILER_IR_GROUP_OP_H

#include "compiler/ir/ir.h"

enum geo_group_family {
    GEO_GROUP_VOTE,
    GEO_GROUP_BALLOT,
    GEO_GROUP_BROADCAST,
    GEO_GROUP_SHUFFLE,
    GEO_GROUP_REDUCE, /* and scan: literals[0] says which */
    GEO_GROUP_BLOCK_IO,
    GEO_GROUP_COPY,     /* asynchronous copies of a work-group and waiting for them */
    GEO_GROUP_IMAGE_IO, /* blocks of images: calls before lowering (builtins/image_blocks.c) */
    GEO_GROUP_MATRIX,   /* loads, stores and products of cooperative matrices (rules_matrix.c) */
};

/* How two values become one. */
enum geo_group_join {
    GEO_JOIN_NONE,
    GEO_JOIN_ADD,
    GEO_JOIN_MUL,
    GEO_JOIN_SMIN,
    GEO_JOIN_UMIN,
    GEO_JOIN_FMIN,
    GEO_JOIN_SMAX,
    GEO_JOIN_UMAX,
    GEO_JOIN_FMAX,
    GEO_JOIN_AND,
    GEO_JOIN_OR,
    GEO_JOIN_XOR,
};

struct geo_group_op {
    uint32_t op;
    uint8_t family; /* enum geo_group_family */
    uint8_t join;   /* enum geo_group_join */
    bool uniform;   /* all items of the group get one value (of reductions: Reduce only) */
    /* Result and operands, a letter each; NULL: no rule.
     *
     *   -   nothing                   I F B  scalar or vector of integers, floats, bools
     *   b   a bool                    T      scalar or vector of any of the three
     *   i   an integer                N      scalar or vector of integers or floats
     *   s   the scope: an integer     v      what the result is
     *   w   four 32-bit integers      l      an integer, or a vector of up to three
     *   #   a literal group operation p      a pointer
     *   m   a 2D image                c      two 32-bit integers
     *   ?   what follows may be left out */
    const char *types;
};

/* NULL: not a group operation. */
const struct geo_group_op *geo_group_op_find(uint32_t op);
/* The scope it names; UINT32_MAX when it is not constant; sub-group where none is named. */
uint32_t geo_group_op_scope(const struct geo_group_op *group, const struct geo_ir_inst *inst);
/* Result and operands are what the row says. */
bool geo_group_op_check(const struct geo_group_op *group, const struct geo_ir_inst *inst);

#endif
