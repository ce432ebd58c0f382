/* Loads rows under a mask on processors that lack an instruction for it. */
#ifndef GEO_COMPILER_LOWER_MEMORY_PAGE_LOAD_H
#define GEO_COMPILER_LOWER_MEMORY_PAGE_LOAD_H

#include "compiler/lower/memory/access.h"

/* Returns an i1: all bytes from `pointer` on are in one page. */
LLVMValueRef geo_access_page_load_is_whole(struct geo_lower_function *f, LLVMValueRef pointer,
                                           uint64_t bytes);
/* Returns whether geo_access_page_load is legal and faster for rows with elements of this type. */
bool geo_access_page_load_wanted(const struct geo_access *access, LLVMTypeRef element);
/* Loads a row under a mask of which a lane is active. Inactive lanes hold arbitrary values. */
LLVMValueRef geo_access_page_load(const struct geo_access *access, LLVMTypeRef row,
                                  LLVMValueRef pointer, LLVMValueRef mask, uint32_t align);

#endif
