/* Whether the items of a kernel know anything of their work-group. */
#ifndef GEO_COMPILER_ANALYSIS_GROUPING_H
#define GEO_COMPILER_ANALYSIS_GROUPING_H

#include "compiler/ir/ir.h"

/* True: the kernel does the same in whatever groups its items run, as far as its own instructions
 * go (not what it calls). So the launch may choose other groups than the program did. */
bool geo_grouping_is_free(const struct geo_ir_function *kernel);

#endif
