/* Finds out whether a kernel depends on the division of its items into work-groups. */
#ifndef GEO_COMPILER_ANALYSIS_GROUPING_H
#define GEO_COMPILER_ANALYSIS_GROUPING_H

#include "compiler/ir/ir.h"

/* Returns whether the kernel's own instructions (not its callees) behave the same for any division
 * into work-groups. Then the launch may choose other group sizes than the program. */
bool geo_grouping_is_free(const struct geo_ir_function *kernel);

#endif
