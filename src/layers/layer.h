/* A layer: tables that wrap tables. What validation and tracing are made of.
 *
 *     application --> loader's export --> thunk of this layer --> next: a driver, or another layer
 *                                           |          ^
 *                                 before(call)        after(call)       each part, last one first
 *
 * A layer is a shared library with parts: small objects that each check or record one thing
 * (arguments, lives of handles, leaks, a tracer). It exports the z*Get*ProcAddrTable functions as
 * every layer does, for any loader: the table that comes in is what to call next, what goes out has
 * thunks in the slots that some part wants and the next function itself in all others.
 *
 * One thunk per function is generated (gen/ddi/ddi_layer_thunks.c) and all have one form. It has
 * the types of the arguments, so the compiler passes them by the platform's rules: structures by
 * value, floating point, functions that return no result. It has no knowledge: it puts pointers to
 * its arguments into an array, with the function's index, and calls the two functions below.
 * Everything beyond is hand-written once and walks the data of ddi/geo_ddi.h:
 *
 *     geo_ddi_functions[id]      name, what it returns
 *     geo_ddi_function_params    kind, direction, optional, count, create, release of an argument
 *     geo_ddi_struct_members     the same for what pointers lead to
 *     geo_ddi_struct_extends     what may stand in a chain
 *     geo_ddi_call_check         the first thing that is wrong with a call
 *
 * `arguments` is what the specification's tracing calls z*_params_t: a structure of pointers to the
 * arguments in order. So a tracer hands it on as it is, and a callback that changes an argument
 * changes what the thunk passes on.
 *
 * Hot path: a thunk that nobody watches is two loads, a test and a jump (2 ns); a slot that no part
 * wants costs nothing, it holds the next function. No lock and no allocation here; parts have
 * their own.
 *
 * What ends where, tried against the specification's functions (walk.h for the walks). A tracer
 * takes every class alike: it gives `arguments` away.
 *
 *   class of parameter         data                   check of arguments    lives and leaks
 *   handle in                  HANDLE                 before: null          before: known
 *     that may be null           optional               -                     when not null
 *     whose life ends            release                before: null          before: forget, put
 *                                                                             back when it failed
 *   array of handles           HANDLE *, in, count    before: each null     before: each known
 *   handle out, made           HANDLE *, create       before: pointer       after: remember
 *   handle out, looked up      HANDLE *               before: pointer       after: borrowed
 *   list (count, array)        in-out, "*pCount"      before: the count's   after: each of *pCount
 *                                                     pointer
 *   memory made                void **, create        before: pointer       after: remember
 *   memory given back          void *, release        before: null          before: forget
 *   structure in               STRUCT *, in           before: stype,        before: handles in it
 *                                                     members, chain
 *   structure by value         STRUCT                 before: members       before: handles in it
 *   structure filled           STRUCT *, in-out       before: stype, chain  -
 *   chain of a structure       chain on its pNext     before: each link     before: handles in it
 *                                                     may stand there
 *   chain of a function        chain on a parameter   the same              the same
 *   enumeration, flags         ENUM, FLAGS, index     before: value, mask   -
 *   string                     TEXT *, no count       before: null          -
 *   callback                   CALLBACK               before: null          -
 *   untyped memory             void *                 before: null          -
 *   sizes, alignment           rules                  before: rule_broken   -
 *
 *   function                              ends in
 *   zelTracer<Name>RegisterCallback       one row of a tracer: callbacks[id]; geo_layer_watch on
 *   zelTracerSetPrologues, SetEpilogues   the same for each pointer given: geo_ddi_callbacks
 *   zelTracerSetEnabled                   geo_layer_watch for the functions with a callback
 *   zelTracerDestroy                      waits until no call holds the tracer: a count in it,
 *                                         taken in `before`, given back in `after`
 *   a prologue                            before: callback(arguments, result, user, &instance)
 *   an epilogue                           after: the same with the result; the instance pointers,
 *                                         one per tracer, stand behind the part's scratch
 *   zeContextDestroy, teardown            leaks: what is remembered and not forgotten
 *
 * What no walk can say is written by hand in a part of its own, by function id: the order of
 * commands in a list, deadlocks of events. */
