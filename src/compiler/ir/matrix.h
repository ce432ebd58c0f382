/* Numbers of cooperative matrices that Khronos' header of Debian 12 does not name yet, and which
 * operand of a load or store is what. */
#ifndef GEO_COMPILER_IR_MATRIX_H
#define GEO_COMPILER_IR_MATRIX_H

#include "compiler/ir/grammar.h"

/* Cooperative Matrix Layout. */
enum geo_matrix_layout {
    GEO_MATRIX_ROW_MAJOR,
    GEO_MATRIX_COLUMN_MAJOR,
    /* Row by row, but what 32 bits hold of a column (of elements smaller than that) is together. */
    GEO_MATRIX_PACKED,
    GEO_MATRIX_LAYOUTS,
};

/* Cooperative Matrix Operands. */
enum geo_matrix_operands {
    GEO_MATRIX_A_SIGNED = 0x1,
    GEO_MATRIX_B_SIGNED = 0x2,
    GEO_MATRIX_C_SIGNED = 0x4,
    GEO_MATRIX_RESULT_SIGNED = 0x8,
    GEO_MATRIX_SATURATING = 0x10,
    GEO_MATRIX_AB_TF32 = 0x20,
    GEO_MATRIX_AB_BFLOAT = 0x40,
    GEO_MATRIX_C_BFLOAT = 0x80,
    GEO_MATRIX_RESULT_BFLOAT = 0x100,
};

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
