/* Slabs: small and medium allocations of whole pages, cut from large memory files.
 *
 * One memory file per allocation would exhaust the descriptors, and one mapping per allocation the
 * mappings. A slab needs one of each for 64 MiB. Free runs of pages are kept in bins by length
 * (good fit, constant time) and merged with their neighbours. Memory of free pages is returned to
 * the system in batches.
 *
 * A slab's descriptor gives access to the whole slab, so it is never exported. A run that is
 * exported moves to a file of its own, and its place in the slab is mapped again when it is freed.
 * After a fork, parent and child share the pages of old slabs. The child therefore neither
 * allocates nor frees in them. */
#ifndef GEO_BACKEND_HOST_SLAB_H
#define GEO_BACKEND_HOST_SLAB_H

#include "base/fd.h"
#include "base/memfd.h"

#include <stdbool.h>
#include <stdint.h>

#define GEO_SLAB_BYTES     (64ull << 20)
#define GEO_SLAB_MAX_BYTES (32ull << 20) /* largest allocation from a slab, including alignment */

struct geo_slab_run; /* run of pages of an allocation */

struct geo_slab_place {
    void *base;
    struct geo_fd fd; /* the slab's descriptor */
    uint64_t fd_offset;
    struct geo_slab_run *run;
};

/* Allocates pages. `bytes` is a multiple of the page size, `alignment` a power of two. Returns
 * false when memory, descriptors or mappings ran out. */
bool geo_slab_allocate(uint64_t bytes, uint64_t alignment, struct geo_slab_place *place);
void geo_slab_release(struct geo_slab_run *run);

/* Returns the memory of a run over which another file is mapped, unless a forked process uses the
 * pages or they have no file. */
void geo_slab_vacate(const struct geo_slab_run *run);
/* Maps the run's pages again before its release. Returns false on failure; the run's place is then
 * lost. */
bool geo_slab_restore(const struct geo_slab_run *run);

/* Fork handlers, so that the child finds consistent lists. */
void geo_slab_before_fork(void);
void geo_slab_after_fork_parent(void);
void geo_slab_after_fork_child(void);

/* Returns the number of mapped slabs. For tests. */
uint32_t geo_slab_count(void);

#endif
