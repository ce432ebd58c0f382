/* The kernel calling contract: how compiled code is entered, what it gets, where its memory is.
 *
 * Known to the compiler (lower/ emits code for it), to backend/cpu (which calls it) and to exec
 * (whose workers carry struct geo_worker), to nobody else. A change here changes GEO_ABI_VERSION:
 * native binaries of another version are refused.
 *
 * A kernel runs whole work-groups [first_group, first_group + group_count), numbered x fastest
 * through the launch's grid. A work-group runs on one thread, its work-items W at a time in the
 * lanes of vectors ("chunks"):
 *
 *   row-wise (default)            linear (sub-group kernels, GEO_KERNEL_LINEAR)
 *   for z, y: for x in steps of W   for linear id in steps of W
 *     lanes = x .. x + W - 1          lanes = id .. id + W - 1
 *
 * The last chunk of a row (linear: of the group) is partial: its dead lanes have no effect and
 * never trap. A kernel whose items know nothing of their group (GEO_KERNEL_ANY_GROUPS) runs in
 * groups of any size; those that reach beyond the grid end with it.
 *
 * Scratch memory, one block per worker thread, given out by geo_abi_scratch:
 *
 *   worker->scratch
 *   | static local memory | local arguments ... | frame (private arrays) | chunk 0 | chunk 1 | ...
 *   | 0                     local_bytes ...       frame_offset             chunk_offset
 *
 * A kernel with barriers of the device (GEO_KERNEL_DEVICE_BARRIER) runs one group a call, from
 * worker->resume to the next such barrier or its end, and says there where it stopped. Whoever
 * calls it gives each group a struct geo_worker of its own, whose scratch keeps what lives across,
 * and lets no group go on before all have stopped.
 *
 * The last of it ends where memory ends: an access beyond it faults.
 *
 * A "chunk" record holds what lives across barriers (saved values, private arrays); a kernel
 * without barriers has none. */
#ifndef GEO_NATIVE_ABI_H
#define GEO_NATIVE_ABI_H

#include "base/cl_printf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_ABI_VERSION 8u

/* Every scratch part and the scratch itself are aligned to this many bytes (the largest OpenCL
 * type). */
#define GEO_ABI_SCRATCH_ALIGN 128u

/* Compiled code takes at most this much stack; a thread that runs it has more. */
#define GEO_ABI_STACK_BYTES (512u << 10)

/* The argument block is aligned to this many bytes only, whatever types it holds. */
#define GEO_ABI_ARGUMENT_ALIGN 16u

struct geo_launch;

/* An assertion that failed in one work-item: addresses of its strings, and where it was. */
struct geo_assertion {
    uint64_t expression, file, line, function;
    uint64_t global_id[3], local_id[3];
};

/* What compiled code asks of its host while it runs: called for one work-item at a time, at its
 * place in the work-item's program. */
struct geo_services {
    /* OpenCL's printf: 0, or -1 when not everything was printed. The format is an address of the
     * kernel's; values: one for every component of every argument (struct geo_cl_arguments). */
    int32_t (*print)(const struct geo_launch *launch, const char *format,
                     const struct geo_cl_type *types, uint32_t count, const uint64_t *values);
    /* Need not return. */
    void (*assert_fail)(const struct geo_launch *launch, const struct geo_assertion *assertion);
};

/* One launch, shared by all workers that run parts of it; read-only while it runs.
 * The compiler reads it by these offsets; see the assertions below. */
struct geo_launch {
    uint32_t work_dim; /* 1 to 3 */
    uint32_t group_count[3];
    uint32_t local_size[3]; /* run-time; equals the required size when the kernel has one */
    uint32_t flags;         /* enum geo_launch_flags */
    uint64_t global_offset[3];
    const uint8_t *arguments; /* the argument block, see above; layout: geo_native_argument */
    uint64_t frame_offset;    /* into scratch */
    uint64_t chunk_offset;    /* into scratch */
    const struct geo_services *services; /* needed by kernels that print or assert */
    /* Items of the grid: group_count * local_size; of GEO_KERNEL_ANY_GROUPS at most that, and the
     * last groups along x, y and z end where the grid does. */
    uint64_t global_size[3];
};

enum geo_launch_flags {
    /* Every global id (with offset) and global size is below GEO_LAUNCH_IDS_LIMIT: 32-bit id
     * arithmetic with small constants cannot wrap. Kernels may choose a faster body by it; it is
     * set by the launcher (geo_abi_ids_fit), never assumed. That body also assumes that a 32-bit
     * index does not wrap inside one memory object: docs/decisions/vectoriser.md, "A 32-bit index
     * is assumed not to wrap when an access vouches for it". */
    GEO_LAUNCH_IDS_FIT_31_BITS = 1u << 0,
};

