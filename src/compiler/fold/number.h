/* Folding of constants: the bits of a scalar as numbers of C, and back. */
#ifndef GEO_COMPILER_FOLD_NUMBER_H
#define GEO_COMPILER_FOLD_NUMBER_H

#include "compiler/ir/ir.h"

/* Bits of a scalar: 1 for bool, 64 for pointers. */
uint32_t geo_number_width(const struct geo_ir_type *type);
/* Without the bits above `width`; sign-extended from there. */
uint64_t geo_number_cut(uint32_t width, uint64_t bits);
int64_t geo_number_signed(uint32_t width, uint64_t bits);

/* The value of a half, float or double. */
double geo_number_float(uint32_t width, uint64_t bits);
/* The nearest one. */
uint64_t geo_number_float_bits(uint32_t width, double value);
/* A float or double that modes may take for zero. */
bool geo_number_is_denormal(uint32_t width, double value);

#endif
