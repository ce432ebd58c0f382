/* A program of random API calls: a list of operations. Objects are named by small numbers, so that
 * an operation means the same when others are left out; one that has lost what it needs is left out
 * as well (rules.h says which are legal). */
#ifndef TESTS_MODEL_PROGRAM_H
#define TESTS_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS_MAX 3
#define LISTS_MAX   8
#define QUEUES_MAX  4
#define EVENTS_MAX  10
#define FENCES_MAX  4
#define BUFFERS_MAX 6
#define WAITS_MAX   2
#define INNER_MAX   3
#define OPS_MAX     320

#define BUFFER_WORDS 256
#define NONE         (-1)

enum op_kind {
    OP_LIST_CREATE,
    OP_LIST_DESTROY,
    OP_LIST_CLOSE,
    OP_LIST_RESET,
    OP_QUEUE_CREATE,
    OP_QUEUE_DESTROY,
    OP_EVENT_CREATE,
    OP_EVENT_DESTROY,
    OP_EVENT_SIGNAL, /* by the host */
    OP_EVENT_RESET,
    OP_FENCE_CREATE,
    OP_FENCE_DESTROY,
    OP_FENCE_RESET,
    OP_EXECUTE,
    /* waits and questions */
    OP_WAIT_EVENT,
    OP_WAIT_FENCE,
    OP_WAIT_QUEUE,
    OP_WAIT_LIST,
    OP_TIMESTAMPS, /* of an event */
    /* appended commands */
    OP_LAUNCH,
    OP_FAULT, /* a launch that writes through null */
    OP_HOST_FUNCTION,
    OP_COPY,
    OP_REGION,
    OP_FILL,
    OP_BARRIER,
    OP_APPEND_WAIT,
    OP_APPEND_SIGNAL,
    OP_APPEND_RESET,
    OP_STAMP, /* a global timestamp */
    OP_LISTS, /* closed lists through an immediate list */
    /* the host's own */
    OP_CHECK, /* reads a buffer */
    OP_WRITE, /* writes it */
    OP_JOIN,  /* all threads meet */
    OP_KINDS,
};

enum list_flags {
    LIST_IMMEDIATE = 1u << 0,
    LIST_IN_ORDER = 1u << 1,
    LIST_SYNCHRONOUS = 1u << 2, /* immediate lists and queues */
    LIST_COPY = 1u << 3,        /* of the group that only copies; queues too */
};

enum event_flags {
    EVENT_COUNTER = 1u << 0,
    EVENT_TIMESTAMPS = 1u << 1,
    EVENT_POOL = 1u << 2, /* counter-based, from a pool */
};

enum fence_flags { FENCE_SIGNALLED = 1u << 0 };

enum wait_how {
    WAIT_FOREVER,
    WAIT_AGAIN, /* bounded, until it is not NOT_READY */
    WAIT_POLL,  /* asked until it is not NOT_READY */
    WAIT_ONCE,  /* bounded, once */
    WAIT_QUERY, /* asked once */
    WAIT_HOWS,
};

/* Results that the model takes for right. */
enum outcome {
    OUTCOME_SUCCESS = 1u << 0,
    OUTCOME_NOT_READY = 1u << 1,
    OUTCOME_LOST = 1u << 2,
};

struct op {
    uint8_t kind;   /* enum op_kind */
    uint8_t thread; /* who calls */
    uint8_t flags;  /* enum list_flags, event_flags, fence_flags */
    uint8_t how;    /* enum wait_how */
    int8_t list, queue, event, fence;
    int8_t inner[INNER_MAX]; /* lists that are executed */
    uint8_t inner_count;
    int8_t signal;           /* event, NONE */
    int8_t waits[WAITS_MAX]; /* events */
    uint8_t wait_count;
    int8_t destination, source; /* buffers */
    uint32_t multiply, add;     /* of launches; the pattern of fills; what is written */
    uint32_t spin;              /* how long a kernel idles before it reads */
    uint16_t place, from, size; /* words of copies, regions and fills */
    uint16_t index;             /* in the program as generated */
    /* by the model */
    uint8_t allowed; /* enum outcome */
    bool may_be_lost;
    int16_t node; /* that the operation made or looks at, NONE */
};

/* An operation on nothing yet. */
static inline struct op op_new(enum op_kind kind, uint32_t thread)
{
    return (struct op){.kind = (uint8_t)kind,
                       .thread = (uint8_t)thread,
                       .list = NONE,
                       .queue = NONE,
                       .event = NONE,
                       .fence = NONE,
                       .signal = NONE,
                       .destination = NONE,
                       .source = NONE,
                       .node = NONE};
}

struct program {
    uint64_t seed;
    uint32_t threads;
    uint32_t count;
    struct op ops[OPS_MAX];
};

enum buffer_kind { BUFFER_HOST, BUFFER_SHARED, BUFFER_DEVICE };

static inline enum buffer_kind buffer_kind(int buffer)
{
    return (enum buffer_kind)(buffer % 3);
}

/* What a word holds when the program starts. */
static inline uint32_t buffer_start(int buffer, uint32_t word)
{
    return (uint32_t)(buffer + 1) * 0x9E3779B9u + word;
}

/* dst[i] = dst[i] * multiply + src[i] + add: no two of them commute. */
static inline uint32_t step_word(uint32_t old, uint32_t source, uint32_t multiply, uint32_t add)
{
    return old * multiply + source + add;
}

/* Rows of regions: every other place of a width of REGION_WIDTH words. */
#define REGION_WIDTH 4u
#define REGION_PITCH 16u

static inline bool op_appends(enum op_kind kind)
{
    return kind >= OP_LAUNCH && kind <= OP_LISTS;
}

/* As a call in C. */
void op_print(FILE *out, const struct op *op);
void program_print(FILE *out, const struct program *program);

#endif
