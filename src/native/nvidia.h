/* How a kernel for NVIDIA's GPUs is called: the contract between the compiler and the backend that
 * launches the code of a payload of GEO_PAYLOAD_PTX or GEO_PAYLOAD_CUBIN.
 *
 *     .entry symbol(.param .align 16 .b8 arguments[argument_bytes],
 *                   .param .u64 offset_x, .param .u64 offset_y, .param .u64 offset_z,
 *                   .param .u32 work_dim)
 *
 * `arguments` is the block of arguments that struct geo_native_argument describes, at least 16
 * bytes. A local argument is the place of its memory in shared memory; the kernel's own variables
 * begin at 0 and take local_bytes. All shared memory is sized by the launch. The grid and the size
 * of a block are those of the launch in work-groups and work-items. */
#ifndef GEO_NATIVE_NVIDIA_H
#define GEO_NATIVE_NVIDIA_H

#include <stdint.h>

/* Raised when the contract changes: payloads of another one are not run. */
#define GEO_NVIDIA_CONTRACT 1u

/* Alignment of the block of arguments, and its least size. */
#define GEO_NVIDIA_ARGUMENTS_ALIGN 16u

/* Parameters of an entry behind the block of arguments. */
enum geo_nvidia_parameter {
    GEO_NVIDIA_OFFSET,                           /* 64 bits: global offset in x; y and z follow */
    GEO_NVIDIA_WORK_DIM = GEO_NVIDIA_OFFSET + 3, /* 32 bits */
    GEO_NVIDIA_PARAMETERS,
};

/* Items of a sub-group, which are the lanes of a warp. */
#define GEO_NVIDIA_LANES 32u

#endif
