/* Programs of GPUs: modules of CUDA made of PTX or of machine code, and launches of their kernels.
 * native/nvidia.h says how kernels are called.
 *
 * The local memory of a kernel is the dynamic shared memory of the launch: first the local
 * variables, then the local arguments, each at a multiple of 128 bytes. The block of arguments has
 * the offsets of those. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_PROGRAM_H
#define GEO_BACKEND_CUDA_COMPUTE_PROGRAM_H

#include "backend/backend.h"
#include "backend/cuda/compute/queue.h"

/* The kinds of payloads that GPUs run. */
#define GEO_COMPUTE_PROGRAM_KINDS (1u << GEO_PAYLOAD_PTX | 1u << GEO_PAYLOAD_CUBIN)

extern const struct geo_program_ops geo_compute_program_ops;

/* Queues a launch. */
int geo_compute_program_launch(struct geo_compute_queue *queue,
                               const struct geo_command_launch *launch);

#endif
