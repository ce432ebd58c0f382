/* Fills with patterns of any size. CUDA fills with values of 1, 2 or 4 bytes. A larger pattern is
 * written once in such values; then what is filled is copied behind itself, twice as much each
 * time. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_FILL_H
#define GEO_BACKEND_CUDA_COMPUTE_FILL_H

#include "backend/command.h"
#include "backend/cuda/compute/queue.h"

int geo_compute_fill(struct geo_compute_queue *queue, const struct geo_command_fill *fill);

#endif
