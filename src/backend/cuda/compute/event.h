/* Events of GPUs: words of pinned memory that GPUs and the host write and wait for. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_EVENT_H
#define GEO_BACKEND_CUDA_COMPUTE_EVENT_H

#include "backend/backend.h"

extern const struct geo_event_ops geo_compute_event_ops;

#endif
