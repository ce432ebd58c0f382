/* Lowering: a canonical module (ir/ir.h) to LLVM IR for W lanes. LLVM is known here and in codegen/
 * only.
 *
 * Split: the frame of a function (entry, chunk and group loops, masks, branches, barrier regions,
 * calls, ids) is function.c and its neighbours; what one instruction computes is instruction.c and
 * its neighbours. They meet in this header.
 *
 * A value of the model is an array of parts, one per scalar leaf (vectors, structs and arrays are
 * flattened in memory order). A part is held by its shape:
 *
 *     uniform   scalar T
 *     strided   scalar T of lane 0 (the stride is in the shape); a vector is made where one is
 *               needed
 *     varying   <W x T>
 *
 * What the frame promises to an instruction:
 *  - A block that touches memory, calls, may trap or has an effect is entered only when some lane
 *    is on: uniform loads, stores and divisions need no test of the mask. Other blocks may run with
 *    no lane on.
 *  - Lane 0 may be off wherever there is a mask, and values of dead lanes are anything, poison
 *    included: a dead lane must not trap, and scalars of strided values carry no nsw/nuw/exact
 *    (lane 0's poison would reach all lanes).
 *
 * bool is i1 in registers, i8 in memory. half is held as its bits (i16) everywhere: LLVM's own half
 * type becomes library calls where the machine has no F16C; convert.c makes floats of it where a
 * value is computed. Pointers are LLVM's opaque ptr. At W = 1 everything is uniform and there are
 * no masks. */
#ifndef GEO_COMPILER_LOWER_LOWER_H
#define GEO_COMPILER_LOWER_LOWER_H

#include "base/strbuf.h"
#include "compiler/analysis/shape.h"
#include "compiler/ir/ir.h"
#include "native/abi.h"

#include <level_zero/ze_api.h>
#include <llvm-c/Core.h>

/* What codegen knows about the machine and lowering wants to. */
struct geo_lower_target {
    uint32_t vector_bits; /* widest vector register */
    bool fast_gather;     /* gathers beat lane-by-lane loads */
    bool has_masks;       /* AVX-512: masking costs next to nothing, scatters exist */
    bool has_fma;
    bool has_f16c;
    bool has_round; /* SSE4.1's rounding instructions; floor and its like are calls without */
};

struct geo_lower_options {
    uint32_t lanes; /* 0: chosen per kernel */
    bool optimize;  /* false: -ze-opt-disable */
    bool correctly_rounded_divide_sqrt;
    bool mad_enable;
    struct geo_lower_target target;
};

/* A kernel as it was lowered: the native record's numbers. */
struct geo_lower_kernel {
    const struct geo_ir_function *function;
    const char *symbol; /* of the geo_kernel_fn, unique in the module; in the module's arena */
    uint32_t lanes;
    uint32_t subgroup_size;
    uint32_t flags; /* enum geo_kernel_flags (native.h) */
    uint32_t argument_bytes;
    uint32_t *argument_offsets; /* [parameter_count] */
    uint64_t local_bytes, frame_bytes, chunk_bytes;
};

struct geo_lower_result {
    LLVMModuleRef module; /* owned by the caller */
    struct geo_lower_kernel *kernels;
    uint32_t kernel_count;
};

/* Lowers every kernel of the module and what they reach. On failure the log names instruction, id
 * and word offset and result.module is NULL. MODULE_BUILD_FAILURE or OUT_OF_HOST_MEMORY. */
ze_result_t geo_lower_module(struct geo_ir_module *module, const struct geo_lower_options *options,
                             LLVMContextRef context, struct geo_lower_result *result,
                             struct geo_strbuf *log);

/* ---- inside lower/: the state while one function is lowered ---- */

struct geo_lower_part {
    LLVMValueRef scalar; /* uniform, or lane 0 of strided; NULL when varying */
    LLVMValueRef vector; /* varying; NULL otherwise */
};

struct geo_lower_value {
    struct geo_lower_part *parts;
    uint32_t count;
};

struct geo_lower; /* one module being lowered; lower_internal parts are in function.h */

struct geo_lower_function {
    struct geo_lower *lower;
    struct geo_ir_module *module;
    const struct geo_ir_function *function;
    const struct geo_lower_options *options;
    const struct geo_shapes *shapes;
    LLVMContextRef context;
    LLVMModuleRef llvm_module;
    LLVMValueRef llvm_function;
    LLVMBuilderRef builder; /* where the current instruction goes */
    LLVMValueRef mask;      /* <W x i1> of the current block; NULL: all lanes are on (or W = 1) */
    bool lane0_on;          /* lane 0 is on in the current block although there may be a mask */
    uint32_t lanes;         /* W */
    struct geo_lower_value *values; /* by geo_ir_value.index */
    struct geo_strbuf *log;
    struct geo_arena *arena; /* scratch for this function */
    const bool *used;        /* [value_count] results that are used; made lazily by atomic.c */
    bool failed;
    bool no_memory;                /* failed because memory ran out */
    struct geo_lower_frame *frame; /* what function.c and its neighbours keep (frame.h) */
};

