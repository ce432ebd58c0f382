/* Copies and fills, shared out over the pool when they are large. */
#ifndef GEO_BACKEND_HOST_TRANSFER_H
#define GEO_BACKEND_HOST_TRANSFER_H

#include "backend/command.h"
#include "backend/host/worker.h"

/* owner: the stream, so that a thread that waits for it may help. Overlapping copies behave as if
 * through a buffer. */
void geo_transfer_copy(const struct geo_command_copy *copy, struct geo_host_worker *worker,
                       const void *owner);
void geo_transfer_region(const struct geo_command_copy_region *region,
                         struct geo_host_worker *worker, const void *owner);
void geo_transfer_fill(const struct geo_command_fill *fill, struct geo_host_worker *worker,
                       const void *owner);

#endif
