/* Keeps what times of commands depend on: contexts, devices, lists, queues and kernels of the
 * program. One lock protects all of this, the clocks, timers and watches. It is never held while a
 * call of the program runs, so a call that begins while its thread holds the lock is the
 * collector's own. Callbacks ignore such calls: they would wait for the lock that their thread
 * holds. */
#ifndef TOOLS_ZETRACE_TRACKER_H
#define TOOLS_ZETRACE_TRACKER_H

#include "clock.h"
#include "measure.h"
#include "timer.h"

#include "tools/zetrace/record.h"

#include <stdbool.h>
#include <stddef.h>

/* A command, as it is told. */
struct command {
    enum zetrace_what what;
    uint32_t name; /* of the kernel or function */
    uint64_t bytes;
    uint8_t from, to;
};

/* A command of a regular list. */
struct recorded {
    struct command command;
    ze_event_handle_t event; /* that it signals */
    struct timer *timer;     /* ours; NULL: the event is the program's */
    struct query *query;     /* of a measured kernel, or NULL */
};

/* The commands that were appended to a regular list since its reset. Executions in flight and
 * clones hold references. */
struct recording {
    unsigned refs;
    size_t count, room, timers, queries; /* the last two: commands that have one */
    struct recorded *commands;
    struct run *spare; /* watch.c */
};

struct list {
    ze_context_handle_t context;
    struct timers *timers;
    struct device *device;
    uint32_t stream;
    bool immediate;
    bool in_order;
    bool silent;                 /* its commands may be changed or captured: nothing is added */
    struct recording *recording; /* of a regular list */
};

struct queue {
    struct timers *timers;
    struct device *device;
    uint32_t ordinal;
    uint32_t stream;
};

void tracker_lock(void);
void tracker_unlock(void);
/* Returns true when the calling thread holds the lock: a call that it makes is the collector's. */
bool tracker_locked_here(void);
/* In the child of a fork: nothing of the parent's can be used. */
void tracker_forked(void);

/* Under the lock, NULL for what is not known. */
struct list *tracker_list(ze_command_list_handle_t list);
struct queue *tracker_queue(ze_command_queue_handle_t queue);

/* The number of a kernel's name. */
uint32_t tracker_kernel(ze_kernel_handle_t kernel);

void recording_unref(struct recording *recording);

#endif
