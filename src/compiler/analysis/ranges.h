/* Value ranges of integers, for the shapes: what a value can be in any lane of a chunk that belongs
 * to the work-group, whether it is on or not.
 *
 * One pass in reverse postorder over pure operations; phis, loads and calls are anything. Branch
 * conditions are not used, because dead lanes do not obey them. */
#ifndef GEO_COMPILER_ANALYSIS_RANGES_H
#define GEO_COMPILER_ANALYSIS_RANGES_H

#include "compiler/analysis/cfg.h"

struct geo_range {
    int64_t low, high; /* read as signed, inclusive */
    uint32_t zeros;    /* low bits known to be zero */
};

/* *out: by value index; integers only. ids_fit: global ids and sizes are below 2^31. False when the
 * arena ran out. */
bool geo_ranges_compute(const struct geo_cfg *cfg, bool ids_fit, struct geo_arena *arena,
                        struct geo_range **out);

/* The range of any integer operand, constants included. */
struct geo_range geo_range_of(const struct geo_range *ranges, const struct geo_ir_value *value);

/* The bits of a scalar integer constant, sign-extended from its width. */
bool geo_constant_signed(const struct geo_ir_value *value, int64_t *bits);

#endif
