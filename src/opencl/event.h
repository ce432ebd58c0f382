/* Events: the state of a command or of a user event, those who wait for it, and its callbacks. */
#ifndef GEO_OPENCL_EVENT_H
#define GEO_OPENCL_EVENT_H

#include "opencl/context.h"

/* Something that is told once when an event has completed. The owner embeds it. */
struct geo_ocl_waiter {
    struct geo_ocl_waiter *next;
    /* `status` is CL_COMPLETE or an error. Called without a lock. */
    void (*done)(struct geo_ocl_waiter *waiter, cl_int status);
};

struct geo_ocl_callback;

struct _cl_event {
    struct geo_ocl_object base;
    cl_context context;     /* held */
    cl_command_queue queue; /* held; NULL: a user event */
    cl_command_type type;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t completed;
    _Atomic cl_int status; /* written with the lock held */
    bool is_set;           /* a user event's status was set */
    struct geo_ocl_waiter *waiters;
    struct geo_ocl_callback *callbacks;
    /* Times of the states CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_QUEUED (their numbers are the
     * indexes). */
    cl_ulong times[4];
};

bool geo_ocl_event_is(cl_event event);
/* Creates an event with one reference; `status` is CL_QUEUED or CL_SUBMITTED. Returns NULL if
 * memory ran out. */
cl_event geo_ocl_event_create(cl_context context, cl_command_queue queue, cl_command_type type,
                              cl_int status);
/* Moves an event to a later state. Calls waiters and callbacks. */
void geo_ocl_event_advance(cl_event event, cl_int status);
bool geo_ocl_event_is_complete(const struct _cl_event *event);
/* Tells `waiter` when the event completes. Returns false and the status if it already has. */
bool geo_ocl_event_watch(cl_event event, struct geo_ocl_waiter *waiter, cl_int *status);
/* Sleeps until the event has completed. */
void geo_ocl_event_sleep(cl_event event);

#endif
