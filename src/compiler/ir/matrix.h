/* Layouts of cooperative matrices, and the positions of operands in their loads and stores. The
 * opcodes and enumerants are in numbers.def. */
#ifndef GEO_COMPILER_IR_MATRIX_H
#define GEO_COMPILER_IR_MATRIX_H

#include "compiler/ir/grammar.h"

/* Number of Cooperative Matrix Layouts: row-major, column-major, packed (GEO_MATRIX_PACKED). Packed
 * is row-major, but elements smaller than 32 bits that fill one 32-bit word belong to one
 * column. */
#define GEO_MATRIX_LAYOUTS (GEO_MATRIX_PACKED + 1)

/* Indices of the operands of a matrix load or store; the pointer is operand 0. */
struct geo_matrix_place {
    bool checked;   /* has offsets x, y, and height and width of the matrix in memory */
    uint8_t object; /* the stored value; 0: a load */
    uint8_t layout, stride;
    uint8_t x, height; /* y follows x, width follows height */
};

/* Returns the positions of the operands of a matrix load or store. */
static inline struct geo_matrix_place geo_matrix_place_of(uint32_t op)
{
    switch (op) {
    case GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR:
        return (struct geo_matrix_place){.layout = 1, .stride = 2};
    case GEO_SPV_COOPERATIVE_MATRIX_STORE_KHR:
        return (struct geo_matrix_place){.object = 1, .layout = 2, .stride = 3};
    case GEO_SPV_COOPERATIVE_MATRIX_LOAD_CHECKED:
        return (struct geo_matrix_place){
            .checked = true, .x = 1, .layout = 3, .height = 4, .stride = 6};
    default: /* GEO_SPV_COOPERATIVE_MATRIX_STORE_CHECKED */
        return (struct geo_matrix_place){
            .checked = true, .x = 1, .object = 3, .layout = 4, .height = 5, .stride = 7};
    }
}

#endif
