/* Command buffers (cl_khr_command_buffer 0.9.8): commands that are recorded once and run often.
 *
 * A command buffer has a recorder (queue.h), whose regular command list of Level Zero the commands
 * are appended to, each behind a barrier. So they run in the order in which they were recorded,
 * which satisfies every wait for a sync point. Sync points are numbers from 1 in that order.
 *
 * The names of constants and functions are the driver's own, because headers of OpenCL have
 * different versions of the extension or none. The types of functions are those of 0.9.8. */
#ifndef GEO_OPENCL_COMMAND_BUFFER_H
#define GEO_OPENCL_COMMAND_BUFFER_H

#include "opencl/queue.h"

/* errors */
#define GEO_OCL_INVALID_COMMAND_BUFFER       (-1138)
#define GEO_OCL_INVALID_SYNC_POINT_WAIT_LIST (-1139)
#define GEO_OCL_INCOMPATIBLE_COMMAND_QUEUE   (-1140)
/* properties and their flags */
#define GEO_OCL_COMMAND_BUFFER_FLAGS            0x1293
#define GEO_OCL_COMMAND_BUFFER_SIMULTANEOUS_USE 0x1 /* before version 0.9.8; always possible */
#define GEO_OCL_COMMAND_BUFFER_MUTABLE          0x2
#define GEO_OCL_COMMAND_BUFFER_DEVICE_SIDE_SYNC 0x4
/* queries */
#define GEO_OCL_COMMAND_BUFFER_QUEUES           0x1294
#define GEO_OCL_COMMAND_BUFFER_NUM_QUEUES       0x1295
#define GEO_OCL_COMMAND_BUFFER_REFERENCE_COUNT  0x1296
#define GEO_OCL_COMMAND_BUFFER_STATE            0x1297
#define GEO_OCL_COMMAND_BUFFER_PROPERTIES_ARRAY 0x1298
#define GEO_OCL_COMMAND_BUFFER_CONTEXT          0x1299
#define GEO_OCL_COMMAND_COMMAND_BUFFER          0x12A8 /* cl_command_type */

typedef cl_uint geo_ocl_sync_point;
struct _cl_mutable_command_khr; /* has no objects */

struct _cl_command_buffer_khr {
    struct geo_ocl_object base;
    cl_command_queue queue;    /* held: the one it was created for */
    cl_command_queue recorder; /* owned */
    ze_command_queue_handle_t executor;
    cl_properties properties[3]; /* as the application gave them, with the zero */
    size_t property_count;
    pthread_mutex_t record_lock; /* protects what follows */
    geo_ocl_sync_point sync_points;
    bool is_final;
    pthread_mutex_t run_lock; /* a command list of Level Zero runs once at a time */
};

bool geo_ocl_command_buffer_is(const struct _cl_command_buffer_khr *buffer);

/* The functions of the extension, without those that record. dispatch.c gives them their names. */
struct _cl_command_buffer_khr *CL_API_CALL geo_ocl_command_buffer_create(
    cl_uint count, const cl_command_queue *queues, const cl_properties *properties, cl_int *error);
cl_int CL_API_CALL geo_ocl_command_buffer_finalize(struct _cl_command_buffer_khr *buffer);
cl_int CL_API_CALL geo_ocl_command_buffer_retain(struct _cl_command_buffer_khr *buffer);
cl_int CL_API_CALL geo_ocl_command_buffer_release(struct _cl_command_buffer_khr *buffer);
cl_int CL_API_CALL geo_ocl_command_buffer_enqueue(cl_uint queue_count, cl_command_queue *queues,
                                                  struct _cl_command_buffer_khr *buffer,
                                                  cl_uint count, const cl_event *events,
                                                  cl_event *event);
cl_int CL_API_CALL geo_ocl_command_buffer_info(struct _cl_command_buffer_khr *buffer, cl_uint name,
                                               size_t size, void *value, size_t *size_ret);

#endif
