/* The frame of a function that is being emitted: what the rooms above frame/ keep about it.
 *
 * A body is emitted into the current LLVM function wherever the builder stands; a kernel has
 * several (full chunk, partial chunk, ids that may wrap). SSA of LLVM is not repaired by us: a
 * value that leaves its block goes through an alloca ("home", control/home.c), which LLVM turns
 * back into registers. */
#ifndef GEO_COMPILER_LOWER_FRAME_FRAME_H
#define GEO_COMPILER_LOWER_FRAME_FRAME_H

#include "compiler/lower/frame/cut.h"
#include "compiler/lower/frame/ids.h"
#include "compiler/lower/frame/layout.h"
#include "compiler/lower/state/code.h"

struct geo_lower_callees;
struct geo_lower_tile;

struct geo_lower_block_state {
    LLVMBasicBlockRef entry; /* where others come in: the guard, if there is one */
    LLVMBasicBlockRef body;  /* behind the guard: where the way back of a loop comes in */
    LLVMValueRef mask_slot;  /* alloca of <W x i1>; made when asked for */
    bool has_lanes;          /* some lane is on whenever the body runs */
};

struct geo_lower_frame {
    struct geo_lower_code *code;
    struct geo_lower_layout layout;
    bool passed; /* items may return before a barrier: records tell where each chunk is */
    struct geo_shapes group;    /* of all items of the group; with barriers */
    struct geo_regions regions; /* none: chunks are entered by a switch */
    struct geo_lower_cut *cut;  /* for the current shapes; NULL: the kernel is not cut */
    struct geo_linear plan;
    uint32_t saved_parts;              /* at all barriers, as they are placed */
    bool *ambient;                     /* [value index] */
    bool *above;                       /* [value index]: stands above the body of the region */
    LLVMValueRef memory;               /* private variables: in the frame, or the chunk's record */
    LLVMValueRef record;               /* of the chunk; NULL without barriers */
    LLVMValueRef context;              /* i64[7] for calls; NULL when nothing is called */
    LLVMValueRef callee_memory;        /* where private variables of called functions start */
    struct geo_lower_callees *callees; /* instances that are called (instance/instance.h) */
    struct geo_lower_ids ids;
    LLVMValueRef base_mask; /* of all lanes that are in the body; NULL: all */
    bool base_lane0;        /* lane 0 is in base_mask */
    /* One body. */
    struct geo_lower_block_state *blocks; /* by position */
    LLVMValueRef **homes;                 /* by value index: an alloca for each part */
    struct geo_lower_tile *tile;          /* whose body it is; NULL: one chunk's (tile.h) */
    LLVMValueRef **own_homes;             /* by value index: of what the member has for itself */
    LLVMBasicBlockRef *edges;             /* by position: of the switch at hand */
    uint32_t *cases, *next_case; /* by position, by case: likewise, which cases lead to a block */
    LLVMBasicBlockRef left;      /* where lanes that return end, before `done` */
    LLVMBasicBlockRef done;
    LLVMValueRef next_barrier;  /* alloca of i32: 0, or the barrier the chunk stopped at + 1 */
    LLVMValueRef service_slots; /* alloca of i64[]; made by the first call of the host */
    LLVMValueRef *results;      /* allocas of the result's parts; NULL: void */
};

#endif
