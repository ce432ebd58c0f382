/* Cooperative matrices: how many layouts there are, and which operand of a load or store is what.
 * The numbers themselves are in numbers.def. */
#ifndef GEO_COMPILER_IR_MATRIX_H
#define GEO_COMPILER_IR_MATRIX_H

#include "compiler/ir/grammar.h"

/* Cooperative Matrix Layout: by rows, by columns, or packed (GEO_MATRIX_PACKED): row by row, but
 * what 32 bits hold of a column, of elements smaller than that, is together. */
#define GEO_MATRIX_LAYOUTS (GEO_MATRIX_PACKED + 1)

/* Operands of loads and stores; the pointer is the first one. */
struct geo_matrix_place {
    bool checked;   /* with offsets x, y and height, width of what the pointer leads to */
    uint8_t object; /* of stores; 0: none */
    uint8_t layout, stride;
    uint8_t x, height; /* y and width stand behind them */
};

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
