/* A request and its answer as bytes: whoever builds, a thread or a process, works on a copy of its
 * own, which stays when the caller has gone.
 *
 * Numbers are 64-bit words in this machine's order, texts and blocks a length and their bytes,
 * padded to 8; specialisation constants are written into the SPIR-V. What comes from a child is
 * untrusted. */
#ifndef GEO_COMPILER_FACADE_MESSAGE_H
#define GEO_COMPILER_FACADE_MESSAGE_H

#include "compiler/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Longer logs are cut, those of a build and those of a request for one. */
#define GEO_BUILD_LOG_BYTES (1u << 20)

struct geo_message {
    uint8_t *bytes; /* malloc */
    size_t count, capacity;
};

/* What is to be built, and what it may cost. */
struct geo_order {
    struct geo_compiler_request request; /* points into the message */
    uint64_t attempt;                    /* 0, 1, 2: the effort that is tried */
    uint64_t seconds;                    /* of processor time; 0: no limit */
    uint64_t memory_bytes, code_bytes;   /* 0: no limit */
    struct geo_message message;
    _Atomic unsigned references;
};

/* A copy of the request, with its limits from the options. NULL when memory ran out. */
struct geo_order *geo_order_create(const struct geo_compiler_request *request);
/* The limit of memory that orders get in this process, in bytes; 0: none. */
uint64_t geo_order_memory_limit(void);
/* From the bytes that a caller sent, which it takes over. NULL: malformed, or no memory. */
struct geo_order *geo_order_read(struct geo_message *message);
void geo_order_set_attempt(struct geo_order *order, uint64_t attempt);
struct geo_order *geo_order_ref(struct geo_order *order);
void geo_order_unref(struct geo_order *order);

struct geo_answer {
    ze_result_t result;
    bool gave_up; /* LLVM did: another effort may work */
    bool last;    /* its process ends, and takes no other order */
    char *log;    /* malloc; NULL without memory for it */
    void *object; /* malloc; NULL on failure */
    size_t object_bytes;
};

void geo_answer_finish(struct geo_answer *answer);
bool geo_answer_write(const struct geo_answer *answer, struct geo_message *out);
/* False: malformed, or no memory. */
bool geo_answer_read(const struct geo_message *message, struct geo_answer *answer);

/* What a side that need not be trusted gets: the message is over by then, however it comes, and has
 * no more bytes. */
struct geo_message_bounds {
    uint64_t until_ns; /* CLOCK_MONOTONIC; UINT64_MAX: no end */
    uint64_t bytes;
};
#define GEO_MESSAGE_SECOND_NS UINT64_C(1000000000)
uint64_t geo_message_now_ns(void);

/* Over a socket, whole; false when the other side has gone or does not keep the bounds (NULL: there
 * are none), or there is no memory. Receiving makes the message. */
bool geo_message_send(int socket, const struct geo_message *message,
                      const struct geo_message_bounds *bounds);
bool geo_message_receive(int socket, struct geo_message *message,
                         const struct geo_message_bounds *bounds);

#endif
