/* The frame of the function that is being emitted: the data of frame/ and of the rooms above it.
 *
 * A body is emitted into the current LLVM function at the builder's position. A kernel has several
 * bodies (full chunks, partial chunks, ids that may wrap). Lowering does not repair SSA form: a
 * value that leaves its block goes through an alloca, its "home" (cpu/control/home.c), and LLVM
 * turns homes into registers. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_FRAME_H
#define GEO_COMPILER_LOWER_CPU_FRAME_FRAME_H

#include "compiler/lower/cpu/frame/cut.h"
#include "compiler/lower/cpu/frame/ids.h"
#include "compiler/lower/cpu/frame/layout.h"
#include "compiler/lower/cpu/frame/pending.h"
#include "compiler/lower/state/code.h"

struct geo_lower_callees;
struct geo_lower_tile;

/* The addresses that the calling contract (native/abi.h, cpu/instance/signature.h) gives. */
struct geo_lower_contract {
    LLVMValueRef launch, worker;
    LLVMValueRef scratch;       /* scratch memory of the worker, which starts with local memory */
    LLVMValueRef memory;        /* private variables, in the worker's frame or the chunk's record */
    LLVMValueRef record;        /* record of the chunk; NULL without barriers */
    LLVMValueRef context;       /* i64[7] for calls (ids.h); NULL in functions without calls */
    LLVMValueRef callee_memory; /* start of the private variables of called functions */
};

/* How barriers divide the kernel. */
struct geo_lower_split {
    bool passed; /* items may return before a barrier, so records hold each chunk's position */
    struct geo_shapes group;    /* shapes over all items of the group; only with barriers */
    struct geo_regions regions; /* empty: a switch at the entry selects where a chunk continues */
    struct geo_lower_cut *cut;  /* for the current shapes; NULL: the kernel has no regions */
    uint32_t saved_parts;       /* number of parts that all barriers save */
};

/* The LLVM blocks and the mask of one block of the model, in the current body. */
struct geo_lower_block_state {
    /* target of edges from other blocks: the guard, if the block has one */
    LLVMBasicBlockRef entry;
    LLVMBasicBlockRef body; /* block behind the guard, which is the target of a loop's back edge */
    LLVMValueRef mask_slot; /* alloca of <W x i1>, made on demand */
    bool has_lanes;         /* at least one lane is active whenever the block runs */
};

/* The body that is being emitted: one chunk, or a tile of chunks. */
struct geo_lower_chunk {
    struct geo_linear plan;               /* the order of the blocks, for the current shapes */
    LLVMValueRef base_mask;               /* lanes that are in the body; NULL: all */
    bool base_lane0;                      /* lane 0 is in base_mask */
    struct geo_lower_block_state *blocks; /* by position */
    LLVMValueRef **homes;                 /* by value index: an alloca for each part */
    LLVMValueRef **own_homes;    /* by value index: homes of the current member's own values */
    struct geo_lower_tile *tile; /* tile whose body is emitted; NULL: one chunk (tile.h) */
    LLVMBasicBlockRef *edges;    /* by position: edge of the current switch */
    /* by position, by case: lists of the cases of the current switch that lead to each block */
    uint32_t *cases, *next_case;
    const bool *agreed;        /* by block index: branches taken as uniform; NULL: none */
    LLVMBasicBlockRef alone;   /* with `agreed`: where a chunk starts whose lanes disagree */
    LLVMBasicBlockRef left;    /* block where returning lanes end, before `done` */
    LLVMBasicBlockRef done;    /* end of the body */
    LLVMValueRef next_barrier; /* alloca of i32: 0, or the barrier at which the chunk stopped + 1 */
};

/* The function that is being emitted. */
struct geo_lower_frame {
    struct geo_lower_code *code;
    struct geo_lower_contract contract;
    struct geo_lower_layout layout;
    struct geo_lower_split split;
    struct geo_lower_chunk body;
    struct geo_lower_ids ids;
    struct geo_lower_pending pending;
    bool *ambient;                     /* by value index (ambient.h) */
    bool *above;                       /* by value index: available before the region's body */
    struct geo_lower_callees *callees; /* instances that the function calls (instance/instance.h) */
    LLVMValueRef service_slots;        /* alloca of i64[], made by the first host call */
    LLVMValueRef *results;             /* allocas of the result's parts; NULL: void */
    /* allocas of i64, with counters only: what the current body has counted (control/count.c) */
    LLVMValueRef counters[GEO_COUNTED_COUNT];
    uint32_t counted; /* bits of those that the current body uses */
};

#endif
