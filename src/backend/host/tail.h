/* The page after each allocation, which reads as zeros and cannot be written. Some kernels read a
 * vector that starts inside an allocation and ends behind it, which works on devices with larger
 * pages. Writes there, and any access further on, fault. In a slab the next allocation follows
 * instead; after a slab's last run there is such a page. */
#ifndef GEO_BACKEND_HOST_TAIL_H
#define GEO_BACKEND_HOST_TAIL_H

#include "base/memfd.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define GEO_TAIL_BYTES GEO_PAGE_BYTES

/* Reserves space for memory and its tail. The part that is not mapped over becomes the tail.
 * Returns NULL on failure. */
static inline uint8_t *geo_tail_reserve(uint64_t bytes)
{
    void *area = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return area == MAP_FAILED ? NULL : area;
}

#endif
