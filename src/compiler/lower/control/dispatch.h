/* The table of instructions that are lowered as a whole, and the one function that lowers an
 * instruction. */
#ifndef GEO_COMPILER_LOWER_CONTROL_DISPATCH_H
#define GEO_COMPILER_LOWER_CONTROL_DISPATCH_H

#include "compiler/lower/value/apply.h"

/* Everything but control flow, calls, barriers, GEO_OP_BUILTIN and OpVariable. False after
 * geo_lower_error. */
bool geo_lower_instruction(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* The entry of an instruction that is no operation on parts (arith/operation.h); NULL: none. */
const struct geo_entry *geo_entry_find(uint32_t op);

#endif
