/* The frame of lowering, shared by its own files; instruction.c and its neighbours need lower.h
 * only.
 *
 *     module.c   one module: which kernels and functions at which widths, symbols, the result
 *     prepare.c  one function of the model: canonical details and analyses, shared by its widths
 *     sink.c     addresses computed where they are used
 *     layout.c   offsets: arguments, local memory, private variables, what barriers save
 *     kernel.c   a kernel's entry: versions, loops over groups, chunks and barrier regions
 *     call.c     functions that were not inlined, and their calls
 *     body.c     the code of one function for one chunk: blocks in linear order, guards
 *     edge.c     what happens on the way from block to block: masks, phis, branches
 *     home.c     values that are used outside of their block, and across barriers
 *     ambient.c  values that are there everywhere
 *     ids.c      built-in ids
 *     service.c  calls of the host: printf, assertions
 *
 * A body is emitted into the current LLVM function wherever the builder stands; a kernel has
 * several (full chunk, partial chunk, ids that may wrap). SSA of LLVM is not repaired by us: a
 * value that leaves its block goes through an alloca ("home"), which LLVM turns back into
 * registers. */
#ifndef GEO_COMPILER_LOWER_FRAME_H
#define GEO_COMPILER_LOWER_FRAME_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/linear.h"
#include "compiler/lower/lower.h"

/* A value of more scalar leaves than this is refused: it would become that many registers. */
#define GEO_LOWER_PARTS_LIMIT 65536u
/* Largest lane count. */
#define GEO_LOWER_LANES_LIMIT 64u
/* What lowering one function may take from its arena. */
#define GEO_LOWER_ARENA_LIMIT ((size_t)1 << 30)

/* ---- one function of the model, prepared (prepare.c) ---- */

struct geo_lower_instance;

struct geo_lower_code {
    struct geo_ir_function *function;
    struct geo_cfg cfg;
    struct geo_dominators dominators;
    struct geo_loops loops;
    struct geo_barriers barriers;
    struct geo_liveness liveness; /* with barriers only */
    bool *crosses;                /* [value index]: used outside of its own block */
    bool canonical;               /* control flow may diverge */
    bool subgroups;               /* uses sub-group operations or built-ins */
    uint64_t service_slots;       /* the most values that a call of the host takes; 0: none */
    bool calls;                   /* of functions that are not inlined */
    bool indirect;                /* calls through pointers */
    struct geo_lower_descriptor *descriptor; /* NULL: nobody asked for its address */
    struct geo_ir_inst **variables;          /* private variables */
    uint32_t variable_count;
    struct geo_lower_instance *instances; /* of call.c */
};

/* ---- one module (module.c) ---- */

struct geo_lower {
    struct geo_ir_module *module;
    const struct geo_lower_options *options;
    LLVMContextRef context;
    LLVMModuleRef llvm_module;
    struct geo_strbuf *log;
    struct geo_arena arena;
    struct geo_lower_code **codes; /* sorted by function */
    uint32_t code_count;
    struct geo_lower_instance *queue; /* instances whose code is still to be emitted */
    struct geo_lower_instance *instances;
    struct geo_lower_descriptor *descriptors;
    LLVMValueRef object; /* of descriptor.c: an address that is this object's alone */
    bool indirect_shapes[2][GEO_FUNCTION_WIDTHS]; /* [linear][log2 lanes] that call by pointer */
    bool no_memory;
    LLVMValueRef *globals; /* by place in module->variables */
    /* Workgroup variables, by place in module->variables (layout.c). */
    uint64_t *local_offsets;
    const struct geo_ir_function **variable_owners; /* the kernel that uses it alone */
    bool *variable_shared;
    size_t *variable_indices;    /* by geo_ir_value.index of a variable: its place */
    uint64_t shared_local_bytes; /* of variables that functions use which are not kernels */
};

struct geo_lower_callees {
    struct geo_lower_instance **items;
    size_t count, capacity;
};

