/* What is true after each operation of a program: objects, and the nodes of a graph of everything
 * that happens.
 *
 * A node is a command that was submitted (a record of a list that is executed twice is two), or an
 * action of the host that commands can wait for. Two orders hold between nodes:
 *
 *     before   what the specification promises: in-order lists, barriers, events, waits of the host
 *     strong   what an implementation may do besides: one command of a queue after the other.
 *              A node ends for certain when nothing in its strong past waits for what has not come
 *
 * Commands that touch the same buffer are ordered by `before`, or the operation is not legal: so
 * the contents of every buffer are certain wherever they are looked at. A node may have run when
 * nothing in its past is blocked; it must have run when a wait told a thread so. What lies between
 * may be either, and both are accepted.
 *
 * A thread's own operations are in order; those of others count as seen after both have met
 * (OP_JOIN), or through the events that they share: commands and the host of any thread may wait
 * for an event; only its owner signals and resets it.
 *
 * The state has no pointers: an operation is tried on a copy. */
#ifndef TESTS_MODEL_STATE_H
#define TESTS_MODEL_STATE_H

#include "program.h"
#include "set.h"

#define RECORDS_MAX 10
#define STREAMS_MAX 64

#define NEVER (-2) /* an operation before all others */
#define GONE  (-3) /* a list that was reset or destroyed */

struct node {
    struct set before, strong;
    int16_t op;
    int8_t thread, stream;     /* stream NONE: the host's */
    uint8_t open[THREADS_MAX]; /* waits for events not signalled yet, by the events' owners */
    bool fault;
};

struct stream {
    struct set nodes;   /* all of them */
    struct set barrier; /* the last barrier and its past: before everything that comes */
    struct set tail;    /* in-order immediate lists: before the next command */
    struct set synced;  /* what a wait for the whole stream has shown to be done */
};

struct record {
    int16_t op;
    int16_t counter_node[WAITS_MAX]; /* what a wait for a counter-based event refers to, NONE */
    int8_t counter_list[WAITS_MAX];  /* the regular list that signals it, NONE */
    int8_t counter_record[WAITS_MAX];
    int16_t last; /* node of the last execution */
};

struct list {
    bool live, closed;
    int16_t ended; /* the operation that destroyed the one before it, NEVER */
    uint8_t flags, owner, count, runs;
    int8_t stream; /* immediate: its own; regular: where it was executed last, NONE */
    struct set nodes;
    struct record records[RECORDS_MAX];
};

struct queue {
    bool live;
    int16_t ended;
    uint8_t flags, owner;
    int8_t stream;
};

struct event {
    bool live;
    int16_t ended;
    uint8_t flags, owner;
    int16_t since; /* operation that created or reset it */
    int16_t used;  /* last operation of the host of another thread on it, NEVER */
    /* regular: since the last reset */
    int16_t reset;         /* the command that reset it; NONE: the host */
    struct set signallers; /* that have been submitted */
    struct set waiters;
    struct set past; /* several signallers: what is before each of them */
    /* counter-based */
    int16_t bound;     /* node that the event tells of; NONE: not yet */
    int8_t bound_list; /* regular list whose record signals it; NONE, GONE */
    int8_t bound_record;
};

struct fence {
    int16_t ended;
    bool live, used, signalled; /* used: given to an execution; signalled: known to be */
    uint8_t owner;
    int8_t queue;
    struct set nodes; /* everything that it waits for */
};

struct buffer {
    struct set readers, writers;
};

struct model {
    uint32_t threads;
    int16_t index;  /* of the operation */
    int16_t joined; /* the last OP_JOIN, -1 */
    uint16_t node_count, stream_count;
    int16_t fault_op;               /* the first operation that may lose the device, NONE */
    int16_t fault_ops[THREADS_MAX]; /* the first of each thread */
    struct set faults;              /* nodes that do */
    struct set known[THREADS_MAX];  /* nodes that the thread knows to be done */
    struct stream streams[STREAMS_MAX];
    struct list lists[LISTS_MAX];
    struct queue queues[QUEUES_MAX];
    struct event events[EVENTS_MAX];
    struct fence fences[FENCES_MAX];
    struct buffer buffers[BUFFERS_MAX];
    struct node nodes[NODES_MAX]; /* the last: only those that are there are copied */
};

void model_init(struct model *model, uint32_t threads);
void model_copy(struct model *to, const struct model *from);

/* ---- nodes ---- */

/* A new node whose past is what its thread knows; NONE when there are too many. */
int node_new(struct model *model, int op, int thread, int stream);
/* `earlier` and its past come before `node`, by promise or in the strong order only. */
void node_follow(struct model *model, int node, int earlier);
void node_follow_all(struct model *model, int node, const struct set *earlier);
/* The past of what is before the node is, too: a set that was kept may lack what came since. */
void node_close(struct model *model, int node);
void node_stall(struct model *model, int node, int earlier);
/* The node signals what `waiter` has waited for. False: it would wait for itself. */
bool node_release(struct model *model, int node, int waiter, int owner);
/* Notes what the operation touches; false when something else does in no certain order. */
bool node_touch(struct model *model, int node, const struct op *op);

void set_add_past(struct set *set, const struct model *model, int node);

/* Whether the node ends without anything else that the host does. */
bool node_will(const struct model *model, int node);
bool nodes_will(const struct model *model, const struct set *nodes);
/* Whether it may have run, as far as this thread has let it. */
bool node_may(const struct model *model, int node, int thread);
bool nodes_may(const struct model *model, const struct set *nodes, int thread);

/* The thread learns that the node, and so its past, is done. */
void node_learn(struct model *model, int thread, int node);
void nodes_learn(struct model *model, int thread, const struct set *nodes);

/* ---- events of either kind ---- */

bool event_seen(const struct model *model, const struct event *event, int thread);
/* Nobody uses the event any more, as its owner knows: it may be reset or destroyed. */
bool event_idle(const struct model *model, const struct event *event, const struct set *known);
/* A command waits for the event; `record` is where a regular list has it, NULL for others. */
bool event_wait(struct model *model, int node, int event, const struct record *record, int wait);
bool event_signal(struct model *model, int node, int event);
bool event_reset(struct model *model, int node, int event); /* by a command */

#endif
