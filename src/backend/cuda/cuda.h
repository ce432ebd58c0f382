/* The backend of NVIDIA's GPUs.
 *
 * It manages them (sysman, through NVML) and runs nothing on them yet: it has no memory, streams or
 * programs (backend.h). Its devices are the GPUs in NVML's order; of a GPU that is divided into two
 * or more MIG devices these are its parts, as they were when the backend was opened. */
#ifndef GEO_BACKEND_CUDA_CUDA_H
#define GEO_BACKEND_CUDA_CUDA_H

#include "backend/backend.h"

extern const struct geo_backend_ops geo_backend_cuda_ops;

#endif
