/* Emits the loops of a kernel over groups, regions and chunks. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_GROUPS_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_GROUPS_H

#include "compiler/lower/cpu/frame/tile.h"

/* The loop over groups, while its body is emitted. */
struct geo_lower_groups {
    struct geo_lower_function *f;
    bool any;              /* the launcher chose the group size, so any group may be partial */
    bool masked_only;      /* no unmasked copy of the body for full chunks */
    LLVMValueRef slots[3]; /* allocas of i64 with the current group's ids */
    /* records of all chunks; alloca of i64 with the next record's offset */
    LLVMValueRef records, record_offset;
    LLVMValueRef size[3];        /* i64: items of the current group in x, y and z */
    LLVMValueRef row_items;      /* i64: items of each row that are run; NULL: all */
    bool whole;                  /* row_items is a multiple of W */
    struct geo_lower_tile *tile; /* NULL: chunks run one by one */
    LLVMValueRef resume; /* i32: 1 + barrier behind which chunks continue; NULL without barriers */
};

/* Emits the rest of the kernel: the loop over its groups, and the return. */
void geo_function_groups_run(struct geo_lower_groups *k);

#endif
