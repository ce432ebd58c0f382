/* The calling convention of kernels: how compiled code is entered, its arguments, and the layout of
 * its memory.
 *
 * This contract is the CPU's alone. Used only by the compiler (lower/ emits code for it),
 * backend/cpu (which calls the code) and exec (whose workers carry struct geo_worker). A change
 * here requires a new GEO_ABI_VERSION; payloads of another version are not run.
 *
 * A call of a kernel runs whole work-groups [first_group, first_group + group_count), numbered x
 * fastest in the launch's grid. A work-group runs on one thread. Its work-items run W at a time in
 * the lanes of vectors; W items are a chunk:
 *
 *   row-wise (default)            linear (sub-group kernels, GEO_KERNEL_LINEAR)
 *   for z, y: for x in steps of W   for linear id in steps of W
 *     lanes = x .. x + W - 1          lanes = id .. id + W - 1
 *
 * The last chunk of a row (linear: of the group) is partial: its inactive lanes have no effect and
 * never trap. A kernel that does not depend on its groups (GEO_KERNEL_ANY_GROUPS) runs in groups of
 * any size; groups at the edge of the grid are cut off.
 *
 * Each worker thread has one block of scratch memory, laid out by geo_abi_scratch:
 *
 *   worker->scratch
 *   | static local memory | local arguments ... | frame (private arrays) | chunk 0 | chunk 1 | ...
 *   | 0                     local_bytes ...       frame_offset             chunk_offset
 *
 * A chunk's record holds values that live across barriers (saved values, private arrays); a kernel
 * without barriers has none. The last record ends at the end of mapped memory: an access beyond it
 * faults.
 *
 * A kernel with barriers of the device (GEO_KERNEL_DEVICE_BARRIER) runs one group per call, from
 * worker->resume to the next such barrier or its end. It stores there where it stopped. The caller
 * gives each group a struct geo_worker of its own, whose scratch keeps values across the barrier.
 * It resumes a group only when all groups have stopped.
 *
 * Additions of a kernel may wait until the call ends (GEO_KERNEL_PENDS). If the worker has a table
 * for them, they stay there when the call returns. The caller then flushes the table by a call
 * with group_count 0, before the launch ends. */
#ifndef GEO_NATIVE_ABI_H
#define GEO_NATIVE_ABI_H

#include "base/cl_printf.h"
#include "native/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_ABI_VERSION 12u

/* Alignment of the scratch and of each of its parts, in bytes: that of OpenCL's largest type. */
#define GEO_ABI_SCRATCH_ALIGN 128u

/* Most stack that compiled code may use; threads that run it have more. */
#define GEO_ABI_STACK_BYTES (512u << 10)

struct geo_launch;

/* A failed assertion of one work-item: addresses of its strings, and its position. */
struct geo_assertion {
    uint64_t expression, file, line, function;
    uint64_t global_id[3], local_id[3];
};

/* Functions of the host for compiled code. They are called for one work-item at a time, at the
 * call's position in the work-item's program. */
struct geo_services {
    /* OpenCL's printf. Returns 0, or -1 if not everything was printed. `format` is an address of
       the kernel. `values` has an entry for every component of every argument (struct
       geo_cl_arguments). */
    int32_t (*print)(const struct geo_launch *launch, const char *format,
                     const struct geo_cl_type *types, uint32_t count, const uint64_t *values);
    /* Reports a failed assertion of a kernel. It may end the process or leave the kernel, and then
       does not return. */
    void (*assert_fail)(const struct geo_launch *launch, const struct geo_assertion *assertion);
};

/* One launch, shared by all workers that run parts of it, and read-only meanwhile. Compiled code
 * reads it at fixed offsets, which the assertions below check. */
struct geo_launch {
    uint32_t work_dim; /* 1 to 3 */
    uint32_t group_count[3];
    uint32_t local_size[3]; /* of this launch; equals the required size if the kernel has one */
    uint32_t flags;         /* enum geo_launch_flags */
    uint64_t global_offset[3];
    const uint8_t *arguments; /* argument block; struct geo_native_argument describes its layout */
    uint64_t frame_offset;    /* offset in scratch */
    uint64_t chunk_offset;    /* offset in scratch */
    const struct geo_services *services; /* required by kernels that print or assert */
    /* Size of the grid in items: group_count * local_size. For GEO_KERNEL_ANY_GROUPS it may be
       less; then the last groups along x, y and z end at the edge of the grid. */
    uint64_t global_size[3];
    /* GEO_KERNEL_NEAR_NULL: addresses of memory that is read and written instead of memory near
       null; 0: there is none, so such accesses fault */
    uint64_t zeros, sink;
};

