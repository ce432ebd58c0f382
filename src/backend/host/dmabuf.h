/* dma-bufs: memory as other drivers of the kernel know it. Ours come of /dev/udmabuf, over the
 * pages of a memory file; those of others are mapped like a file that never changes its size. */
#ifndef GEO_BACKEND_HOST_DMABUF_H
#define GEO_BACKEND_HOST_DMABUF_H

#include "backend/backend.h"

/* As geo_memory_ops.makes_dmabufs and .dmabuf. */
bool geo_dmabuf_made(struct geo_backend *backend);
ze_result_t geo_dmabuf_create(struct geo_backend *backend, int fd, uint64_t offset, uint64_t bytes,
                              int *out);

/* Whether an untrusted descriptor is a dma-buf that has these bytes. */
bool geo_dmabuf_holds(int fd, uint64_t offset, uint64_t bytes);

#endif
