/* Slabs: small and medium allocations, whole pages each, cut from large memfds.
 *
 * One memfd per allocation would end at the limit on descriptors, one mapping per allocation at the
 * limit on mappings. A slab is one of each for 64 MiB. Free runs of pages are kept in bins by
 * length (good fit, constant time) and merged with their neighbours; pages that stay free go back
 * to the system in batches.
 *
 * Whoever is given a slab's descriptor would see the whole slab, so nobody is: a run that is
 * exported moves to a file of its own, and its place in the slab is mapped again when it is freed.
 * After fork parent and child share the pages of old slabs, so the child stops allocating from them
 * and frees nothing in them.
 */
#ifndef GEO_BACKEND_HOST_SLAB_H
#define GEO_BACKEND_HOST_SLAB_H

#include "base/fd.h"
#include "base/memfd.h"

#include <stdbool.h>
#include <stdint.h>

#define GEO_SLAB_BYTES     (64ull << 20)
#define GEO_SLAB_MAX_BYTES (32ull << 20) /* largest allocation from a slab, alignment included */

struct geo_slab_run; /* an allocation's run of pages */

struct geo_slab_place {
    void *base;
    struct geo_fd fd; /* the slab's */
    uint64_t fd_offset;
    struct geo_slab_run *run;
};

/* bytes and alignment: multiples of the page, a power of two. False when memory, descriptors or
 * mappings ran out. */
bool geo_slab_allocate(uint64_t bytes, uint64_t alignment, struct geo_slab_place *place);
void geo_slab_release(struct geo_slab_run *run);

/* Another file is mapped over the run: its pages' memory goes back, unless another process of a
 * fork uses them or they have no file to take them from. */
void geo_slab_vacate(const struct geo_slab_run *run);
/* Maps the run's pages again, before its release; false when it cannot be: its place is lost. */
bool geo_slab_restore(const struct geo_slab_run *run);

/* Around fork, so that the child finds consistent lists. */
void geo_slab_before_fork(void);
void geo_slab_after_fork_parent(void);
void geo_slab_after_fork_child(void);

/* Statistics, for tests: slabs mapped now. */
uint32_t geo_slab_count(void);

#endif
