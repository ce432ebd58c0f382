/* The table of variants (variant.h). */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_VARIANTS_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_VARIANTS_H

#include "compiler/lower/cpu/function/variant.h"

/* Returns the rows and stores their number. */
const struct geo_variant *geo_variants_table(uint32_t *count);

#endif
