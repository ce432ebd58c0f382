/* A kernel while its code is emitted: its versions, and the loops over groups, regions and chunks. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_GROUPS_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_GROUPS_H

#include "compiler/lower/cpu/frame/tile.h"

struct geo_lower_assumed;
struct geo_variant;

/* The row of chunks that is being emitted, or the linear chunks of the group. */
struct geo_lower_row {
    LLVMValueRef *id;     /* where the position of the current chunk goes */
    LLVMValueRef items;   /* i64: items that are run */
    uint32_t known_items; /* the same if known at build time, or 0 */
};

/* The kernel while it is emitted. */
struct geo_lower_groups {
    struct geo_lower_function *f;
    struct geo_lower_kernel *kernel;
    const struct geo_variant *variants; /* the table, `variant_count` rows */
    uint32_t variant_count;
    /* Versions (versions.c). */
    struct geo_shapes shapes_fit, shapes_any; /* shapes for ids below 2^31, and for any ids */
    bool versions;                            /* the shapes differ, so both versions are emitted */
    /* only the code for small ids and rows of whole chunks is emitted (GEO_KERNEL_RESTRICTED) */
    bool restricted;
    const struct geo_shapes *shapes; /* of the version that is being emitted */
    /* the same shapes if lanes agree at the branches `agreed`, for full chunks; NULL: no such
       branches, or not wanted */
    struct geo_shapes *shapes_agreed;
    bool *agreed;
    bool rows; /* chunks are linear, and shapes_fit assumes that rows are whole chunks */
    LLVMValueRef any_function;   /* the version for any ids; NULL: part of this function */
    bool large;                  /* the body is large, so copies of it cost much compile time */
    bool masked_only;            /* no unmasked copy of the body for full chunks */
    struct geo_lower_tile *tile; /* made when a variant asks for it; NULL: not yet */
    bool tiled;                  /* some chunks run in tiles */
    /* The loop over groups (groups.c). */
    bool any;              /* the launcher chose the group size, so any group may be partial */
    LLVMValueRef slots[3]; /* allocas of i64 with the current group's ids */
    LLVMValueRef size[3];  /* i64: items of the current group in x, y and z */
    /* The loops over chunks (chunks.c, tiles.c). */
    LLVMValueRef records;       /* records of all chunks; NULL without barriers */
    LLVMValueRef record_offset; /* alloca of i64 with the next record's offset */
    LLVMValueRef row_items;     /* i64: items of each row that are run; NULL: all */
    bool whole;                 /* row_items is a multiple of W */
    struct geo_lower_row row;
    LLVMValueRef resume; /* i32: 1 + barrier behind which chunks continue; NULL without barriers */
    struct geo_lower_assumed *assumed; /* copies of the current region (assumed.c) */
};

/* Emits the rest of the kernel: the loop over its groups, and the return. */
void geo_function_groups_run(struct geo_lower_groups *k);
/* The variant of a group without barriers: runs all chunks once. */
void geo_function_groups_straight_run(struct geo_lower_groups *k);

#endif
