/* Conversions between the bits of a scalar constant and C's numbers. */
#ifndef GEO_COMPILER_FOLD_NUMBER_H
#define GEO_COMPILER_FOLD_NUMBER_H

#include "compiler/ir/ir.h"

/* Returns the width of a scalar: 1 for bool, 64 for pointers. */
uint32_t geo_number_width(const struct geo_ir_type *type);
/* Return the lowest `width` bits, zero-extended by geo_number_cut and sign-extended by
 * geo_number_signed. */
uint64_t geo_number_cut(uint32_t width, uint64_t bits);
int64_t geo_number_signed(uint32_t width, uint64_t bits);

/* Returns the value of a half, float or double. */
double geo_number_float(uint32_t width, uint64_t bits);
/* Returns the bits of the nearest half, float or double. */
uint64_t geo_number_float_bits(uint32_t width, double value);
/* Returns whether a float or double is denormal, so that float modes may flush it to zero. False
 * for half. */
bool geo_number_is_denormal(uint32_t width, double value);

#endif
