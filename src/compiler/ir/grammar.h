/* What is known of each SPIR-V instruction by its opcode alone, its operands and its traits: one
 * table made by grammar.py from Khronos' machine-readable grammar. What depends on an instruction's
 * operands is in ir.h (geo_ir_has_effect) and group_op.h.
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

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdint.h>

/* Instructions that Khronos' header of Debian 12 does not name yet: the rows of YOUNGER
 * in grammar.py. */
#define GEO_SPV_FMA_KHR                                4427u
#define GEO_SPV_EXT_INST_WITH_FORWARD_REFS_KHR         4433u
#define GEO_SPV_TYPE_COOPERATIVE_MATRIX_KHR            4456u
#define GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR            4457u
#define GEO_SPV_COOPERATIVE_MATRIX_STORE_KHR           4458u
#define GEO_SPV_COOPERATIVE_MATRIX_MUL_ADD_KHR         4459u
#define GEO_SPV_COOPERATIVE_MATRIX_LENGTH_KHR          4460u
#define GEO_SPV_CONSTANT_COMPOSITE_REPLICATE_EXT       4461u
#define GEO_SPV_SPEC_CONSTANT_COMPOSITE_REPLICATE_EXT  4462u
#define GEO_SPV_COMPOSITE_CONSTRUCT_REPLICATE_EXT      4463u
#define GEO_SPV_POISON_KHR                             5158u
#define GEO_SPV_FREEZE_KHR                             5159u
#define GEO_SPV_COMPOSITE_CONSTRUCT_CONTINUED_INTEL    6096u
#define GEO_SPV_CONVERT_F_TO_BF16_INTEL                6116u
#define GEO_SPV_CONVERT_BF16_TO_F_INTEL                6117u
#define GEO_SPV_ARITHMETIC_FENCE_EXT                   6145u
#define GEO_SPV_COOPERATIVE_MATRIX_LOAD_CHECKED        6193u
#define GEO_SPV_COOPERATIVE_MATRIX_STORE_CHECKED       6194u
#define GEO_SPV_COOPERATIVE_MATRIX_CONSTRUCT_CHECKED   6195u
#define GEO_SPV_SUBGROUP_BLOCK_PREFETCH_INTEL          6221u
#define GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_INTEL           6231u
#define GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_TRANSFORM_INTEL 6232u
#define GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_TRANSPOSE_INTEL 6233u
#define GEO_SPV_SUBGROUP_2D_BLOCK_PREFETCH_INTEL       6234u
#define GEO_SPV_SUBGROUP_2D_BLOCK_STORE_INTEL          6235u
#define GEO_SPV_BITWISE_FUNCTION_INTEL                 6242u
#define GEO_SPV_PREDICATED_LOAD_INTEL                  6258u
#define GEO_SPV_PREDICATED_STORE_INTEL                 6259u
#define GEO_SPV_ROUND_F_TO_TF32_INTEL                  6426u
#define GEO_SPV_MASKED_GATHER_INTEL                    6428u
#define GEO_SPV_MASKED_SCATTER_INTEL                   6429u
#define GEO_SPV_COOPERATIVE_MATRIX_ELEMENT_COORD       6440u
#define GEO_SPV_COOPERATIVE_MATRIX_PREFETCH            6449u
#define GEO_SPV_CONVERT_HANDLE_TO_IMAGE_INTEL          6529u
#define GEO_SPV_CONVERT_HANDLE_TO_SAMPLER_INTEL        6530u
#define GEO_SPV_CONVERT_HANDLE_TO_SAMPLED_IMAGE_INTEL  6531u

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
