/* Arguments of kernels in launch records, for the backends of CPUs and GPUs.
 *
 * The argument block of a record is a copy of the values. A local argument becomes the offset of
 * its memory from the start of the group's local memory, which has these parts:
 *
 *     | local variables of the kernel | first local argument | second ... |
 *     0                               variable_bytes
 *
 * Each local argument begins at a multiple of GEO_HOST_LOCAL_ALIGN. */
#ifndef GEO_BACKEND_HOST_ARGUMENTS_H
#define GEO_BACKEND_HOST_ARGUMENTS_H

#include "backend/backend.h"
#include "native/native.h"

#include <string.h>

#define GEO_HOST_LOCAL_ALIGN 128u

static inline uint64_t geo_host_arguments_round(uint64_t bytes)
{
    return (bytes + GEO_HOST_LOCAL_ALIGN - 1) & ~(uint64_t)(GEO_HOST_LOCAL_ALIGN - 1);
}

/* A local argument. */
struct geo_host_local {
    uint32_t index;  /* number among the kernel's arguments */
    uint32_t offset; /* of the address in the argument block */
};

/* The arguments of one kernel. Launches only look at the local ones, which are few. */
struct geo_host_arguments {
    uint32_t bytes; /* size of the argument block */
    uint32_t local_count;
    struct geo_host_local *locals; /* [local_count]; owned; may be NULL if it is 0 */
    uint64_t variable_bytes;       /* size of the kernel's local variables */
};

/* Describes the arguments of a kernel of the view, which may be freed afterwards. `variable_bytes`
 * is rounded up to GEO_HOST_LOCAL_ALIGN. Returns false when memory runs out. */
bool geo_host_arguments_init(struct geo_host_arguments *arguments,
                             const struct geo_native_view *view,
                             const struct geo_native_kernel *kernel, uint64_t variable_bytes);
/* Frees what the description owns. Accepts a zeroed one. */
void geo_host_arguments_finish(struct geo_host_arguments *arguments);

/* (any thread) Implements program.local_bytes of the backend interface. */
uint64_t geo_host_arguments_local(const struct geo_host_arguments *arguments,
                                  const uint64_t *sizes);

/* (any thread) Implements program.encode, except that it does not set the record's kernel. Inline
 * because it is a part of every append. */
static inline void geo_host_arguments_encode(const struct geo_host_arguments *arguments,
                                             const void *values, const uint64_t *local_bytes,
                                             struct geo_command_launch *launch, void *block)
{
    uint64_t offset = arguments->variable_bytes;
    if (arguments->bytes != 0) {
        memcpy(block, values, arguments->bytes);
    }
    for (uint32_t i = 0; i < arguments->local_count; i++) {
        const struct geo_host_local *local = &arguments->locals[i];
        memcpy((uint8_t *)block + local->offset, &offset, sizeof(offset));
        offset += geo_host_arguments_round(local_bytes[local->index]);
    }
    launch->local_argument_bytes = offset - arguments->variable_bytes;
}

#endif
