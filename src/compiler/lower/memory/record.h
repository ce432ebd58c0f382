/* Accesses short vectors at arbitrary addresses. Each lane's vector is one access, whatever its
 * number of components. load_store.c handles consecutive lanes. */
#ifndef GEO_COMPILER_LOWER_MEMORY_RECORD_H
#define GEO_COMPILER_LOWER_MEMORY_RECORD_H

#include "compiler/lower/memory/access.h"

/* Returns whether this file handles loads and stores of the type. */
bool geo_access_record_fits(const struct geo_access *access, const struct geo_ir_type *type);
/* Load or store all parts. Stored parts may be scalars or vectors. */
void geo_access_record_load(const struct geo_access *access, const struct geo_ir_type *type,
                            LLVMValueRef *values);
void geo_access_record_store(const struct geo_access *access, const struct geo_ir_type *type,
                             LLVMValueRef *values);

/* Load or store one vector register for each lane, as the vector of the lane is in memory. Inactive
 * lanes use dummy memory. */
void geo_access_record_rows_load(const struct geo_access *access, const struct geo_ir_type *type,
                                 LLVMValueRef *rows);
void geo_access_record_rows_store(const struct geo_access *access, const LLVMValueRef *rows);

#endif
