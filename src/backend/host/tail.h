/* The page behind every allocation: it reads as zeros and cannot be written. Kernels of others read
 * a vector that begins inside an allocation and ends behind it, which devices with larger pages
 * forgive; what is written there is a fault, as everything further on. Memory of a slab has its
 * neighbour behind it, the last of a slab such a page. */
#ifndef GEO_BACKEND_HOST_TAIL_H
#define GEO_BACKEND_HOST_TAIL_H

#include "base/memfd.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define GEO_TAIL_BYTES GEO_PAGE_BYTES

/* A place for memory and its tail, which is what is left where nothing is mapped over it; NULL when
 * there is none. */
static inline uint8_t *geo_tail_reserve(uint64_t bytes)
{
    void *area = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return area == MAP_FAILED ? NULL : area;
}

#endif
