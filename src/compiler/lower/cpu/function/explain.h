/* Remarks on the control flow of a kernel (ir/remark.h). */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_EXPLAIN_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_EXPLAIN_H

#include "compiler/lower/cpu/function/groups.h"

/* Adds remarks on divergence, masks, barriers, regions and calls, if a report is wanted. Called
 * when the shapes and the regions of a kernel are known. */
void geo_function_explain(const struct geo_lower_groups *k);

#endif
