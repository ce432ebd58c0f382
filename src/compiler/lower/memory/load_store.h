/* Lowering of memory accesses: loads and stores of whole values. */
#ifndef GEO_COMPILER_LOWER_MEMORY_LOAD_STORE_H
#define GEO_COMPILER_LOWER_MEMORY_LOAD_STORE_H

#include "compiler/lower/memory/access.h"

/* Loads `count` parts of `type` (all of them) into values[]: scalars when the address is uniform,
 * else vectors. Stores the same; scalars and vectors are both welcome. False after
 * geo_lower_error. */
bool geo_access_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values, uint32_t count);
bool geo_access_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values, uint32_t count);

bool geo_lower_load(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_store(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
