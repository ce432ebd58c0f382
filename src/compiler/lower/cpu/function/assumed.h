/* Emits the chunks of a region under assumptions about a value. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_VARIANTS_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_VARIANTS_H

#include "compiler/lower/cpu/function/groups.h"

/* Runs all chunks of the current region. If variants pay, a value of the group selects the variant.
 * `items` is the number of items of each row that are run. */
void geo_function_variants_run(struct geo_lower_groups *k, LLVMValueRef items);

#endif
