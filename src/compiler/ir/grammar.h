/* What is known of each SPIR-V instruction by its opcode alone, its operands and its traits: one
 * table made by grammar.py from Khronos' machine-readable grammar and numbers.def. What depends on
 * an instruction's operands is in ir.h (geo_ir_has_effect) and group_op.h.
 *
 * One letter per operand, ? optional, * any number:
 *   t  result type              P  id, id pairs
 *   r  result id                S  literal, label pairs (OpSwitch)
 *   i  id                       p  id, literal pairs
 *   l  literal word             M  memory access
 *   s  string                   I  image operands
 *   n  number as wide as its type
 *   L  word with parameters */
#ifndef GEO_COMPILER_IR_GRAMMAR_H
#define GEO_COMPILER_IR_GRAMMAR_H

#include "compiler/ir/numbers.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdint.h>

enum geo_op_traits {
    /* Where it stands. */
    GEO_IS_TYPE = 1u << 0,       /* makes a type */
    GEO_IS_CONSTANT = 1u << 1,   /* makes a constant; OpUndef too */
    GEO_IS_ANNOTATION = 1u << 2, /* name, decoration, entry point: speaks of what comes later */
    GEO_IS_TERMINATOR = 1u << 3, /* ends a block */
    GEO_IS_EXIT = 1u << 4,       /* a terminator that leaves the function */
    /* What it does. */
    GEO_IS_PURE = 1u << 5,       /* nothing but its result (it may trap); not of loads */
    GEO_IS_ATOMIC = 1u << 6,     /* operands: pointer, scope, semantics, ... */
    GEO_IS_GROUP = 1u << 7,      /* makes its value with other items' (group_op.h) */
    GEO_IS_COLLECTIVE = 1u << 8, /* that, or a barrier: items have to get there together */
    GEO_IS_CALL = 1u << 9,       /* by name or pointer */
    GEO_IS_INTEGER_DIVISION = 1u << 10,
    /* From operands[0], a pointer, to the result, a pointer. */
    GEO_IS_ACCESS_CHAIN = 1u << 11,
    GEO_IS_ELEMENT_CHAIN = 1u << 12,   /* a chain whose first index steps over whole pointees */
    GEO_IS_IN_BOUNDS_CHAIN = 1u << 13, /* a chain that does not leave its object */
    GEO_IS_SAME_ADDRESS = 1u << 14,    /* a cast or copy; of what is no pointer too */
    GEO_IS_POINTER_STEP = 1u << 15,    /* a chain, one of those, or GEO_OP_PTR_ADD */
};

struct geo_grammar {
    uint32_t op;
    const char *name;
    const char *operands;
    uint32_t traits; /* enum geo_op_traits */
};

/* NULL for an opcode that SPIR-V does not have (those of ours too). */
const struct geo_grammar *geo_grammar_find(uint32_t op);
/* By "OpGroupIAdd"; a linear search. */
const struct geo_grammar *geo_grammar_find_name(const char *name);
/* The same for the number of an OpenCL.std instruction; its operands do not count type, result, set
 * and number, and GEO_IS_PURE is the only trait it may have. */
const struct geo_grammar *geo_grammar_find_opencl(uint32_t number);
const struct geo_grammar *geo_grammar_find_opencl_name(const char *name);

/* The name of a capability; NULL for a number that is none. A linear search. */
const char *geo_grammar_capability(uint32_t number);

/* Has an opcode, SPIR-V's or ours, one of these traits? */
bool geo_op_is(SpvOp op, uint32_t traits);

#endif
