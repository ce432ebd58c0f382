/* Emits joint accesses, which all members of a tile make at once (analysis/tiles.h). */
#ifndef GEO_COMPILER_LOWER_CPU_CONTROL_JOINT_H
#define GEO_COMPILER_LOWER_CPU_CONTROL_JOINT_H

#include "compiler/lower/cpu/frame/tile.h"

/* Returns whether the instruction is emitted as a joint access in the current block. */
bool geo_control_is_joint(const struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Emits the access for all members. The operands of all members must be known; a load needs only
 * those of the first one. Afterwards the first member is selected. Returns false after a
 * failure. */
bool geo_control_joint(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
