/* The backend of NVIDIA GPUs.
 *
 * It manages GPUs (sysman, through NVML) and does not execute anything yet: it has no memory,
 * streams or programs (backend.h). Its devices are the GPUs in NVML's order. A GPU with two or more
 * MIG devices has these as sub-devices. The set of MIG devices is fixed when the backend opens.
 *
 * The second table is the backend that computes as well, through libcuda. It lacks parts that
 * programs need (docs/decisions/cuda.md). It is not in the list of backends, so only unit tests
 * open it. See docs/decisions/cuda.md, "The backend that computes is a second table until it runs
 * kernels". */
#ifndef GEO_BACKEND_CUDA_CUDA_H
#define GEO_BACKEND_CUDA_CUDA_H

#include "backend/backend.h"

extern const struct geo_backend_ops geo_backend_cuda_ops;
extern const struct geo_backend_ops geo_backend_cuda_compute_ops;

#endif
