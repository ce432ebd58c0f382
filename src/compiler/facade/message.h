/* Requests and answers as byte sequences. A builder, whether thread or process, works on its own
 * copy, which remains valid after the caller has left.
 *
 * Numbers are 64-bit words in host byte order. Texts and blocks are a length and their bytes,
 * padded to 8. Specialisation constants are already written into the SPIR-V. Messages from a child
 * are untrusted. */
#ifndef GEO_COMPILER_FACADE_MESSAGE_H
#define GEO_COMPILER_FACADE_MESSAGE_H

#include "compiler/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Bound on a log, both of one build and of all efforts of a request. Longer logs are truncated. */
#define GEO_BUILD_LOG_BYTES (1u << 20)

/* A message that is being written, or was received. */
struct geo_message {
    uint8_t *bytes; /* owned, malloc */
    size_t count, capacity;
};

/* A build to do: the request and its limits. Reference-counted. */
struct geo_order {
    struct geo_compiler_request request; /* points into `message` */
    uint64_t attempt;                    /* 0, 1, 2: index of the effort */
    uint64_t seconds;                    /* limit of processor time; 0: none */
    uint64_t memory_bytes, code_bytes;   /* limits; 0: none */
    struct geo_message message;
    _Atomic unsigned references;
};

/* Copies a request and takes its limits from the options. Returns NULL when memory runs out. */
struct geo_order *geo_order_create(const struct geo_compiler_request *request);
/* Returns the memory limit of orders in this process, in bytes; 0: none. */
uint64_t geo_order_memory_limit(void);
/* Decodes an order from received bytes, which it takes over. Returns NULL if they are malformed or
 * memory runs out. */
struct geo_order *geo_order_read(struct geo_message *message);
/* Sets the index of the effort, in the order and in its message. */
void geo_order_set_attempt(struct geo_order *order, uint64_t attempt);
/* Adds a reference and returns the order. */
struct geo_order *geo_order_ref(struct geo_order *order);
/* Drops a reference, and frees the order with the last one. `order` may be NULL. */
void geo_order_unref(struct geo_order *order);

/* The result of a build. The caller that receives it owns log and binary. */
struct geo_answer {
    ze_result_t result;
    bool gave_up; /* LLVM failed; another effort may work */
    bool last;    /* the child process ends and takes no further order */
    char *log;    /* malloc; NULL if memory ran out */
    void *binary; /* malloc; NULL on failure */
    size_t binary_bytes;
    struct geo_message texts; /* the forms that the order asks for: geo_answer_texts_read */
};

/* Frees log, binary and texts. */
void geo_answer_finish(struct geo_answer *answer);
/* Appends an answer to a message. Returns false when memory runs out. */
bool geo_answer_write(const struct geo_answer *answer, struct geo_message *out);
/* Decodes an answer. Returns false if it is malformed or memory runs out. */
bool geo_answer_read(const struct geo_message *message, struct geo_answer *answer);

struct geo_remarks;
/* Writes the report and the texts of a build into answer->texts. Returns false when memory runs
 * out. */
bool geo_answer_texts_write(struct geo_answer *answer, const struct geo_remarks *remarks);
/* Lists the texts, which point into the message. The caller frees the list. Returns NULL if the
 * message is malformed or empty, or memory runs out. */
struct geo_compiler_text *geo_answer_texts_read(const struct geo_message *message, uint32_t *count);

/* Bounds on a transfer with an untrusted side: it ends by a time, and has at most so many bytes. */
struct geo_message_bounds {
    uint64_t until_ns; /* CLOCK_MONOTONIC; UINT64_MAX: no limit */
    uint64_t bytes;
};
#define GEO_MESSAGE_SECOND_NS UINT64_C(1000000000)
/* Returns the time of CLOCK_MONOTONIC, in nanoseconds. */
uint64_t geo_message_now_ns(void);

/* Send or receive a whole message. Return false if the other side has closed the socket, if a bound
 * is exceeded, or if memory runs out. bounds NULL: no limits. The receiver frees message->bytes. */
bool geo_message_send(int socket, const struct geo_message *message,
                      const struct geo_message_bounds *bounds);
bool geo_message_receive(int socket, struct geo_message *message,
                         const struct geo_message_bounds *bounds);

#endif
