/* What operands each SPIR-V instruction has, from Khronos' machine-readable grammar.
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

#include <stdint.h>

struct geo_grammar {
    uint32_t op;
    const char *name;
    const char *operands;
};

/* NULL for an opcode the grammar does not have. */
const struct geo_grammar *geo_grammar_find(uint32_t op);
/* By "OpGroupIAdd"; a linear search. */
const struct geo_grammar *geo_grammar_find_name(const char *name);
/* The same for the number of an OpenCL.std instruction; its operands do not count type, result, set
 * and number. */
const struct geo_grammar *geo_grammar_find_opencl(uint32_t number);
const struct geo_grammar *geo_grammar_find_opencl_name(const char *name);

#endif
