/* Debug records after a pass: values that the pass has removed are expressed by others or given
 * up. */
#ifndef GEO_COMPILER_TRANSFORM_PASS_SETTLE_H
#define GEO_COMPILER_TRANSFORM_PASS_SETTLE_H

#include "compiler/ir/debug.h"

/* Brings the records of a function, or of all functions, in order:
 *
 * - A value that was replaced is followed. If a value was removed, steps express it by its operands
 *   where they can: a cast, a constant that is added. Otherwise the variable is lost.
 * - A value that is not defined on every path to the record is lost.
 * - Records stand behind the phis of their block.
 *
 * A lack of memory only loses records. If the budget of the build is exceeded, records are left as
 * they are, as the validation that follows fails. */
void geo_pass_debug_settle(struct geo_ir_function *function);
void geo_pass_debug_settle_all(struct geo_ir_module *module);
/* Returns whether a function can still use a value: it is of module scope, a parameter or an
 * instruction that was not removed. */
bool geo_pass_debug_alive(const struct geo_ir_value *value, const struct geo_ir_function *function);

#endif
