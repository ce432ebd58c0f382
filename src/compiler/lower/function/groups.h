/* Lowering of whole functions: the loops of a kernel over groups, regions and chunks. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_GROUPS_H
#define GEO_COMPILER_LOWER_FUNCTION_GROUPS_H

#include "compiler/lower/frame/tile.h"

struct geo_lower_groups {
    struct geo_lower_function *f;
    bool any;                            /* the launcher chose the groups: any may be partial */
    bool masked_only;                    /* no copy of the body for full chunks */
    LLVMValueRef slots[3];               /* allocas of i64: the group whose turn it is */
    LLVMValueRef records, record_offset; /* chunk records; alloca of i64: the next chunk's */
    LLVMValueRef size[3];                /* i64: items along x, y and z of the group at hand */
    LLVMValueRef row_items;              /* i64: of each row that chunks run for; NULL: all */
    bool whole;                          /* these are whole chunks */
    struct geo_lower_tile *tile;         /* NULL: chunks one by one */
    LLVMValueRef resume; /* i32: barrier to continue behind + 1; NULL without barriers */
};

/* The rest of the kernel: its groups one after the other, and the return. */
void geo_lower_groups_run(struct geo_lower_groups *k);

#endif
