/* Memory files: what memory lies in that may be shared, and what may be mapped of others.
 *
 * Whoever maps a file that somebody else can cut short dies by SIGBUS when that happens, and a
 * number in a message of somebody else may be any file of this process. So
 *
 *   - a file is mapped only when its seals keep it from shrinking (geo_memfd_holds): files that the
 *     application gives us itself, for which that is enough, are sealed when they can be;
 *   - what a handle of another process names has to be shared memory of this driver besides
 *     (geo_memfd_shared): of a size for ever, and marked by its mode when it was first given out.
 *
 * The mark keeps handles away from other programs' sealed files and from memory of ours that nobody
 * has given out, such as slabs. The seals are asked for first: that never waits for anybody, while
 * a file server, which may be the enemy's, answers everything else about its files when it likes. */
#ifndef GEO_BASE_MEMFD_H
#define GEO_BASE_MEMFD_H

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define GEO_PAGE_BYTES 4096u

/* Of this size for ever, so that nobody who gets it can cut it short; -1 and errno when there is
 * none: EFBIG beyond the limit on file sizes, which would be a signal otherwise. */
int geo_memfd_create(const char *name, uint64_t bytes);

/* What errno says of a descriptor that there is not: OUT_OF_HOST_MEMORY when memory or descriptors
 * ran out, else UNSUPPORTED_FEATURE: limits or filters keep this process from having any. */
ze_result_t geo_memfd_result(void);

/* From now on other processes may map it by handles; a file of the application gets its seals here.
 * False when it can have no seals or the mark is refused. */
bool geo_memfd_share(int fd);

/* Whether an untrusted number is a descriptor of memory that geo_memfd_share has marked; then what
 * the system says of it. */
bool geo_memfd_shared(int fd, struct stat *status);

/* Whether an untrusted descriptor is a memory file that has these bytes and keeps them. */
bool geo_memfd_holds(int fd, uint64_t offset, uint64_t bytes);

/* The device that all memory files of this machine lie on; 0: none can be made to ask. */
uint64_t geo_memfd_device(void);

#endif
