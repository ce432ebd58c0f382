/* Accesses that all members of a tile make at once (analysis/tiles.h). */
#ifndef GEO_COMPILER_LOWER_CONTROL_JOINT_H
#define GEO_COMPILER_LOWER_CONTROL_JOINT_H

#include "compiler/lower/frame/tile.h"

/* Whether the instruction is emitted here, for all members, in the block at hand. */
bool geo_lower_is_joint(const struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* What it reads is known of all members, of a load only the first one's. The first member is
 * selected afterwards. False after a failure. */
bool geo_lower_joint(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
