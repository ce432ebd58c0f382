/* The variable `geoid_chunk`, which tells debuggers the work-items of the chunk that runs. */
#ifndef GEO_COMPILER_LOWER_DEBUG_CHUNK_H
#define GEO_COMPILER_LOWER_DEBUG_CHUNK_H

#include "compiler/lower/debug/debug.h"

/* The position of a chunk. All values are i64. */
struct geo_debug_chunk {
    LLVMValueRef group[3], local[3], local_size[3], global_offset[3];
    LLVMValueRef linear; /* in linear chunks, else NULL: local[0] is that of lane 0 */
};

/* Tells the position of the chunk whose code is emitted next. */
void geo_debug_chunk_begin(struct geo_lower_function *f, const struct geo_debug_chunk *chunk);
/* Tells the active lanes, f->body.mask, of the block whose code is emitted next. */
void geo_debug_chunk_mask(struct geo_lower_function *f);

#endif
