/* Value ranges of integers, for the shape analysis. A range holds in every lane of a chunk that
 * belongs to the work-group, active or not.
 *
 * Computed in one pass in reverse postorder over pure operations; phis, loads and calls have the
 * full range. Branch conditions are not used, because inactive lanes do not satisfy them. */
#ifndef GEO_COMPILER_ANALYSIS_RANGES_H
#define GEO_COMPILER_ANALYSIS_RANGES_H

#include "compiler/analysis/cfg.h"

/* The numbers that a value may have. */
struct geo_range {
    int64_t low, high; /* as signed numbers, inclusive */
    uint32_t zeros;    /* low bits known to be zero */
};

/* Computes the ranges of integers by value index. `ids_fit`: global ids and sizes are below 2^31.
 * Returns false when the arena is exhausted. */
bool geo_ranges_compute(const struct geo_cfg *cfg, bool ids_fit, struct geo_arena *arena,
                        struct geo_range **out);

/* Returns the range of any integer operand, including constants. */
struct geo_range geo_range_of(const struct geo_range *ranges, const struct geo_ir_value *value);

/* Returns in *bits the value of a scalar integer constant, sign-extended from its width. Returns
 * false for other values. */
bool geo_ranges_constant_signed(const struct geo_ir_value *value, int64_t *bits);

#endif