/* 2^31 with room for the constants that programs add to ids. */
#define GEO_LAUNCH_IDS_LIMIT ((UINT64_C(1) << 31) - (UINT64_C(1) << 16))

static inline bool geo_abi_ids_fit(const uint32_t group_count[3], const uint32_t local_size[3],
                                   const uint64_t global_offset[3])
{
    for (int i = 0; i < 3; i++) {
        uint64_t size = (uint64_t)group_count[i] * local_size[i];
        if (size >= GEO_LAUNCH_IDS_LIMIT || global_offset[i] >= GEO_LAUNCH_IDS_LIMIT - size) {
            return false;
        }
    }
    return true;
}

/* One worker thread's own memory; with barriers of the device, one group's. */
struct geo_worker {
    uint8_t *scratch; /* at least what geo_abi_scratch says for the launch */
    uint64_t scratch_bytes;
    /* Barriers of the device: where the group goes on; 0: at its start, or it is done */
    uint32_t resume;
    uint32_t reserved;
};

typedef void (*geo_kernel_fn)(const struct geo_launch *launch, struct geo_worker *worker,
                              uint64_t first_group, uint64_t group_count);

/* What a function pointer points at. A call looks up the code for its own width and kind of chunk;
 * where there is none, it calls the code for one work-item (entries[0][0]) for each lane in turn.
 *
 *     {results} code(launch, worker, memory, context, mask, arguments ...)     see lower/call.c
 *
 * memory: where the function's private variables start; the call checks that frame_bytes from there
 * end before the launch's chunk_offset. */
#define GEO_FUNCTION_MAGIC  UINT64_C(0x6e6f6974636e7546)
#define GEO_FUNCTION_WIDTHS 7u /* 1, 2, 4 ... 64 lanes */

struct geo_function_entry {
    void *code; /* NULL: not compiled for this width */
    uint64_t frame_bytes;
};

struct geo_function {
    uint64_t magic;
    const struct geo_function *self; /* its own address: a pointer into nowhere is noticed */
    const void *object; /* NULL: any kernel may call it. Else an address in its own code, for whose
                           kernels alone local memory is laid out as the function knows it */
    uint64_t reserved;
    struct geo_function_entry entries[2][GEO_FUNCTION_WIDTHS]; /* [linear chunks][log2 lanes] */
};

/* Frame of a kernel that calls through pointers, beyond what the functions of its own module need:
 * for functions of other modules and for pointers called by functions called by pointers. */
#define GEO_FUNCTION_RESERVE_BYTES 65536u

/* ---- images and samplers ---- */

/* What the bits of a channel mean. */
enum geo_surface_number {
    GEO_SURFACE_UINT,
    GEO_SURFACE_SINT,
    GEO_SURFACE_UNORM,
    GEO_SURFACE_UNORM_32, /* more bits than a signed int has */
    GEO_SURFACE_SNORM,
    GEO_SURFACE_SRGB,  /* UNORM; colours but not alpha are in sRGB's curve */
    GEO_SURFACE_HALF,  /* 16 bits, or without sign 11 or 10 */
    GEO_SURFACE_FLOAT, /* 32 bits */
};

enum geo_surface_flags {
    /* Component i is channel i of 32 bits, or whatever has no channel: nothing to select. */
    GEO_SURFACE_WORDS = 1u << 0,
};

/* What a kernel knows an image by: its argument, or the number of a bindless image, is the address
 * of one of these. It does not change, and outlives all work that uses it; native/surface.h fills
 * in what follows from the format.
 *
 * A pixel is pixel_bytes (1, 2, 3, 4, 6, 8, 12, 16) of memory, taken as little-endian words of 32
 * bits. Component i of a colour is, as bits:
 *
 *     (words[word[i]] >> shift[i] & mask[i]) | fill[i]
 *
 * and swizzles are in that: mask 0 for a constant, which fill holds as the format has it. Kernels
 * never leave the extents, whatever they ask for: extents that a type of image does not have are 1,
 * so an image taken for one of another type is safe, too. */
