/* Operands and traits of each SPIR-V opcode, in one table, and of each instruction of OpenCL.std,
 * in another. grammar.py generates them from Khronos' machine-readable grammar, numbers.def,
 * opcodes.def and opencl_std.def. The last two have all other facts of opcodes and instructions.
 * Facts that depend on an instruction's operands are in ir.h (geo_ir_has_effect) and group_op.h.
 *
 * Operands are a string of letters; ? makes the next one optional, * repeats it:
 *   t  result type              P  id, id pairs
 *   r  result id                S  literal, label pairs (OpSwitch)
 *   i  id                       p  id, literal pairs
 *   l  literal word             M  memory access
 *   s  string                   I  image operands
 *   n  number as wide as its type
 *   L  word with parameters
 */
#ifndef GEO_COMPILER_IR_GRAMMAR_H
#define GEO_COMPILER_IR_GRAMMAR_H

#include "compiler/ir/numbers.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdint.h>

/* Properties of opcodes by which code asks for classes of instructions (geo_op_is). */
enum geo_op_traits {
    /* Where the instruction may stand. */
    GEO_IS_TYPE = 1u << 0,     /* makes a type */
    GEO_IS_CONSTANT = 1u << 1, /* makes a constant; OpUndef too */
    /* name, decoration, entry point: describes an id that is defined later */
    GEO_IS_ANNOTATION = 1u << 2,
    GEO_IS_TERMINATOR = 1u << 3, /* ends a block */
    GEO_IS_EXIT = 1u << 4,       /* a terminator that leaves the function */
    /* Effects of the instruction. */
    /* has no effect but its result (it may trap); loads do not have this trait */
    GEO_IS_PURE = 1u << 5,
    GEO_IS_ATOMIC = 1u << 6, /* operands: pointer, scope, semantics, ... */
    GEO_IS_GROUP = 1u << 7,  /* combines the values of several items (group_op.h) */
    /* a group operation or a barrier: all items have to reach it together */
    GEO_IS_COLLECTIVE = 1u << 8,
    GEO_IS_CALL = 1u << 9, /* a call, by name or through a pointer */
    GEO_IS_INTEGER_DIVISION = 1u << 10,
    /* Pointer operands[0] to a pointer result. */
    GEO_IS_ACCESS_CHAIN = 1u << 11,
    /* an access chain whose first index steps over whole pointees */
    GEO_IS_ELEMENT_CHAIN = 1u << 12,
    GEO_IS_IN_BOUNDS_CHAIN = 1u << 13, /* an access chain that stays inside its object */
    GEO_IS_SAME_ADDRESS = 1u << 14,    /* a cast or copy, of pointers and of other values */
    GEO_IS_POINTER_STEP = 1u << 15,    /* an access chain, a cast or copy, or GEO_OP_PTR_ADD */
    /* also works on cooperative matrices, element by element */
    GEO_IS_ELEMENTWISE = 1u << 16,
};

/* The rows of opcodes.def, in its order: GEO_ROW_SpvOpIAdd. They index tables of opcodes. */
enum geo_row {
    GEO_ROW_NONE, /* an opcode that the compiler does not take in functions */
#define ROW(op, ...) GEO_ROW_##op,
#include "compiler/ir/opcodes.def"
    GEO_ROW_COUNT,
};

/* The rows of opencl_std.def, in its order: GEO_OPENCL_ROW_Acos. They index tables of OpenCL.std. */
enum geo_opencl_row {
    GEO_OPENCL_ROW_NONE, /* a number that OpenCL.std does not have */
#define ROW(name, ...) GEO_OPENCL_ROW_##name,
#include "compiler/ir/opencl_std.def"
    GEO_OPENCL_ROW_COUNT,
};

/* The row of one opcode, or of one instruction of an extended set. Rows are static. */
struct geo_grammar {
    uint32_t op;
    const char *name;
    const char *operands;
    uint32_t traits; /* enum geo_op_traits */
    uint32_t row;    /* enum geo_row or enum geo_opencl_row; 0 in other sets */
};

/* Returns the row of an opcode; NULL for one that SPIR-V does not have, and for GEO_OP_*. */
const struct geo_grammar *geo_grammar_find(uint32_t op);
/* Finds an opcode by its name, such as "OpGroupIAdd". A linear search. */
const struct geo_grammar *geo_grammar_find_name(const char *name);
/* Return the row of an OpenCL.std instruction by number or by name, or NULL. Its operands leave out
 * type, result, set and number; GEO_IS_PURE is the only trait that it may have. */
const struct geo_grammar *geo_grammar_find_opencl(uint32_t number);
const struct geo_grammar *geo_grammar_find_opencl_name(const char *name);
/* Returns the row of an OpenCL.std instruction in opencl_std.def, or GEO_OPENCL_ROW_NONE. */
enum geo_opencl_row geo_grammar_opencl_row(uint32_t number);

/* The sets of debug instructions that the reader knows. */
enum geo_debug_set {
    GEO_DEBUG_OPENCL_100, /* OpenCL.DebugInfo.100: numbers are literals */
    GEO_DEBUG_SHADER_100, /* NonSemantic.Shader.DebugInfo.100: numbers are ids of constants */
    GEO_DEBUG_SHADER_200, /* NonSemantic.Shader.DebugInfo.200: as before, with more instructions */
};
/* Returns the row of a debug instruction, without traits; NULL if the set lacks it. */
const struct geo_grammar *geo_grammar_find_debug(enum geo_debug_set set, uint32_t number);

/* Returns the name of a capability, or NULL for an unknown number. A linear search. */
const char *geo_grammar_capability(uint32_t number);

/* Returns the row of an opcode (SPIR-V's or GEO_OP_*), or GEO_ROW_NONE. */
enum geo_row geo_op_row(SpvOp op);
/* Returns whether an opcode (SPIR-V's or GEO_OP_*) has at least one of these traits. */
bool geo_op_is(SpvOp op, uint32_t traits);

#endif
