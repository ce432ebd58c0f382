/* Regions that only the first items of each row have work in: `if (lid < bound) { ... }`. */
#ifndef GEO_COMPILER_LOWER_FRAME_CLIP_H
#define GEO_COMPILER_LOWER_FRAME_CLIP_H

#include "compiler/lower/frame/cut.h"

/* Finds them: all that such a region does is done where a comparison of the local id in x with a
 * value that the group knows beforehand holds, and it leaves nothing to other regions. Chunks
 * beyond the bound need not run; in the others the comparison holds for every lane that is below
 * it. Sets the regions' clips. */
void geo_lower_clips_find(const struct geo_lower_function *f);
/* Items of a row that the comparison holds for: i64, at most `items`. */
LLVMValueRef geo_lower_clip_items(struct geo_lower_function *f, const struct geo_ir_inst *clip,
                                  LLVMValueRef items);

#endif
