/* Where variables of the source are, and which work-items a chunk has.
 *
 * Code that is not optimised stores each value that a variable gets in the variable's slot. The
 * slots lie behind the private variables, so that chunks which wait at barriers keep theirs. The
 * stack has the address of this memory, for debuggers (docs/decisions/codegen.md, "A variable is
 * an array of lanes"):
 *
 *     stack: base ----> private variables | slot | slot | ...
 *     stack: chunk      ids, mask
 *
 * Optimised code gets no store: the metadata names the values themselves, as long as they exist. */
#ifndef GEO_COMPILER_LOWER_DEBUG_VARIABLE_H
#define GEO_COMPILER_LOWER_DEBUG_VARIABLE_H

#include "compiler/lower/debug/debug.h"

struct geo_ir_record;

/* Lists the variables of the function that is being emitted. */
void geo_debug_variables_find(struct geo_lower_function *f);
/* Forgets the metadata of these variables: the next copy of the code has its own. */
void geo_debug_variables_renew(struct geo_lower_function *f);
/* Returns the size of the slots of all lanes together. */
uint64_t geo_debug_variables_bytes(struct geo_lower_function *f);
/* Tells where memory is in code that is emitted next: the private variables, their offsets by value
 * index, and the offset of the slots. */
void geo_debug_variables_at(struct geo_lower_function *f, LLVMValueRef memory,
                            const uint64_t *offsets, uint64_t slots);
/* Emits a record whose value is held (value/value.h) at the builder's position. */
void geo_debug_variable_record(struct geo_lower_function *f, const struct geo_ir_record *record);
/* Emits a record whose value is not known at the builder's position. */
void geo_debug_variable_lost(struct geo_lower_function *f, const struct geo_ir_record *record);

#endif
