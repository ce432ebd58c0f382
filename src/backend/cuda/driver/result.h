/* Result codes of CUDA: what they become, and their texts. */
#ifndef GEO_BACKEND_CUDA_DRIVER_RESULT_H
#define GEO_BACKEND_CUDA_DRIVER_RESULT_H

#include "backend/cuda/driver/library.h"

#include <stdbool.h>

/* Returns whether a result says that the device, or all work of its context, is lost. */
bool geo_cuda_result_is_lost(int code);

/* Returns the result that the API gives for a result of CUDA, or for one of library.h. */
ze_result_t geo_cuda_result_of(int code);

/* Appends "cuMemAlloc: out of memory (2)" to `why`, or logs it at level info if `why` is NULL. */
void geo_cuda_result_explain(const struct geo_cuda *cuda, int code, const char *function,
                             struct geo_strbuf *why);

#endif
