/* A function that LLVM's C interface for debug information lacks. */
#ifndef GEO_COMPILER_LOWER_DEBUG_DISTINCT_H
#define GEO_COMPILER_LOWER_DEBUG_DISTINCT_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a location that is equal to no other one. Two calls of one line that were inlined have the
 * same line and scope, but their variables differ. */
LLVMMetadataRef geo_debug_distinct_location(LLVMContextRef context, unsigned line, unsigned column,
                                            LLVMMetadataRef scope, LLVMMetadataRef inlined_at);

#ifdef __cplusplus
}
#endif

#endif
