/* Clipped regions: regions whose work is under a condition on the row id, `if (lid < bound) { ...
 * }`. Only the first items of each row have work there. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_CLIP_H
#define GEO_COMPILER_LOWER_CPU_FRAME_CLIP_H

#include "compiler/lower/cpu/frame/cut.h"

/* Finds clipped regions and sets their `clip`. All work of such a region is under a comparison of
 * the local id in x with a value that the group knows beforehand. The region passes no value to
 * other regions. Chunks beyond the bound are not run; in the others the comparison holds for every
 * lane below the bound. */
void geo_frame_clips_find(const struct geo_lower_function *f);
/* Returns the number of items of a row for which the comparison holds: i64, at most `items`. */
LLVMValueRef geo_frame_clip_items(struct geo_lower_function *f, const struct geo_ir_inst *clip,
                                  LLVMValueRef items);

#endif
