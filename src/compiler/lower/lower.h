/* Lowering: a canonical module (ir/ir.h) to LLVM IR for W lanes. LLVM is known here and in codegen/
 * only. This header is what codegen/ and facade/ see; module.c keeps it.
 *
 * The rooms, from the lowest to the highest; each sees those above it in this list:
 *
 *     state/        one module and one function while they are lowered; the model's functions,
 *                   analysed once; parts of types; errors
 *     emit/         LLVM's words for values of W lanes, masks, memory: LLVM values in and out
 *     arch/         what one architecture has for such values, as rows and a few functions (arch.h)
 *     arith/        scalar operations on such values, by opcode
 *     global/       what stands at module scope: constants, variables, local memory, descriptors
 *     value/        operands and results of instructions, by their shape
 *     instruction/  composites, dot products, bit casts
 *     memory/       addresses, loads and stores by memory class, atomics, copies
 *     frame/        what a function keeps while it is emitted: ids, offsets, ambient values
 *     group/        sub-group operations
 *     ext/          OpenCL.std, calls of the host
 *     instance/     functions that were not inlined, at one width: declared, measured, listed
 *     call/         calls of them, directly, through pointers, lane by lane
 *     control/      the body of a function: blocks, edges, homes, the table of instructions
 *     function/     whole functions: kernels, instances
 *     module.c      kernels first, then the instances that were asked for, until none is left
 *
 * A call asks for the declaration of an instance only, so nothing below function/ emits a body. */
#ifndef GEO_COMPILER_LOWER_LOWER_H
#define GEO_COMPILER_LOWER_LOWER_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/arch.h"
#include "compiler/lower/llvm_faults.h"

#include <level_zero/ze_api.h>
#include <llvm-c/Core.h>

/* What loads of one instruction for all lanes are worth. */
enum geo_gathers {
    GEO_GATHERS_NEVER,   /* loads lane by lane are faster, or there are none */
    GEO_GATHERS_VECTORS, /* faster where addresses are vectors anyway, that lane by lane would be
                            taken apart first */
    GEO_GATHERS_ALWAYS,
};

/* What codegen knows about the machine and lowering wants to. */
struct geo_lower_target {
    const struct geo_lower_arch *arch;
    uint32_t features;    /* enum geo_native_feature */
    uint32_t vector_bits; /* widest vector register */
    enum geo_gathers gathers;
    bool has_masks; /* as AVX-512 has: masking costs next to nothing, scatters exist */
    bool has_fma;
    bool has_half;        /* conversions between half and float */
    bool computes_half;   /* arithmetic of halves */
    uint32_t llvm_faults; /* enum geo_llvm_fault: what to keep code away from */
    bool has_round;       /* rounding instructions; floor and its like are calls without */
};

struct geo_lower_options {
    uint32_t lanes;     /* 0: chosen per kernel */
    uint32_t tile;      /* chunks that are computed together where it is legal; 0: where it pays */
    bool optimize;      /* false: -ze-opt-disable */
    bool large_objects; /* memory objects may have 4 GiB and more */
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

#endif
