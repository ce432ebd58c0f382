/* Command queues that record instead of running. */
#ifndef GEO_OPENCL_QUEUE_H
#define GEO_OPENCL_QUEUE_H

#include "opencl/schedule.h"

/* Creates a queue that only the driver uses: its commands are appended to a regular command list,
 * and run whenever that list does (schedule.h). */
cl_int geo_ocl_queue_create_recorder(cl_context context, cl_device_id device,
                                     cl_command_queue *out);

#endif