#ifndef GEO_LAYERS_LAYER_H
#define GEO_LAYERS_LAYER_H

#include <stdatomic.h>

#include "ddi/geo_ddi.h"

enum { GEO_LAYER_PARTS = 16 }; /* most parts of one layer */

/* One call on its way through the layer; lives on the stack of its thunk. */
struct geo_layer_call {
    enum geo_ddi_function_id id;
    void *const *arguments; /* the address of each argument, in order */
    void *result;           /* the address of what the function returns */
    uint16_t parts;         /* bits of the parts that see it on its way back */
    bool refused;           /* one did not let it pass: the next function was not called */
    void
        *scratch[GEO_LAYER_PARTS]; /* of each such part, from its `before`, where it is NULL, to its
                                     * `after` */
};

struct geo_layer_part {
    const char *name;
    /* Whether the part wants a function at all; asked when its table is wrapped. NULL: every one. */
    bool (*wants)(const struct geo_ddi_function *function);
    /* A function that the layer itself implements and that takes the place of the next one; NULL:
     * none. Such calls are not shown to parts. May be NULL. */
    void (*(*replaces)(enum geo_ddi_function_id id))(void);
    /* True: watches nothing until geo_layer_watch says so. */
    bool dormant;
    /* Before the next function. Anything but SUCCESS refuses the call: that is its result, neither
     * the parts behind nor the next function see it. May be NULL. */
    ze_result_t (*before)(struct geo_layer_call *call, void **scratch);
    /* After it, in the opposite order; also of a call that a part behind refused. May be NULL. */
    void (*after)(struct geo_layer_call *call, void **scratch);
};

/* Written by each layer: its parts, NULL at the end. */
extern const struct geo_layer_part *const geo_layer_parts[];

/* What a part calls when it needs the API itself: past this layer. */
extern struct geo_ddi_table_set geo_layer_next;
/* What the application calls: this layer's thunks, and the next functions where it has none. */
extern struct geo_ddi_table_set geo_layer_given;

/* Exchanges a table for that of the layer: the body of every z*Get*ProcAddrTable. `table` has the
 * length of `version`. INVALID_NULL_POINTER, UNSUPPORTED_VERSION (another major one). Called while
 * the loader initialises, before calls go through the table. */
ze_result_t geo_layer_wrap(enum geo_ddi_table_id id, ze_api_version_t version, void *table);

/* Switches a dormant part, by its place among geo_layer_parts, on or off for one function. From any
 * thread; a call that is under way keeps to what it began with. */
void geo_layer_watch(unsigned part, enum geo_ddi_function_id id, bool on);

/* Whether the next function was called and, when it returns a result, succeeded. */
static inline bool geo_layer_succeeded(const struct geo_layer_call *call)
{
    return !call->refused && (geo_ddi_functions[call->id].returns != GEO_DDI_RESULT ||
                              *(const ze_result_t *)call->result == ZE_RESULT_SUCCESS);
}

/* --- for the thunks --- */

typedef void (*geo_layer_fn)(void);

extern const geo_layer_fn geo_layer_thunks[GEO_DDI_FUNCTION_COUNT];
extern _Atomic uint16_t geo_layer_watched[GEO_DDI_FUNCTION_COUNT]; /* bits of parts */

static inline bool geo_layer_is_watched(enum geo_ddi_function_id id)
{
    return atomic_load_explicit(&geo_layer_watched[id], memory_order_relaxed) != 0;
}

/* Scratch is left as it is: `before` clears what it gives to a part. */
static inline void geo_layer_begin(struct geo_layer_call *call, enum geo_ddi_function_id id,
                                   void *const *arguments, void *result)
{
    call->id = id;
    call->arguments = arguments;
    call->result = result;
    call->parts = 0;
    call->refused = false;
}

/* False: a part refused the call, its answer is in the result. */
bool geo_layer_before(struct geo_layer_call *call);
void geo_layer_after(struct geo_layer_call *call);

#endif
