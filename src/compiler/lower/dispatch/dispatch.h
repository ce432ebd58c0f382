/* The function that lowers one instruction, and its table of opcodes. */
#ifndef GEO_COMPILER_LOWER_DISPATCH_DISPATCH_H
#define GEO_COMPILER_LOWER_DISPATCH_DISPATCH_H

#include "compiler/lower/value/apply.h"

/* Lowers any instruction except control flow and phis. Reports an error and returns false if it
 * fails. */
bool geo_dispatch_instruction(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Returns the table's entry for an opcode, or NULL. Operations on parts (arith/operation.h) have
 * none. */
const struct geo_entry *geo_dispatch_find(uint32_t op);

#endif
