/* The descriptor that the IPC handles of one memory carry: a duplicate of the memory's own, so that
 * a client that closes what it finds in a handle harms nobody else. It is made with the first
 * handle and goes with the last, or with the memory. All of it under the memory lock. */
#ifndef GEO_DRIVER_MEM_SHARE_H
#define GEO_DRIVER_MEM_SHARE_H

#include "base/fd.h"
#include "driver/core/driver.h"

#include <stdbool.h>
#include <stdint.h>

/* Why memory that should be shared has no file. */
#define GEO_NO_FILE_TEXT                                                                           \
    "the system lets this process have no memory file of its size (memfd_create, RLIMIT_FSIZE)"

struct geo_share {
    struct geo_fd fd; /* the duplicate */
    uint32_t count;   /* handles given out and not put back */
};

/* Returns true while the number is the duplicate that was made: clients close what they find in a
 * handle, and then it may be anything. */
bool geo_share_alive(const struct geo_share *share);

/* Makes the duplicate of the memory's own descriptor unless it is there. UNSUPPORTED_FEATURE when
 * the memory has no descriptor, or the program has closed it; OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_share_open(struct geo_share *share, const struct geo_fd *own);

/* Returns the number of a memory's own descriptor; -1 with the error told when there is none. */
int geo_share_own(const struct geo_fd *own);

/* Whether dma-bufs are asked for and the system makes them. Where it makes none, a descriptor of
 * the memory stands in for them: whoever maps it sees the same. */
bool geo_share_wants_dmabuf(const struct geo_driver *driver, ze_external_memory_type_flags_t types);

/* A descriptor for the application of the first bytes of the file `own`: a dma-buf, or a duplicate,
 * which others may map by handles from now on. The same errors. */
GEO_MUST_CHECK ze_result_t geo_share_export(const struct geo_driver *driver,
                                            ze_external_memory_type_flags_t types,
                                            const struct geo_fd *own, uint64_t bytes, int *fd);

/* Closes the duplicate, if it is alive; no handle is out any more. */
void geo_share_close(struct geo_share *share);

#endif
