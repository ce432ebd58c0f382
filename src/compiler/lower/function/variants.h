/* Lowering of whole functions: the chunks of a region under assumptions. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_VARIANTS_H
#define GEO_COMPILER_LOWER_FUNCTION_VARIANTS_H

#include "compiler/lower/function/groups.h"

/* Runs all chunks of the region at hand, in the variant that a value of the group chooses, where
 * variants are worth their code. `items`: of each row that are run. */
void geo_lower_variants_run(struct geo_lower_groups *k, LLVMValueRef items);

#endif