/* Facts about a launch. */
enum geo_launch_flags {
    /* Every global id (with offset) and global size is below GEO_LAUNCH_IDS_LIMIT, so that 32-bit
       id arithmetic with small constants cannot wrap. Kernels may then use a faster body. The
       launcher sets the flag (geo_abi_ids_fit). The faster body also assumes that a 32-bit index
       does not wrap inside one memory object. See docs/decisions/vectoriser.md, "A 32-bit index
       is assumed not to wrap when an access vouches for it". */
    GEO_LAUNCH_IDS_FIT_31_BITS = 1u << 0,
};

/* Returns whether GEO_LAUNCH_IDS_FIT_31_BITS holds for a launch. */
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

/* A table of pending additions: a cache of sums by address, direct-mapped. Zeroed: empty, and so
 * it is after a flush. Address a belongs to the entry with number (a / size) % GEO_PENDING_ENTRIES,
 * where `size` is that of the additions' type. */
#define GEO_PENDING_ENTRIES 1024u
#define GEO_PENDING_LINE    16u /* entries that are flushed together; their words are neighbours */

struct geo_pending_table {
    int64_t credit; /* additions so far, minus a price for each replaced entry */
    /* number of the entry with which a flush begins, a multiple of GEO_PENDING_LINE: workers begin
       with different ones, because they flush at the same time */
    uint64_t start;
    uint64_t used; /* of the launcher: nonzero if a call may have used the table since a flush */
    uint64_t reserved[5];
    uint64_t addresses[GEO_PENDING_ENTRIES];
    uint64_t sums[GEO_PENDING_ENTRIES]; /* sums of 32 bits take the first half */
};

/* Memory of one worker thread, or of one group if the kernel has barriers of the device. */
struct geo_worker {
    uint8_t *scratch; /* at least as large as geo_abi_scratch demands */
    uint64_t scratch_bytes;
    /* Barriers of the device: where the group resumes. 0: at its start, or the group is done. */
    uint32_t resume;
    uint32_t reserved;
    uint64_t counts[GEO_COUNTED_COUNT]; /* only written by kernels with counters, which add */
    /* Keeps pending additions until a call of 0 groups. NULL: each call executes its own. */
    struct geo_pending_table *pending;
};

typedef void (*geo_kernel_fn)(const struct geo_launch *launch, struct geo_worker *worker,
                              uint64_t first_group, uint64_t group_count);

/* Descriptor that a function pointer points to. A call looks up the code for its own width and kind
 * of chunk. If that is missing, it calls the code for one work-item (entries[0][0]) for each lane
 * in turn.
 *
 *     {results} code(launch, worker, memory, context, mask, arguments ...)    see lower/cpu/call/
 *
 * `memory` is the start of the function's private variables. The call checks that frame_bytes from
 * there end before the launch's chunk_offset. */
#define GEO_FUNCTION_MAGIC  UINT64_C(0x6e6f6974636e7546)
#define GEO_FUNCTION_WIDTHS 7u /* widths 1, 2, 4 ... 64 */

/* The code of a function for one width and kind of chunk. */
struct geo_function_entry {
    void *code; /* NULL: not compiled for this width */
    uint64_t frame_bytes;
};

/* A descriptor. It is in the data of the function's module. */
struct geo_function {
    uint64_t magic;
    const struct geo_function *self; /* its own address: detects invalid function pointers */
    /* NULL: any kernel may call it. Otherwise an address in its module's code: only kernels of that
       module may call it, since it relies on their layout of local memory */
    const void *object;
    uint64_t reserved;
    /* by kind of chunk (0: row-wise, 1: linear) and log2 of the width */
    struct geo_function_entry entries[2][GEO_FUNCTION_WIDTHS];
};

/* Extra frame bytes of a kernel that calls through pointers. They serve functions of other modules,
 * and pointer calls inside such functions. */
#define GEO_FUNCTION_RESERVE_BYTES 65536u

/* ---- images ---- */

