/* Loads and stores values that are held as dense vectors (emit/dense.h). */
#ifndef GEO_COMPILER_LOWER_MEMORY_DENSE_H
#define GEO_COMPILER_LOWER_MEMORY_DENSE_H

#include "compiler/lower/memory/access.h"

/* Returns whether this file handles an access of a vector type. */
bool geo_lane_dense_fits(const struct geo_access *access, const struct geo_ir_type *type);
/* Loads one integer of 2, 4 or 8 bytes per lane, which is a short vector: through a window if the
 * lanes' distances are known. */
LLVMValueRef geo_lane_dense_word_load(const struct geo_access *access,
                                      const struct geo_ir_type *word);
/* Returns such integers as the dense vector that they are. */
LLVMValueRef geo_lane_dense_of_words(const struct geo_access *access,
                                     const struct geo_ir_type *type, LLVMValueRef words);
/* Load or store a dense vector. */
LLVMValueRef geo_lane_dense_load(const struct geo_access *access, const struct geo_ir_type *type);
void geo_lane_dense_store(const struct geo_access *access, const struct geo_ir_type *type,
                          LLVMValueRef value);

#endif
