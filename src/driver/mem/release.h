/* Releases allocations to the backend, at once or when the work that may still use them has
 * finished (zeMemFreeExt). They were removed from the address map before. */
#ifndef GEO_DRIVER_MEM_RELEASE_H
#define GEO_DRIVER_MEM_RELEASE_H

#include "driver/core/context.h"

/* Releases the allocation to the backend at once. */
void geo_release_now(const struct geo_context *context, struct geo_allocation *allocation);

/* Waits for all work on all devices of the context's driver. */
void geo_release_wait(const struct geo_context *context);

/* Takes over the allocation and releases it later. If memory to record it is short, it waits and
 * releases the allocation at once. */
void geo_release_later(struct geo_context *context, struct geo_allocation *allocation);

/* Releases allocations whose work has finished; with `wait`, waits for the others and releases
 * them, too. */
void geo_release_collect(bool wait);

/* Releases without waiting; cheap if nothing is recorded. */
void geo_release_poll(void);

#endif