/* Meaning of the bits of a channel. */
enum geo_surface_number {
    GEO_SURFACE_UINT,
    GEO_SURFACE_SINT,
    GEO_SURFACE_UNORM,
    GEO_SURFACE_UNORM_32, /* as UNORM, with more bits than a signed int has */
    GEO_SURFACE_SNORM,
    GEO_SURFACE_SRGB,  /* as UNORM, with colours (not alpha) on sRGB's curve */
    GEO_SURFACE_HALF,  /* 16 bits with a sign, 11 or 10 without */
    GEO_SURFACE_FLOAT, /* 32 bits */
};

/* Facts about the format of an image. */
enum geo_surface_flags {
    /* Component i is channel i of 32 bits, or a constant if the image lacks the channel. */
    GEO_SURFACE_WORDS = 1u << 0,
};

/* Description of an image for kernels. An image argument, or the number of a bindless image, is the
 * address of one. It never changes, and outlives all work that uses it. native/surface.h fills in
 * the fields that depend on the format.
 *
 * A pixel has pixel_bytes (1, 2, 3, 4, 6, 8, 12 or 16), read as little-endian words of 32 bits. The
 * bits of component i of a colour are
 *
 *     (words[word[i]] >> shift[i] & mask[i]) | fill[i]
 *
 * Swizzles are included: a constant component has mask 0 and its value, in the format's encoding,
 * in fill. Kernels never access memory outside of the extents. Extents that an image type lacks are
 * 1, so that even an image used as another type is safe. */
struct geo_surface {
    uint8_t *pixels;
    uint64_t slice_pitch; /* bytes between slices or layers */
    uint32_t row_pitch;   /* bytes */
    uint32_t width, height, depth, layers;
    uint32_t levels; /* number of levels that a query reports; memory has one */
    uint32_t pixel_bytes;
    uint32_t number;  /* enum geo_surface_number */
    uint32_t flags;   /* enum geo_surface_flags */
    uint32_t sampler; /* enum geo_sampler_bits of a bindless sampled image */
    uint32_t border;  /* bits of alpha outside of the image; colours there are zero */
    /* SPIR-V's ImageChannelOrder and ImageChannelDataType, for queries. */
    uint16_t channel_order, channel_type;
    uint32_t word[4], shift[4], mask[4], fill[4];
    uint32_t put[4]; /* mask[i]; 0: writes leave the component out */
    /* Signed numbers: shift left and right by this amount to extend the sign. HALF: shift left to
       get a half. SRGB: nonzero for linear components. */
    uint32_t align[4];
    float scale[4]; /* UNORM, SNORM: factor for the integer on reading */
    float limit[4]; /* UNORM, SNORM: factor for the colour on writing */
};

_Static_assert(offsetof(struct geo_surface, slice_pitch) == 8, "layout that built-ins read");
_Static_assert(offsetof(struct geo_surface, row_pitch) == 16, "layout that built-ins read");
_Static_assert(offsetof(struct geo_surface, border) == 56, "layout that built-ins read");
_Static_assert(offsetof(struct geo_surface, word) == 64, "layout that built-ins read");
_Static_assert(sizeof(struct geo_surface) == 192, "layout that built-ins read");
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
_Static_assert(offsetof(struct geo_launch, zeros) == 112, "kernel calling contract");
_Static_assert(offsetof(struct geo_launch, sink) == 120, "kernel calling contract");
_Static_assert(offsetof(struct geo_worker, scratch) == 0, "kernel calling contract");
_Static_assert(offsetof(struct geo_worker, resume) == 16, "kernel calling contract");
_Static_assert(offsetof(struct geo_worker, counts) == 24, "kernel calling contract");
_Static_assert(offsetof(struct geo_worker, pending) == 152, "kernel calling contract");
_Static_assert(offsetof(struct geo_pending_table, start) == 8, "kernel calling contract");
_Static_assert(offsetof(struct geo_pending_table, addresses) == 64, "kernel calling contract");
_Static_assert(offsetof(struct geo_pending_table, sums) == 8256, "kernel calling contract");
_Static_assert(offsetof(struct geo_services, print) == 0, "kernel calling contract");
_Static_assert(offsetof(struct geo_services, assert_fail) == 8, "kernel calling contract");
_Static_assert(sizeof(struct geo_assertion) == 80, "kernel calling contract");

