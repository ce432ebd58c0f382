/* Lowers block reads and writes of sub-groups. */
#ifndef GEO_COMPILER_LOWER_CPU_GROUP_BLOCK_IO_H
#define GEO_COMPILER_LOWER_CPU_GROUP_BLOCK_IO_H

#include "compiler/lower/state/function.h"

bool geo_group_block_io(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