struct geo_surface {
    uint8_t *pixels;
    uint64_t slice_pitch; /* bytes from slice to slice, layer to layer */
    uint32_t row_pitch;   /* bytes */
    uint32_t width, height, depth, layers;
    uint32_t levels; /* what a query tells; there is one in memory */
    uint32_t pixel_bytes;
    uint32_t number;  /* enum geo_surface_number */
    uint32_t flags;   /* enum geo_surface_flags */
    uint32_t sampler; /* enum geo_sampler_bits: of a bindless sampled image */
    uint32_t border;  /* bits of alpha beyond the edges, where everything else reads as of zeros */
    /* SPIR-V's ImageChannelOrder and ImageChannelDataType, for queries */
    uint16_t channel_order, channel_type;
    uint32_t word[4], shift[4], mask[4], fill[4];
    uint32_t put[4]; /* mask[i], or 0: a write leaves the component out */
    /* Signed numbers: left and back this far extends the sign. HALF: left this far is a half. SRGB:
     * not 0 for what is linear. */
    uint32_t align[4];
    float scale[4]; /* UNORM, SNORM: of the integer on reading */
    float limit[4]; /* and of the colour on writing */
};

/* A sampler is this number, in an argument too. Addressing modes are SPIR-V's. */
enum geo_sampler_bits {
    GEO_SAMPLER_NONE = 0, /* coordinates are inside */
    GEO_SAMPLER_CLAMP_TO_EDGE = 1,
    GEO_SAMPLER_CLAMP = 2, /* to the border */
    GEO_SAMPLER_REPEAT = 3,
    GEO_SAMPLER_MIRRORED_REPEAT = 4,
    GEO_SAMPLER_ADDRESS_MASK = 7,
    GEO_SAMPLER_LINEAR = 1u << 3,
    GEO_SAMPLER_NORMALIZED = 1u << 4,
};

_Static_assert(offsetof(struct geo_surface, slice_pitch) == 8, "what built-ins read");
_Static_assert(offsetof(struct geo_surface, row_pitch) == 16, "what built-ins read");
_Static_assert(offsetof(struct geo_surface, border) == 56, "what built-ins read");
_Static_assert(offsetof(struct geo_surface, word) == 64, "what built-ins read");
_Static_assert(sizeof(struct geo_surface) == 192, "what built-ins read");
_Static_assert(sizeof(struct geo_function) == 256, "function descriptors");
_Static_assert(offsetof(struct geo_launch, group_count) == 4, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, local_size) == 16, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, flags) == 28, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, global_offset) == 32, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, arguments) == 56, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, frame_offset) == 64, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, chunk_offset) == 72, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, services) == 80, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, global_size) == 88, "kernel calling contract");
_Static_assert(offsetof(struct geo_worker, scratch) == 0, "kernel calling contract");
_Static_assert(offsetof(struct geo_worker, resume) == 16, "kernel calling contract");
_Static_assert(offsetof(struct geo_services, print) == 0, "kernel calling contract");
_Static_assert(offsetof(struct geo_services, assert_fail) == 8, "kernel calling contract");
_Static_assert(sizeof(struct geo_assertion) == 80, "kernel calling contract");

/* What the scratch layout depends on; from the kernel's native record. */
struct geo_scratch_needs {
    uint32_t lanes;       /* W */
    bool linear;          /* chunks run linearly, not row-wise */
    uint64_t local_bytes; /* static local memory; a multiple of GEO_ABI_SCRATCH_ALIGN */
    uint64_t frame_bytes; /* once per worker; a multiple of GEO_ABI_SCRATCH_ALIGN */
    uint64_t chunk_bytes; /* per chunk; a multiple of GEO_ABI_SCRATCH_ALIGN; 0 without barriers */
};

struct geo_scratch_layout {
    uint64_t frame_offset;
    uint64_t chunk_offset;
    uint64_t total_bytes;
};

/* Lays out scratch for a work-group of local_size items; argument_bytes is the space of all local
 * arguments, each rounded up to GEO_ABI_SCRATCH_ALIGN (the first starts at local_bytes). False when
 * the sum overflows. */
static inline bool geo_abi_scratch(const struct geo_scratch_needs *needs,
                                   const uint32_t local_size[3], uint64_t argument_bytes,
                                   struct geo_scratch_layout *layout)
{
    uint64_t rows = (uint64_t)local_size[1] * local_size[2];
    uint64_t chunks = needs->linear
                          ? (local_size[0] * rows + needs->lanes - 1) / needs->lanes
                          : rows * (((uint64_t)local_size[0] + needs->lanes - 1) / needs->lanes);
    uint64_t chunk_total;
    if (__builtin_mul_overflow(chunks, needs->chunk_bytes, &chunk_total) ||
        __builtin_add_overflow(needs->local_bytes, argument_bytes, &layout->frame_offset) ||
        __builtin_add_overflow(layout->frame_offset, needs->frame_bytes, &layout->chunk_offset) ||
        __builtin_add_overflow(layout->chunk_offset, chunk_total, &layout->total_bytes)) {
        return false;
    }
    return true;
}

#endif
