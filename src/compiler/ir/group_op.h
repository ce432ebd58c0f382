/* Table of group operations, made of their rows in opcodes.def: family and types of operands. The
 * validation rules (rules.c), analyses, transforms and lowering all use it. */
#ifndef GEO_COMPILER_IR_GROUP_OP_H
#define GEO_COMPILER_IR_GROUP_OP_H

#include "compiler/ir/ir.h"

/* Group operations that are treated alike. */
enum geo_group_family {
    GEO_GROUP_VOTE,
    GEO_GROUP_BALLOT,
    GEO_GROUP_BROADCAST,
    GEO_GROUP_SHUFFLE,
    GEO_GROUP_REDUCE, /* reductions and scans: literals[0] says which */
    GEO_GROUP_BLOCK_IO,
    GEO_GROUP_COPY, /* asynchronous copies of a work-group, and waits for them */
    /* block reads and writes of images: they are calls before lowering (builtins/image_blocks.c) */
    GEO_GROUP_IMAGE_IO,
    GEO_GROUP_MATRIX,   /* loads, stores and products of cooperative matrices (rules_matrix.c) */
    GEO_GROUP_MULTIPLY, /* products of matrices that items pass in parts (ir/multiply.h) */
};

/* The binary operation of a reduction or scan. */
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

/* The row of one opcode. Rows are static. */
struct geo_group_op {
    uint32_t op;
    uint8_t family; /* enum geo_group_family */
    uint8_t join;   /* enum geo_group_join */
    bool uniform;   /* all items of the group get the same value (of reductions: Reduce only) */
    /* Types of result and operands, one letter each; NULL: not checked.

         -   nothing                   I F B  scalar or vector of integers, floats, bools
         b   a bool                    T      scalar or vector of any of the three
         i   an integer                N      scalar or vector of integers or floats
         s   the scope: an integer     v      the type of the result
         w   four 32-bit integers      l      an integer, or a vector of up to three
         #   a literal group operation p      a pointer
         m   a 2D image                c      two 32-bit integers
         k   w for operations on a partition, else i
         ?   the rest is optional
       */
    const char *types;
};

/* Returns the row of an opcode, or NULL if it is not a group operation. */
const struct geo_group_op *geo_group_op_find(uint32_t op);
/* Returns the scope operand. Without a scope operand: sub-group. If the operand is not constant:
 * UINT32_MAX. */
uint32_t geo_group_op_scope(const struct geo_group_op *group, const struct geo_ir_inst *inst);
/* Returns whether result and operands have the types that the row demands. */
bool geo_group_op_check(const struct geo_group_op *group, const struct geo_ir_inst *inst);

#endif
