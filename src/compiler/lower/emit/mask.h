/* Masks say which lanes of the chunk are active. A mask is <W x i1>; NULL means that all lanes are
 * active. */
#ifndef GEO_COMPILER_LOWER_EMIT_MASK_H
#define GEO_COMPILER_LOWER_EMIT_MASK_H

#include "compiler/lower/emit/type.h"

/* ---- any mask ---- */

/* Returns whether a value has the type of masks, <W x i1>. */
bool geo_emit_is_mask(struct geo_lower_function *f, LLVMValueRef value);
/* Returns a mask as an integer of W bits. */
LLVMValueRef geo_emit_mask_bits(struct geo_lower_function *f, LLVMValueRef mask);
/* Returns an i1: whether any lane is active. */
LLVMValueRef geo_emit_mask_any(struct geo_lower_function *f, LLVMValueRef mask);
/* Returns the index of the lowest set bit of an integer, which must not be 0. */
LLVMValueRef geo_emit_mask_lowest_bit(struct geo_lower_function *f, LLVMValueRef bits);
/* Combine masks. In geo_emit_mask_and, `mask` may be NULL, and `condition` may be poison in
 * inactive lanes. */
LLVMValueRef geo_emit_mask_and(struct geo_lower_function *f, LLVMValueRef mask,
                               LLVMValueRef condition);
LLVMValueRef geo_emit_mask_or(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b);
/* Returns the mask of the lanes below `count` (i64, may exceed W). */
LLVMValueRef geo_emit_mask_below(struct geo_lower_function *f, LLVMValueRef count);

/* ---- the current mask, f->body.mask ---- */

/* Returns the current mask, with all bits set if f->body.mask is NULL. */
LLVMValueRef geo_emit_mask_active(struct geo_lower_function *f);
/* Returns an i1: whether any lane is active. It is true if f->body.mask is NULL. */
LLVMValueRef geo_emit_mask_active_any(struct geo_lower_function *f);
/* Selects `on` in active lanes and `off` in others. Returns `on` itself if f->body.mask is NULL. */
LLVMValueRef geo_emit_mask_active_select(struct geo_lower_function *f, LLVMValueRef on,
                                         LLVMValueRef off);

#endif
