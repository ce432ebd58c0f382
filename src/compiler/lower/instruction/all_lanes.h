/* Lowers GEO_OP_ALL_LANES: whether a condition holds in all lanes; and GEO_OP_FIRST_LANE. */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_ALL_LANES_H
#define GEO_COMPILER_LOWER_INSTRUCTION_ALL_LANES_H

#include "compiler/lower/state/function.h"

bool geo_instruction_all_lanes(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_instruction_all_lanes_first(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* Whether a condition is known to hold in all W lanes, or in none. If both are false, lanes may
 * differ or not. */
struct geo_all_lanes {
    LLVMValueRef all, none; /* i1: true in all lanes, in no lane */
};
/* Emits the decision of a conditional branch, with all lanes active or not. */
struct geo_all_lanes geo_instruction_all_lanes_decide(struct geo_lower_function *f,
                                                      const struct geo_ir_inst *branch);

#endif
