/* The descriptor in the IPC handles of one memory. It is a duplicate of the memory's own
 * descriptor, so that a client that closes the number in a handle does no other harm. It is made
 * with the first handle and closed with the last, or with the memory. All of this is protected by
 * the memory lock. */
#ifndef GEO_DRIVER_MEM_SHARE_H
#define GEO_DRIVER_MEM_SHARE_H

#include "base/fd.h"
#include "driver/core/driver.h"

#include <stdbool.h>
#include <stdint.h>

/* Explains in messages why memory to be shared has no file. */
#define GEO_NO_FILE_TEXT                                                                           \
    "the system lets this process have no memory file of its size (memfd_create, RLIMIT_FSIZE)"

/* The shared descriptor of one memory; part of the memory's record. */
struct geo_share {
    struct geo_fd fd; /* the duplicate */
    uint32_t count;   /* handles that were not returned yet */
};

/* Returns true while the number still is our duplicate: a client may have closed it, and the number
 * may be another file now. */
bool geo_share_alive(const struct geo_share *share);

/* Makes the duplicate of the memory's own descriptor unless it exists. Returns UNSUPPORTED_FEATURE
 * if the memory has no descriptor or the program has closed it, or OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_share_open(struct geo_share *share, const struct geo_fd *own);

/* Returns the number of a memory's own descriptor, or -1 after recording the error. */
int geo_share_own(const struct geo_fd *own);

/* Returns whether dma-bufs are requested and the system supports them. If it does not, a plain
 * descriptor of the memory is exported instead, which maps the same memory. */
bool geo_share_wants_dmabuf(const struct geo_driver *driver, ze_external_memory_type_flags_t types);

/* Exports the first bytes of the file `own` as a dma-buf or as a duplicate; the caller owns the
 * descriptor. Other processes may map the file by handles from now on. Same errors. */
GEO_MUST_CHECK ze_result_t geo_share_export(const struct geo_driver *driver,
                                            ze_external_memory_type_flags_t types,
                                            const struct geo_fd *own, uint64_t bytes, int *fd);

/* Takes back one handle; the last one closes the duplicate. A handle more than were given out,
 * which a program can forge, has no further effect. */
void geo_share_return(struct geo_share *share);

/* Closes the duplicate if it is alive. All handles were returned. */
void geo_share_close(struct geo_share *share);

#endif
