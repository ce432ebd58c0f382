/* Lowers loads and stores of whole values. */
#ifndef GEO_COMPILER_LOWER_MEMORY_LOAD_STORE_H
#define GEO_COMPILER_LOWER_MEMORY_LOAD_STORE_H

#include "compiler/lower/memory/access.h"

/* Load `count` parts of `type` (all of them) into values[], or store them. Loaded parts are scalars
 * if the address is uniform, otherwise vectors. Stored parts may be either. Report an error and
 * return false if they fail. */
bool geo_access_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values, uint32_t count);
bool geo_access_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values, uint32_t count);

bool geo_access_lower_load(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_access_lower_store(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
