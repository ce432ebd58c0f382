/* Commands and the queues that run them.
 *
 * A command waits for events: those of its wait list, and those that the order of its queue adds
 * (the command before it, or the last barrier). When all have completed it is ready, and the queue
 * runs ready commands one after another, in the order in which they became ready:
 *
 *     enqueue -> waits for events -> ready list -> runs -> its event completes
 *
 * A queue has a thread that runs them. A thread that waits for an event or for the queue runs
 * ready commands itself, so that a short command needs no other thread. Only one thread at a time
 * runs commands of a queue, with the queue's immediate command list.
 *
 * A recorder is a queue of a command buffer. Its commands run when they are submitted, which
 * appends them to a regular command list, and they live as long as the list. */
#ifndef GEO_OPENCL_SCHEDULE_H
#define GEO_OPENCL_SCHEDULE_H

#include "opencl/event.h"

#define GEO_OCL_HELD_MAX 2

struct geo_ocl_dependency;

struct geo_ocl_command {
    struct geo_ocl_command *next;          /* in the ready list */
    struct geo_ocl_command *newer, *older; /* of the queue, in flight */
    cl_command_queue queue;                /* held */
    cl_event event;                        /* held */
    void *held[GEO_OCL_HELD_MAX];          /* objects that the command uses */
    struct geo_ocl_dependency *dependencies;
    size_t dependency_count;
    _Atomic size_t waits;   /* dependencies that have not completed */
    _Atomic cl_int failure; /* of a dependency */
    bool is_barrier;        /* later commands wait for it */
    bool waits_for_all;     /* waits for all earlier commands of the queue */
    /* Runs the command to its end; NULL: nothing is to do. */
    cl_int (*run)(struct geo_ocl_command *command, void *work);
    /* Frees what `work` owns; may be NULL. Also called if the command never runs. */
    void (*finish)(void *work);
    _Alignas(16) unsigned char work[]; /* of the kind of command */
};

struct _cl_command_queue {
    struct geo_ocl_object base;
    cl_context context; /* held */
    cl_device_id device;
    cl_command_queue_properties flags;
    cl_queue_properties properties[16]; /* as the application gave them, with the zero */
    size_t property_count;
    ze_command_list_handle_t list; /* immediate; regular if `records` */
    bool records;
    struct geo_ocl_command *recorded; /* newest first */
    pthread_mutex_t order;            /* taken while a command gets its place; before `lock` */
    cl_event last;                    /* held: of the newest command (in order) or barrier */
    pthread_mutex_t lock;             /* protects what follows */
    pthread_cond_t work_added, idle;
    struct geo_ocl_command *ready, **ready_end;
    struct geo_ocl_command *newest; /* in flight */
    size_t in_flight;
    bool is_running; /* a thread runs a command */
    bool has_thread, closes, is_orphan;
    pthread_t thread;
};

bool geo_ocl_schedule_is_queue(cl_command_queue queue);
/* Initialises and frees the parts above that schedule commands. */
void geo_ocl_schedule_init(cl_command_queue queue);
/* Ends the queue's thread. Returns false if this is the thread: it will call `destroy` again. */
bool geo_ocl_schedule_finish(cl_command_queue queue);

/* Checks a queue and a wait list. */
cl_int geo_ocl_schedule_check(cl_command_queue queue, cl_uint count, const cl_event *events);
/* Creates a command with `work_bytes` zeroed bytes for its kind. Returns NULL if memory ran out. */
struct geo_ocl_command *geo_ocl_schedule_command(cl_command_queue queue, cl_command_type type,
                                                 size_t work_bytes);
/* Frees a command that was not submitted. */
void geo_ocl_schedule_drop(struct geo_ocl_command *command);
/* Gives a command its place in the queue; it belongs to the queue then. If `event` is not NULL it
 * gets the command's event. With `blocking`, returns when the command has completed, and its
 * result. Frees the command if it fails. */
cl_int geo_ocl_schedule_submit(struct geo_ocl_command *command, cl_uint count,
                               const cl_event *events, cl_event *event, bool blocking);

/* Frees the commands of a recorder. Their events hold it, so this comes before its release. */
void geo_ocl_schedule_forget(cl_command_queue recorder);

/* Waits until an event has completed. Returns its status. */
cl_int geo_ocl_schedule_wait(cl_event event);
/* Waits until all commands of a queue have completed. */
void geo_ocl_schedule_wait_all(cl_command_queue queue);

#endif
