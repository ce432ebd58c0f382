/* The list of backends of the main driver library, in the order of the drivers. No other file names
 * them. */
#include "backend/cpu/cpu.h"
#include "backend/cuda/cuda.h"
#include "backend/null/null.h"
#include "backend/simulated/simulated.h"

const struct geo_backend_ops *const geo_backends[] = {&geo_backend_cpu_ops, &geo_backend_cuda_ops,
                                                      &geo_backend_simulated_ops, NULL};
