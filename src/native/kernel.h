/* Facts about kernels that are the same for every way to run them: limits of ids and arguments, the
 * numbers of counters, and the values of samplers. Used by rooms of the compiler that only know the
 * meaning of code. The contract by which a CPU runs kernels is in abi.h. */
#ifndef GEO_NATIVE_KERNEL_H
#define GEO_NATIVE_KERNEL_H

#include <stdint.h>

/* Alignment of the argument block in bytes, whatever types it contains. */
#define GEO_ABI_ARGUMENT_ALIGN 16u

/* Ids and sizes below this limit are small: 2^31 less a margin for constants that programs add to
 * ids. A body may be compiled for launches that only have small ones. */
#define GEO_LAUNCH_IDS_LIMIT ((UINT64_C(1) << 31) - (UINT64_C(1) << 16))

/* A work-group has at most so many items on every device. The compiler relies on it. */
#define GEO_LAUNCH_GROUP_LIMIT (1u << 16)

/* The counters of kernels that have some (GEO_KERNEL_COUNTED): operations of work-items, after the
 * model was optimised. See compiler/analysis/work.h. */
enum geo_counted {
    GEO_COUNTED_HALF, /* operations on floats of 16, 32 and 64 bits; a fused one counts twice */
    GEO_COUNTED_FLOAT,
    GEO_COUNTED_DOUBLE,
    GEO_COUNTED_INTEGER,
    GEO_COUNTED_READ,  /* bytes of global memory */
    GEO_COUNTED_WRITE, /* the same */
    GEO_COUNTED_LOCAL, /* bytes of local memory, read or written */
    GEO_COUNTED_PRIVATE,
    GEO_COUNTED_UNIFORM, /* bytes of global memory by the addresses of neighbouring items: equal, */
    GEO_COUNTED_CONSECUTIVE, /* side by side, */
    GEO_COUNTED_STRIDED,     /* at a fixed distance, */
    GEO_COUNTED_SCATTERED,   /* or anywhere */
    GEO_COUNTED_ATOMICS,
    GEO_COUNTED_BARRIERS,     /* of the work-group: arrivals of work-items */
    GEO_COUNTED_INSTRUCTIONS, /* of the model, of work-items */
    GEO_COUNTED_SLOTS,        /* the same as if all lanes had been active */
    GEO_COUNTED_COUNT,
};

/* A sampler: a constant of a module, or an argument on a CPU. The addressing modes are SPIR-V's. */
enum geo_sampler_bits {
    GEO_SAMPLER_NONE = 0, /* coordinates must be inside */
    GEO_SAMPLER_CLAMP_TO_EDGE = 1,
    GEO_SAMPLER_CLAMP = 2, /* clamp to the border */
    GEO_SAMPLER_REPEAT = 3,
    GEO_SAMPLER_MIRRORED_REPEAT = 4,
    GEO_SAMPLER_ADDRESS_MASK = 7,
    GEO_SAMPLER_LINEAR = 1u << 3,
    GEO_SAMPLER_NORMALIZED = 1u << 4,
};

#endif
