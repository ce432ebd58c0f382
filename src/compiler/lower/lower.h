/* Lowering translates a canonical module (ir/ir.h) to LLVM IR. Only lower/ and codegen/ include
 * LLVM headers. codegen/ and facade/ use this header; module.c implements it.
 *
 * The rooms of the meaning, from the lowest to the highest. Each room may include those above it in
 * this list:
 *
 *     state/        the module and the function being lowered; one analysis of each function of the
 *                   model; scalar parts of types; errors
 *     emit/         helpers around the LLVM builder for vectors of W lanes, masks and memory
 *     arch/         what depends on the architecture, as table rows and a few functions (arch.h)
 *     arith/        scalar operations on vectors of lanes, by opcode
 *     global/       objects at module scope: constants, variables, local memory
 *     value/        operands and results of instructions, by their shape
 *     instruction/  composites, dot products, bit casts
 *     memory/       addresses, loads and stores by memory class, atomics, copies, arguments
 *     ext/          OpenCL.std instructions
 *     dispatch/     the table of instructions
 *     debug/        debug information: metadata of source functions, lines, types and variables
 *     module.c      analyses the functions, and lets the machine emit them
 *
 * They know what a kernel means. How a work-group runs is in a machine (machine.h), a folder of
 * rooms above them:
 *
 *     cpu/          one thread runs a group, and W of its items are the lanes of vectors
 *         frame/        state of the function being emitted: ids, offsets, ambient values
 *         group/        sub-group operations
 *         instance/     functions that were not inlined, at one width: declared, measured, listed;
 *                       their descriptors
 *         call/         calls: of instances, through pointers, lane by lane, of host services
 *         control/      the body of a function: blocks, edges, homes, barriers
 *         function/     whole functions: kernels and instances
 *         machine.c     the table
 *         module.c      emits the kernels, then the instances that they need
 *     simt/         an item is a thread of an NVIDIA GPU; one folder, without rooms
 *
 * A call only declares the instance that it needs, so no room below function/ emits a body. */
#ifndef GEO_COMPILER_LOWER_LOWER_H
#define GEO_COMPILER_LOWER_LOWER_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/arch.h"
#include "compiler/lower/llvm_faults.h"

#include <level_zero/ze_api.h>
#include <llvm-c/Core.h>

struct geo_lower_machine;

/* Says when one gather instruction is faster than one scalar load per lane. */
enum geo_gathers {
    GEO_GATHERS_NEVER,   /* scalar loads are faster, or the target has no gathers */
    GEO_GATHERS_VECTORS, /* gathers are faster if the addresses are already in a vector */
    GEO_GATHERS_ALWAYS,  /* gathers are always faster */
};

/* The properties of the target that lowering uses. codegen/ fills it. */
struct geo_lower_target {
    const struct geo_lower_arch *arch;
    const struct geo_lower_machine *machine; /* how a work-group runs (machine.h) */
    uint32_t features;                       /* bits of enum geo_native_feature */
    uint32_t vector_bits;                    /* width of the widest vector register */
    enum geo_gathers gathers;
    bool lanes_from_memory; /* atomics lane by lane read lanes' addresses from memory */
    bool has_masks;         /* cheap masking and scatters, as AVX-512 has */
    bool wide_masks;        /* masks are vectors of words, and LLVM would keep them as halfwords */
    bool has_fma;
    bool has_half;        /* has instructions that convert between half and float */
    bool computes_half;   /* has arithmetic instructions for halves */
    uint32_t llvm_faults; /* bits of enum geo_llvm_fault: faults of LLVM to work around */
    bool has_round;       /* has rounding instructions; otherwise floor and the like are calls */
};

/* The options of one build, as far as lowering uses them. */
struct geo_lower_options {
    uint32_t lanes;     /* number of lanes W; 0: chosen for each kernel */
    uint32_t tile;      /* chunks in a tile, where legal; 0: chosen where a tile pays */
    bool optimize;      /* false for -ze-opt-disable */
    bool large_objects; /* memory objects may have 4 GiB or more */
    bool restricted;    /* kernels may be GEO_KERNEL_RESTRICTED */
    bool counted;       /* kernels are GEO_KERNEL_COUNTED */
    struct geo_lower_target target;
};

/* One lowered kernel, with the numbers that go into the native binary's record. */
struct geo_lower_kernel {
    const struct geo_ir_function *function;
    const char *symbol; /* name of its geo_kernel_fn, unique in the module; in the module's arena */
    uint32_t lanes;
    uint32_t subgroup_size;
    /* bits of enum geo_kernel_flags (native.h), and of enum geo_cpu_kernel_flags (abi.h) */
    uint32_t flags;
    uint32_t argument_bytes;
    uint32_t *argument_offsets; /* offset of each parameter, parameter_count entries */
    uint64_t local_bytes, frame_bytes, chunk_bytes;
};

/* Name of the attribute of LLVM functions that rarely run. LLVM does not optimise them
 * (codegen/optimize.c). */
#define GEO_LOWER_RARE_ATTRIBUTE "geoid-rare"

/* The result of lowering a module. */
struct geo_lower_result {
    LLVMModuleRef module; /* owned by the caller; NULL after a failure */
    struct geo_lower_kernel *kernels;
    uint32_t kernel_count;
};

/* Lowers every kernel of the module and all functions and variables that the kernels reach. On
 * failure the log names the instruction, its id and its word offset, and result.module is NULL.
 * Returns MODULE_BUILD_FAILURE or OUT_OF_HOST_MEMORY then. */
ze_result_t geo_lower_module(struct geo_ir_module *module, const struct geo_lower_options *options,
                             LLVMContextRef context, struct geo_lower_result *result,
                             struct geo_strbuf *log);

#endif