/* Type of one part: of a scalar, and its <W x> form (W = 1: the scalar). */
LLVMTypeRef geo_lower_scalar_type(struct geo_lower_function *f, const struct geo_ir_type *type);
LLVMTypeRef geo_lower_vector_type(struct geo_lower_function *f, LLVMTypeRef scalar);
/* Number of parts of a value of this type, and the scalar type of part i. */
uint32_t geo_lower_part_count(const struct geo_ir_type *type);
const struct geo_ir_type *geo_lower_part_type(const struct geo_ir_type *type, uint32_t part);

/* Reading operands. scalar: the part must be uniform or strided (lane 0's value is given). vector:
 * always possible, made at the builder's position. */
struct geo_shape geo_lower_shape(struct geo_lower_function *f, const struct geo_ir_value *value);
LLVMValueRef geo_lower_scalar(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part);
LLVMValueRef geo_lower_vector(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part);
/* Operations that commute with "+ lane * stride" only where nothing wraps (extensions, right
 * shifts) are computed on a live lane: geo_lower_anchor gives operand `value` in the anchor lane,
 * the caller applies the operation, geo_lower_unanchor turns the result back into lane 0's by the
 * stride of `inst`. Costs nothing where lane 0 is known to be on or nothing can wrap (inst's shape
 * says so). */
LLVMValueRef geo_lower_anchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                              struct geo_ir_value *value, LLVMValueRef *lane);
LLVMValueRef geo_lower_unanchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                LLVMValueRef result, LLVMValueRef lane);
/* scalar when `as_scalar`, else vector: an operation is emitted once for both. */
LLVMValueRef geo_lower_operand(struct geo_lower_function *f, struct geo_ir_value *value,
                               uint32_t part, bool as_scalar);
/* Broadcast of a scalar; first + lane * stride (integers, pointers in bytes); lane l of a vector.
 */
LLVMValueRef geo_lower_splat(struct geo_lower_function *f, LLVMValueRef scalar);
LLVMValueRef geo_lower_ramp(struct geo_lower_function *f, LLVMValueRef first, int64_t stride);
LLVMValueRef geo_lower_lane(struct geo_lower_function *f, LLVMValueRef vector, uint32_t lane);
/* The mask as <W x i1>, all ones when there is none; the mask as an i1 "any lane on" (true when
 * none). */
LLVMValueRef geo_lower_mask_vector(struct geo_lower_function *f);
LLVMValueRef geo_lower_mask_any(struct geo_lower_function *f);
/* <W x T> select(mask, on, off), with `on` itself when there is no mask. */
LLVMValueRef geo_lower_select_mask(struct geo_lower_function *f, LLVMValueRef on, LLVMValueRef off);

/* Setting the result of an instruction: part by part, by its shape (scalar for uniform and strided,
 * vector for varying). */
void geo_lower_set(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                   LLVMValueRef value);

/* Runs `emit` once per active lane in turn (a scalar loop over lanes with mask test), for what has
 * no vector form. `lane` is an i32; when emit returns a value (of result_type; NULL: none) the
 * lanes' values are gathered into a <W x> result, poison-free: 0 for dead lanes. */
LLVMValueRef geo_lower_for_each_lane(struct geo_lower_function *f, LLVMTypeRef result_type,
                                     LLVMValueRef (*emit)(struct geo_lower_function *f,
                                                          LLVMValueRef lane, void *data),
                                     void *data);

/* Records the first failure: "<OpName> %<id> at word <offset>: <text>". */
void geo_lower_error(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Everything but control flow, calls, barriers, GEO_OP_BUILTIN and OpVariable: instruction.c. False
 * after geo_lower_error. */
bool geo_lower_instruction(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* True when OpenCL.std instruction `number` is emitted directly by instruction.c; otherwise
 * builtins/ links a function for it. */
bool geo_lower_ext_is_direct(uint32_t number, const struct geo_ir_type *result_type);
/* A constant as an LLVM value of part `part` (scalar), and a whole constant in memory form (for
 * globals). */
LLVMValueRef geo_lower_constant(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part);
LLVMValueRef geo_lower_constant_memory(struct geo_lower_function *f,
                                       const struct geo_ir_value *value);
/* Byte offset in memory of part i of a value of this type (memory.c). */
uint64_t geo_lower_part_offset(const struct geo_ir_type *type, uint32_t part);
/* The address (ptr, uniform) of a variable at module scope or of a function, as a constant where it
 * is a global of LLVM's; local memory's is an instruction. The frame knows it. */
LLVMValueRef geo_lower_address(struct geo_lower_function *f, const struct geo_ir_value *value);
/* The struct geo_worker * of the running thread, the struct geo_launch * (frame). */
LLVMValueRef geo_lower_worker(struct geo_lower_function *f);
LLVMValueRef geo_lower_launch(struct geo_lower_function *f);

#endif
