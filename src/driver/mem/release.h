/* Giving an allocation back to the backend: at once, or when the work that may still use it has
 * finished (zeMemFreeExt). Nobody finds it in the address map any more. */
#ifndef GEO_DRIVER_MEM_RELEASE_H
#define GEO_DRIVER_MEM_RELEASE_H

#include "driver/core/context.h"

void geo_release_now(const struct geo_context *context, struct geo_allocation *allocation);

/* Waits for all work on the devices of the context's driver. */
void geo_release_wait(const struct geo_context *context);

/* Takes over the allocation; without memory to remember it, it is waited for here. */
void geo_release_later(struct geo_context *context, struct geo_allocation *allocation);

/* Gives back what waited for work that has finished meanwhile; with `wait`, waits for it. */
void geo_release_collect(bool wait);

/* The same without waiting, cheap when there is nothing. */
void geo_release_poll(void);

#endif
