/* Programs of GPUs: modules of CUDA made of PTX or of machine code, and launches of their kernels.
 *
 * A kernel of the compiler's SIMT machine (compiler/lower/simt) has these parameters:
 *
 *     block         the argument block, rounded up to a multiple of 16 bytes, at least 16
 *     offset[3]     the global offset
 *     work_dim      1 to 3
 *
 * Its local memory is the dynamic shared memory of the launch: first the local variables, then the
 * local arguments, each at a multiple of 128 bytes. The block has the offsets of those. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_PROGRAM_H
#define GEO_BACKEND_CUDA_COMPUTE_PROGRAM_H

#include "backend/backend.h"
#include "backend/cuda/compute/queue.h"

/* The payloads that GPUs run: their kinds, and the version of the parameters above. */
#define GEO_COMPUTE_PROGRAM_KINDS    (1u << GEO_PAYLOAD_PTX | 1u << GEO_PAYLOAD_CUBIN)
#define GEO_COMPUTE_PROGRAM_CONTRACT 1u

extern const struct geo_program_ops geo_compute_program_ops;

/* Queues a launch. */
int geo_compute_program_launch(struct geo_compute_queue *queue,
                               const struct geo_command_launch *launch);

#endif
