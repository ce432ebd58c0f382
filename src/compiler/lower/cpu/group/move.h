/* Lowers votes, ballots, broadcasts and shuffles of sub-groups. */
#ifndef GEO_COMPILER_LOWER_CPU_GROUP_MOVE_H
#define GEO_COMPILER_LOWER_CPU_GROUP_MOVE_H

#include "compiler/lower/state/function.h"

bool geo_group_move_vote(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_group_move_ballot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_group_move_broadcast(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_group_move_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