/* Properties of a kernel that only matter to its caller on a CPU. The bits differ from those of
 * enum geo_kernel_flags (native.h), so that lowering has both in one word. */
enum geo_cpu_kernel_flags {
    GEO_KERNEL_LINEAR = 1u << 0, /* chunks run linearly (sub-group operations) */
    /* does not depend on its work-groups: the launcher may choose other ones, and the last groups
       of the grid may be partial (struct geo_launch) */
    GEO_KERNEL_ANY_GROUPS = 1u << 7,
    /* with GEO_KERNEL_ANY_GROUPS: neighbours along x access neighbouring memory, and nothing is
       shared along y, so long rows use caches best */
    GEO_KERNEL_LONG_ROWS = 1u << 8,
    /* with GEO_KERNEL_RESTRICTED: the code has no partial chunks. The groups' size along x is a
       multiple of W, and so is the grid's. */
    GEO_KERNEL_WHOLE_ROWS = 1u << 10,
    GEO_KERNEL_COUNTED = 1u << 11, /* adds to the worker's counters; programs never get such code */
    /* groups may change the same global memory by atomics, and none waits for another: the launcher
       may run as few of them at once as it likes */
    GEO_KERNEL_CONTENDS = 1u << 12,
    /* has additions that may wait in the worker's table (struct geo_pending_table) until the launch
       ends */
    GEO_KERNEL_PENDS = 1u << 13,
    /* pointers near null are replaced by launch->zeros for loads and launch->sink for stores */
    GEO_KERNEL_NEAR_NULL = 1u << 14,
};

#define GEO_CPU_KERNEL_FLAGS_ALL                                                                   \
    ((uint32_t)(GEO_KERNEL_LINEAR | GEO_KERNEL_ANY_GROUPS | GEO_KERNEL_LONG_ROWS |                 \
                GEO_KERNEL_WHOLE_ROWS | GEO_KERNEL_COUNTED | GEO_KERNEL_CONTENDS |                 \
                GEO_KERNEL_PENDS | GEO_KERNEL_NEAR_NULL))

/* The record of a kernel in a payload for a CPU (GEO_PAYLOAD_OBJECT, native.h). It begins with
 * struct geo_native_entry. */
struct geo_native_cpu_kernel {
    uint32_t symbol;        /* string: ELF symbol of the geo_kernel_fn */
    uint32_t flags;         /* enum geo_cpu_kernel_flags */
    uint32_t lanes;         /* W: 1, 2, 4 ... 64 */
    uint32_t profile_flags; /* zet_profile_flags_t that the code was made with */
    uint64_t local_bytes, frame_bytes, chunk_bytes; /* as in struct geo_scratch_needs */
    /* With ZET_PROFILE_FLAG_FREE_REGISTER_INFO: registers that the code neither reads nor writes
       and that no caller expects to keep their value (native/registers.h). Else 0. */
    uint64_t free_registers;
};
_Static_assert(sizeof(struct geo_native_cpu_kernel) == 48, "format of native binaries");

/* Writable bytes behind scratch, which only its thread uses. Vector accesses at the end of local
 * memory reach there with lanes that are off: such lanes load, and may store what they loaded. */
#define GEO_ABI_SCRATCH_TAIL 512u

/* Properties of a kernel that determine its scratch layout; from its native record. */
struct geo_scratch_needs {
    uint32_t lanes;       /* W */
    bool linear;          /* chunks are linear, not row-wise */
    uint64_t local_bytes; /* static local memory; a multiple of GEO_ABI_SCRATCH_ALIGN */
    uint64_t frame_bytes; /* once per worker; a multiple of GEO_ABI_SCRATCH_ALIGN */
    uint64_t chunk_bytes; /* per chunk; a multiple of GEO_ABI_SCRATCH_ALIGN; 0 without barriers */
};

/* Offsets and size of a worker's scratch memory, in bytes. */
struct geo_scratch_layout {
    uint64_t frame_offset;
    uint64_t chunk_offset;
    uint64_t total_bytes;
};

/* Lays out scratch for a work-group of local_size items. `argument_bytes` is the size of all local
 * arguments, each rounded up to GEO_ABI_SCRATCH_ALIGN; the first starts at local_bytes. Returns
 * false if the sum overflows. */
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
