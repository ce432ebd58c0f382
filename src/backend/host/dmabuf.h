/* dma-bufs: memory in the form that other kernel drivers use. Ours are created by /dev/udmabuf from
 * the pages of a memory file. Foreign ones are mapped like files with a fixed size. */
#ifndef GEO_BACKEND_HOST_DMABUF_H
#define GEO_BACKEND_HOST_DMABUF_H

#include "backend/backend.h"

/* Implement geo_memory_ops.makes_dmabufs and .dmabuf. */
bool geo_dmabuf_made(struct geo_backend *backend);
ze_result_t geo_dmabuf_create(struct geo_backend *backend, int fd, uint64_t offset, uint64_t bytes,
                              int *out);

/* Returns whether an untrusted descriptor is a dma-buf that contains the range. */
bool geo_dmabuf_holds(int fd, uint64_t offset, uint64_t bytes);

#endif
