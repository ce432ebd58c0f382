/* The operands of OpSubgroupMatrixMultiplyAccumulateINTEL: K, then matrices A, B and C. Each item
 * passes a number or a vector of each matrix. A component of A or B may hold several elements. The
 * literal, whose bits are in numbers.def, says how the components are interpreted. */
#ifndef GEO_COMPILER_IR_MULTIPLY_H
#define GEO_COMPILER_IR_MULTIPLY_H

#include "compiler/ir/ir.h"

/* The interpretation of a matrix's elements. */
enum geo_element {
    GEO_ELEMENT_SIGNED,
    GEO_ELEMENT_UNSIGNED,
    GEO_ELEMENT_FLOAT, /* float of any width */
    GEO_ELEMENT_TF32,
    GEO_ELEMENT_BFLOAT,
};

/* How one of the four matrices is passed. */
struct geo_multiply_matrix {
    enum geo_element kind;
    uint32_t bits;       /* of an element */
    uint32_t packed;     /* elements in a component */
    uint32_t components; /* in each item */
};

/* Which matrix; A, B and C are the operands of these numbers. */
enum geo_multiply_of {
    GEO_MULTIPLY_RESULT,
    GEO_MULTIPLY_A,
    GEO_MULTIPLY_B,
    GEO_MULTIPLY_C,
};

/* Describes a matrix. Returns false if the literal does not fit its type. */
bool geo_multiply_describe(const struct geo_ir_inst *inst, enum geo_multiply_of of,
                           struct geo_multiply_matrix *matrix);

static inline bool geo_multiply_is_real(enum geo_element kind)
{
    return kind > GEO_ELEMENT_UNSIGNED;
}

#endif
