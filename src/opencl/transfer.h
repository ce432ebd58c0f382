/* Copies and fills as a queue's immediate command list runs them. */
#ifndef GEO_OPENCL_TRANSFER_H
#define GEO_OPENCL_TRANSFER_H

#include "opencl/schedule.h"

/* Waits for the last command that was appended to the queue's list. In a recorder, lets the next
 * one wait for it. */
cl_int geo_ocl_transfer_wait(cl_command_queue queue, ze_result_t result);
/* Copy bytes between any memory of the host and of devices; the second lets them overlap. */
cl_int geo_ocl_transfer_copy(cl_command_queue queue, void *to, const void *from, size_t bytes);
/* Fills memory with a pattern. `bytes` is a multiple of the pattern's. */
cl_int geo_ocl_transfer_fill(cl_command_queue queue, void *to, const void *pattern,
                             size_t pattern_bytes, size_t bytes);

/* A box of bytes in memory. */
struct geo_ocl_box {
    char *pointer; /* of the first byte of the box */
    size_t row, slice;
};
cl_int geo_ocl_transfer_box(cl_command_queue queue, const struct geo_ocl_box *to,
                            const struct geo_ocl_box *from, const size_t region[3]);

#endif
