/* Lowering's LLVM words: masks, which lanes of the chunk are on. <W x i1>; NULL means that all
 * are. */
#ifndef GEO_COMPILER_LOWER_EMIT_MASK_H
#define GEO_COMPILER_LOWER_EMIT_MASK_H

#include "compiler/lower/emit/type.h"

/* ---- any mask ---- */

/* <W x i1> as an integer of W bits; whether any bit is set. */
LLVMValueRef geo_emit_mask_bits(struct geo_lower_function *f, LLVMValueRef mask);
LLVMValueRef geo_emit_mask_any(struct geo_lower_function *f, LLVMValueRef mask);
/* Index of the lowest set bit of an integer (not 0). */
LLVMValueRef geo_emit_lowest_bit(struct geo_lower_function *f, LLVMValueRef bits);
/* mask may be NULL (all on) in `and`; the condition may be poison in lanes that are off. */
LLVMValueRef geo_emit_mask_and(struct geo_lower_function *f, LLVMValueRef mask,
                               LLVMValueRef condition);
LLVMValueRef geo_emit_mask_or(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b);
/* Lanes below `count` (i64, may be larger than W). */
LLVMValueRef geo_emit_mask_below(struct geo_lower_function *f, LLVMValueRef count);

/* ---- the current mask, f->mask ---- */

/* As <W x i1>, all ones when there is none; as an i1 "any lane on" (true when none). */
LLVMValueRef geo_emit_active(struct geo_lower_function *f);
LLVMValueRef geo_emit_active_any(struct geo_lower_function *f);
/* <W x T> select(mask, on, off), with `on` itself when there is no mask. */
LLVMValueRef geo_emit_active_select(struct geo_lower_function *f, LLVMValueRef on,
                                    LLVMValueRef off);

#endif