/* A function that is not inlined, at one width: f.wN. */
struct geo_lower_instance {
    struct geo_lower_code *code;
    uint32_t lanes;
    bool linear;
    LLVMValueRef function;
    LLVMTypeRef type;
    uint64_t frame_bytes; /* its own private variables */
    uint64_t total_bytes; /* with those of what it calls; known when `measured` */
    bool measured;
    struct geo_lower_callees callees;
    struct geo_lower_instance *next_of_code, *next_queued, *next;
};

/* ---- offsets (layout.c) ---- */

/* A value that lives across a barrier: where it is in the chunk's record, part by part. */
struct geo_lower_saved {
    const struct geo_ir_value *value;
    uint64_t *offsets;
};

/* What one barrier saves. */
struct geo_lower_save {
    struct geo_lower_saved *items;
    uint32_t count;
};

struct geo_lower_layout {
    uint64_t *variables;         /* [variable]: offset of lane 0's copy */
    struct geo_lower_save *save; /* [barrier] */
    uint64_t frame_bytes;        /* per worker (a function's own, without callees) */
    uint64_t chunk_bytes;        /* per chunk */
};

bool geo_lower_layout_make(struct geo_lower_function *f, struct geo_lower_layout *out);
/* Offsets of kernel arguments in the argument block, naturally aligned; false: too large. */
bool geo_lower_layout_arguments(const struct geo_ir_function *function, uint32_t *offsets,
                                uint32_t *bytes);
/* Places the module's Workgroup variables: shared ones first, each kernel's own behind them. */
bool geo_lower_layout_local(struct geo_lower *lower);
/* Bytes of static local memory of a kernel. */
uint64_t geo_lower_layout_local_bytes(const struct geo_lower *lower,
                                      const struct geo_ir_function *kernel);

/* ---- ids of a chunk (ids.c) ---- */

/* All i64 and uniform. local[0] is lane 0's x; in linear chunks `linear` is lane 0's linear id. */
struct geo_lower_ids {
    LLVMValueRef group[3];
    LLVMValueRef local[3];
    LLVMValueRef linear;
    /* Of the launch. */
    LLVMValueRef work_dim, local_size[3], group_count[3], global_offset[3];
};

#define GEO_LOWER_CONTEXT_FIELDS 7u /* group, local, linear: what a call hands on, as i64[7] */

