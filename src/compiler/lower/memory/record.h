/* Short vectors of lanes that lie apart: what a lane has is one access, however many components it
 * has. Lanes that lie in a row are load_store.c's. */
#ifndef GEO_COMPILER_LOWER_MEMORY_RECORD_H
#define GEO_COMPILER_LOWER_MEMORY_RECORD_H

#include "compiler/lower/memory/access.h"

/* Whether loads and stores of this type are made here. */
bool geo_record_fits(const struct geo_access *access, const struct geo_ir_type *type);
/* All parts; of a store each scalar or vector. */
void geo_record_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values);
void geo_record_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values);

#endif
