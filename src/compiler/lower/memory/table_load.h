/* Loads from small tables of bytes (analysis/table.h): the table is loaded into registers, where an
 * instruction looks up all lanes. */
#ifndef GEO_COMPILER_LOWER_MEMORY_TABLE_LOAD_H
#define GEO_COMPILER_LOWER_MEMORY_TABLE_LOAD_H

#include "compiler/lower/memory/access.h"

/* Returns the largest table that the target looks up; 0: none. */
uint32_t geo_access_table_load_limit(const struct geo_lower_target *target);

/* Returns the loaded bytes of all lanes. Returns NULL, and emits nothing, if the access does not
 * load from a small table. */
LLVMValueRef geo_access_table_load(const struct geo_access *access);

#endif