/* Loads what the launch says; constants where the kernel requires a size. */
void geo_lower_ids_launch(struct geo_lower_function *f, const struct geo_ir_function *kernel);
/* Items of the sub-group (i64), fewer than W in the last one of a group. */
LLVMValueRef geo_lower_subgroup_size(struct geo_lower_function *f);
/* Sets the value of a GEO_OP_BUILTIN. */
bool geo_lower_builtin(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Loads what does not change while the kernel runs. */
LLVMValueRef geo_lower_load_invariant(struct geo_lower_function *f, LLVMTypeRef type,
                                      LLVMValueRef address, uint32_t align);
/* The same of a field of the launch. */
LLVMValueRef geo_lower_launch_field(struct geo_lower_function *f, LLVMTypeRef type, uint64_t offset,
                                    const char *name);

/* ---- the frame of the function being emitted ---- */

struct geo_lower_block_state {
    LLVMBasicBlockRef entry; /* where others come in: the guard, if there is one */
    LLVMBasicBlockRef body;  /* behind the guard: where the way back of a loop comes in */
    LLVMValueRef mask_slot;  /* alloca of <W x i1>; made when asked for */
    bool has_lanes;          /* some lane is on whenever the body runs */
};

struct geo_lower_frame {
    struct geo_lower_code *code;
    struct geo_lower_instance *instance; /* NULL: a kernel */
    struct geo_lower_layout layout;
    struct geo_linear plan;
    bool *ambient;          /* [value index] */
    LLVMBuilderRef allocas; /* at the end of the entry block */
    LLVMValueRef launch, worker;
    LLVMValueRef scratch;       /* of the worker */
    LLVMValueRef memory;        /* private variables: in the frame, or in the chunk's record */
    LLVMValueRef record;        /* of the chunk; NULL without barriers */
    LLVMValueRef context;       /* i64[7] for calls; NULL when nothing is called */
    LLVMValueRef callee_memory; /* where private variables of called functions start */
    struct geo_lower_callees callees; /* of a kernel */
    struct geo_lower_ids ids;
    LLVMValueRef base_mask; /* of all lanes that are in the body; NULL: all */
    bool base_lane0;        /* lane 0 is in base_mask */
    /* One body. */
    struct geo_lower_block_state *blocks; /* by position */
    LLVMValueRef **homes;                 /* by value index: an alloca for each part */
    bool has_lanes;                       /* some lane is on in the current block */
    LLVMBasicBlockRef done;
    LLVMValueRef next_barrier;  /* alloca of i32: 0, or the barrier the chunk stopped at + 1 */
    LLVMValueRef service_slots; /* alloca of i64[]; made by the first call of the host */
    LLVMValueRef *results;      /* allocas of the result's parts; NULL: void */
};

/* ---- body.c ---- */

/* Emits the function's code for one chunk at the builder's position, with frame.base_mask on, and
 * leaves the builder where the chunk is done. `resume` (i32) is the barrier to continue behind + 1;
 * NULL or 0: from the start. */
void geo_lower_body(struct geo_lower_function *f, LLVMValueRef resume);

/* ---- edge.c ---- */

/* The terminator of the block at `position`: masks and phis of the targets, and the branch. */
void geo_lower_leave(struct geo_lower_function *f, uint32_t position);
/* Goes to where control goes from `position` when no lane is left there. */
void geo_lower_skip(struct geo_lower_function *f, uint32_t position);
/* Forgets what loop (NULL: function) turn before this one left in the masks and phis of the blocks
 * directly in it. */
void geo_lower_level_reset(struct geo_lower_function *f, const struct geo_loop *level);
/* The same for all blocks, when a chunk resumes at a barrier whose resume block is `at`. */
void geo_lower_resume_reset(struct geo_lower_function *f, uint32_t at);
LLVMValueRef geo_lower_mask_slot(struct geo_lower_function *f, uint32_t position);

/* ---- home.c ---- */

/* True for values that exist before the first block and everywhere: parameters, ids, addresses of
 * private variables, and what is computed from those alone in a scalar instruction or two. They
 * have no home and are computed again rather than saved. */
bool geo_lower_is_ambient(const struct geo_lower_function *f, const struct geo_ir_value *value);
/* Finds them for the current shapes. */
bool geo_lower_ambient_find(struct geo_lower_function *f);
/* Emits them, at the start of a body. */
void geo_lower_ambient_emit(struct geo_lower_function *f);
LLVMValueRef geo_lower_alloca(struct geo_lower_function *f, LLVMTypeRef type, const char *name);
/* The type a part is held in: scalar or vector, by the value's shape. */
LLVMTypeRef geo_lower_held_type(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part);
/* The allocas of a value; NULL after a failure. */
LLVMValueRef *geo_lower_home(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Stores a value that was just set to its home, if it needs one. */
void geo_lower_home_keep(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Loads what the instructions and outgoing phis of a block read from other blocks. */
void geo_lower_home_load_block(struct geo_lower_function *f, const struct geo_ir_block *block);
/* Loads a value's home into its parts (phis). */
void geo_lower_home_load(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Between the homes and the chunk's record, what lives across a barrier. */
void geo_lower_home_save(struct geo_lower_function *f, uint32_t barrier);
void geo_lower_home_restore(struct geo_lower_function *f, uint32_t barrier);

/* ---- kernel.c, call.c, module.c, prepare.c ---- */

/* `callees`: what the kernel calls directly; the caller frees its items. */
bool geo_lower_kernel_emit(struct geo_lower *lower, struct geo_lower_code *code,
                           struct geo_lower_kernel *kernel, struct geo_lower_callees *callees);
bool geo_lower_instance_emit(struct geo_lower *lower, struct geo_lower_instance *instance);
bool geo_lower_call(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Private bytes of an instance with all it calls. False when memory ran out. */
bool geo_lower_instance_measure(struct geo_lower_instance *root);
/* Frees what the instances hold. */
void geo_lower_instances_finish(struct geo_lower *lower);

/* ---- function.c ---- */

/* f for one function at one width, nothing emitted yet. Finish it whatever came of it. */
bool geo_lower_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                             struct geo_lower_code *code, uint32_t lanes, struct geo_arena *arena);
void geo_lower_function_finish(struct geo_lower_function *f);
/* Starts the LLVM function; the builder stands behind the block of allocas. */
void geo_lower_function_begin(struct geo_lower_function *f, LLVMValueRef llvm_function);
/* Switches to other shapes of the same function: a new plan and layout. */
bool geo_lower_function_shapes(struct geo_lower_function *f, const struct geo_shapes *shapes);
/* Loads the worker's scratch pointer. */
LLVMValueRef geo_lower_scratch(struct geo_lower_function *f);
struct geo_lower_code *geo_lower_code_find(struct geo_lower *lower,
                                           const struct geo_ir_function *function);
/* False when memory ran out. */
bool geo_lower_sink_addresses(struct geo_ir_function *function);
bool geo_lower_prepare(struct geo_lower *lower, struct geo_ir_function *function,
                       struct geo_lower_code *code);

/* ---- service.c ---- */

/* How many values a call of the host hands over; 0: the instruction is none. */
uint64_t geo_lower_service_slots(const struct geo_ir_inst *inst);

/* ---- value.c ---- */

/* Makes room for a value's parts; false after geo_lower_error. */
bool geo_lower_reserve(struct geo_lower_function *f, const struct geo_ir_value *value);
/* geo_lower_set for any value: parameters too. */
void geo_lower_set_value(struct geo_lower_function *f, const struct geo_ir_value *value,
                         uint32_t part, LLVMValueRef result);
void geo_lower_no_memory(struct geo_lower_function *f);

/* ---- mask.c ---- */

/* <W x i1> as an integer of W bits; any bit set; index of the lowest set bit (bits not 0). */
LLVMValueRef geo_lower_mask_bits(struct geo_lower_function *f, LLVMValueRef mask);
LLVMValueRef geo_lower_any(struct geo_lower_function *f, LLVMValueRef mask);
LLVMValueRef geo_lower_count_zeros(struct geo_lower_function *f, LLVMValueRef bits);
/* mask may be NULL (all on) in `and`; the condition may be poison in lanes that are off. */
LLVMValueRef geo_lower_mask_and(struct geo_lower_function *f, LLVMValueRef mask,
                                LLVMValueRef condition);
LLVMValueRef geo_lower_mask_or(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b);
/* Lanes below `count` (i64, may be larger than W). */
LLVMValueRef geo_lower_mask_below(struct geo_lower_function *f, LLVMValueRef count);

/* The instance of `code` for a width and kind of chunk, made when it is first asked for. NULL after
 * a failure. */
struct geo_lower_instance *geo_lower_instance_get(struct geo_lower_function *f,
                                                  struct geo_lower_code *code, uint32_t lanes,
                                                  bool linear);
/* The type of a function that takes and gives values of these types, at a width. NULL after a
 * failure. */
LLVMTypeRef geo_lower_call_type(struct geo_lower_function *f, const struct geo_ir_type *result,
                                const struct geo_ir_type *const *parameters, uint32_t count,
                                uint32_t lanes);

/* A part of what a call gave, as the value of `type` that it is. */
LLVMValueRef geo_lower_call_result(struct geo_lower_function *f, LLVMValueRef call, uint32_t part,
                                   LLVMTypeRef type);

/* The current mask as functions take it. */
LLVMValueRef geo_lower_mask_argument(struct geo_lower_function *f);

/* ---- call_lanes.c ---- */

/* A call that each lane makes for itself. */
struct geo_lower_lane_call {
    const struct geo_ir_inst *inst; /* operands[0] is what is called */
    LLVMTypeRef type;               /* of the code, for one work-item */
    LLVMValueRef code;
    LLVMValueRef memory; /* where the callee's private variables start */
    LLVMValueRef *slots; /* [parts of the result] allocas at the caller's width */
    uint32_t parts;
    LLVMValueRef place; /* alloca of i64[7]: the context of one work-item */
};

/* All but code and memory, which the caller sets; the calls, for the lanes that are on; the result.
 * False after a failure. */
bool geo_lower_lane_call_begin(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                               struct geo_lower_lane_call *call);
void geo_lower_lane_call_emit(struct geo_lower_function *f, struct geo_lower_lane_call *call);
void geo_lower_lane_call_end(struct geo_lower_function *f, const struct geo_lower_lane_call *call);

/* ---- indirect.c ---- */

/* OpFunctionPointerCallINTEL. */
bool geo_lower_indirect_call(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* ---- descriptor.c ---- */

/* Of frame, what a call through a pointer takes at least: ends recursion. */
#define GEO_LOWER_STEP_BYTES GEO_ABI_SCRATCH_ALIGN

/* The address of a function's descriptor, a constant; made when it is first asked for. */
LLVMValueRef geo_lower_function_address(struct geo_lower_function *f,
                                        const struct geo_ir_function *function);
/* What tells this object's functions from others: NULL when none of them uses local memory, whose
 * place only this module's kernels know. */
LLVMValueRef geo_lower_object_mark(struct geo_lower *lower);
/* Before kernels are planned: sub-group operations behind pointers make callers run at W = S. */
void geo_lower_indirect_plan(struct geo_lower *lower);
/* Descriptors of functions that others may ask for. False after a failure. */
bool geo_lower_indirect_exports(struct geo_lower *lower);
/* Queues the instances that descriptors lack so far. False after a failure. */
bool geo_lower_indirect_instances(struct geo_lower *lower);
/* Fills the descriptors; `frame_bytes` is what the largest needs. False: no memory. */
bool geo_lower_indirect_finish(struct geo_lower *lower, uint64_t *frame_bytes);
/* Whether anything in the module calls through pointers. */
bool geo_lower_indirect_used(const struct geo_lower *lower);

/* ---- module.c ---- */

/* f outside of any function, for constants and globals; finish it. */
void geo_lower_module_scope(struct geo_lower_function *f, struct geo_lower *lower,
                            struct geo_arena *arena);
void geo_lower_module_scope_finish(struct geo_lower_function *f);

/* ---- globals.c ---- */

/* Emits the variables that other modules or the host may ask for. False after a failure. */
bool geo_lower_shared_variables(struct geo_lower *lower);

/* ---- small LLVM vocabulary ---- */

static inline LLVMTypeRef geo_lower_i1(const struct geo_lower_function *f)
{
    return LLVMInt1TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_i8(const struct geo_lower_function *f)
{
    return LLVMInt8TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_i32(const struct geo_lower_function *f)
{
    return LLVMInt32TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_i64(const struct geo_lower_function *f)
{
    return LLVMInt64TypeInContext(f->context);
}
static inline LLVMTypeRef geo_lower_ptr(const struct geo_lower_function *f)
{
    return LLVMPointerTypeInContext(f->context, 0);
}
static inline LLVMTypeRef geo_lower_mask_type(const struct geo_lower_function *f)
{
    return LLVMVectorType(geo_lower_i1(f), f->lanes);
}
static inline LLVMValueRef geo_lower_const_i32(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_lower_i32(f), bits, 0);
}
static inline LLVMValueRef geo_lower_const_i64(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_lower_i64(f), bits, 0);
}

/* A new LLVM block at the end of the function. */
LLVMBasicBlockRef geo_lower_block(struct geo_lower_function *f, const char *name);
/* pointer + constant or computed (i64) bytes. */
LLVMValueRef geo_lower_offset(struct geo_lower_function *f, LLVMValueRef pointer, uint64_t bytes);
LLVMValueRef geo_lower_offset_by(struct geo_lower_function *f, LLVMValueRef pointer,
                                 LLVMValueRef bytes);

#endif
