/* Calls that the collector does something about, beside recording that they were made. */
#ifndef TOOLS_ZETRACE_COLLECT_H
#define TOOLS_ZETRACE_COLLECT_H

#include <level_zero/layers/zel_tracing_register_cb.h>

#include <stdint.h>

/* A call on its way. `params` are pointers to its arguments, in order. */
struct call {
    const char *function;
    uint32_t index;
    void **params;
    uint64_t begin;
    ze_result_t result; /* after the call */
};

struct handler {
    const char *function; /* NULL ends a table */
    void (*before)(const struct call *call);
    void (*after)(const struct call *call);
};

extern const struct handler tracker_handlers[]; /* of what makes and ends objects, and waits */
extern const struct handler flags_handlers[];   /* of what makes events, and tells of them */
extern const struct handler append_handlers[];  /* of what appends commands and executes lists */

/* The event is about to end: another may have its handle. */
void flags_forget(ze_event_handle_t event);
/* In the child of a fork. */
void flags_forked(void);

/* The argument at a place of a traced function. */
#define ARGUMENT(call, type, place) (*(type *)(call)->params[place])

#endif
