/* A layer: a library that replaces the functions of dispatch tables by its own. Validation and
 * tracing are layers.
 *
 *     application --> loader's export --> thunk of this layer --> next: a driver, or another layer
 *                                              |      ^
 *                                    before(call)    after(call)     each part; after in reverse
 *
 * A layer is a shared library made of parts. Each part checks or records one thing (arguments,
 * lifetimes of handles, leaks, tracers). The library exports the z*Get*ProcAddrTable functions that
 * every layer has. The incoming table holds the next function of each slot. The outgoing table
 * holds a thunk in each slot that a part wants, and the next function in all others.
 *
 * Each function has one generated thunk (gen/ddi/ddi_layer_thunks.c), and all thunks have the same
 * form. A thunk knows the argument types, so the compiler passes them by the platform's rules:
 * structures by value, floating point, functions without a result. It stores pointers to its
 * arguments in an array, and calls geo_layer_before and geo_layer_after with the function's index.
 * All other code is written by hand once and uses the data of ddi/geo_ddi.h:
 *
 *     geo_ddi_functions[id]     name, return type
 *     geo_ddi_function_params   kind, direction, optional, count, create, release of an argument
 *     geo_ddi_struct_members    the same for members of the structures that arguments point to
 *     geo_ddi_struct_extends    the structures that may be in a chain
 *     geo_ddi_call_check        the first failed check of a call
 *
 * `arguments` has the layout of the specification's z*_params_t for tracing: pointers to the
 * arguments in order. A tracer therefore passes it to callbacks unchanged, and a callback that
 * changes an argument changes what the next function gets.
 *
 * Cost: an unwatched thunk is two loads, a test and a jump (2 ns). A slot that no part wants holds
 * the next function and costs nothing. This file takes no lock and allocates nothing; parts may.
 *
 * The next table lists the classes of parameters, and where checks of arguments and lifetimes
 * handle them (walk.h for the iteration). A tracer treats all classes alike.
 *
 *     class of parameter        data                check of arguments  lifetimes and leaks
 *     handle in                 HANDLE              before: null        before: is known
 *       may be null             optional            -                   if not null
 *       is destroyed            release             before: null        before: forget; restore
 *                                                                       if the call failed
 *     array of handles          HANDLE *, in, count before: each null   before: each is known
 *     handle out, created       HANDLE *, create    before: pointer     after: remember
 *     handle out, looked up     HANDLE *            before: pointer     after: as borrowed
 *     list (count, array)       in-out, "*pCount"   before: the count's after: each of *pCount
 *                                                   pointer
 *     memory allocated          void **, create     before: pointer     after: remember
 *     memory freed              void *, release     before: null        before: forget
 *     structure in              STRUCT *, in        before: stype,      before: handles in it
 *                                                   members, chain
 *     structure by value        STRUCT              before: members     before: handles in it
 *     structure filled          STRUCT *, in-out    before: stype, chain  -
 *     chain of a structure      chain on its pNext  before: each struct before: handles in it
 *                                                   is allowed
 *     chain of a function       chain on a parameter  the same          the same
 *     enumeration, flags        ENUM, FLAGS, index  before: value, mask -
 *     string                    TEXT *, no count    before: null        -
 *     callback                  CALLBACK            before: null        -
 *     untyped memory            void *              before: null        -
 *     sizes, alignment          rules               before: rule_broken -
 *
 *     tracing function                      implementation
 *     zelTracer<Name>RegisterCallback       one row of a tracer: callbacks[id]; geo_layer_watch on
 *     zelTracerSetPrologues, SetEpilogues   the same for each given pointer: geo_ddi_callbacks
 *     zelTracerSetEnabled                   geo_layer_watch for the functions with a callback
 *     zelTracerDestroy                      waits until no call in progress uses the tracer
 *     a prologue                            before: callback(arguments, result, user, &instance)
 *     an epilogue                           after: the same with the result; the part's scratch
 *                                           leads to one instance pointer per tracer
 *     zeContextDestroy, teardown            leaks: remembered objects that were not forgotten
 *
 * Checks that the data cannot express are written by hand in a part of their own, by function id:
 * the order of commands in a list, deadlocks of events. */
#ifndef GEO_LAYERS_LAYER_H
#define GEO_LAYERS_LAYER_H

#include <stdatomic.h>

#include "ddi/geo_ddi.h"

enum { GEO_LAYER_PARTS = 16 }; /* maximum number of parts of a layer */

/* One call in progress. It lives on the stack of its thunk. */
struct geo_layer_call {
    enum geo_ddi_function_id id;
    void *const *arguments; /* the address of each argument, in order */
    void *result;           /* address of the function's return value */
    uint16_t parts;         /* bits of the parts whose `after` is called */
    bool refused;           /* a part refused the call: the next function was not called */
    /* For each such part: a pointer from its `before`, where it starts as NULL, to its `after`. */
    void *scratch[GEO_LAYER_PARTS];
};

struct geo_layer_part {
    const char *name;
    /* Returns whether the part needs a function. Called when the function's table is wrapped. NULL:
     * it needs every function. */
    bool (*wants)(const struct geo_ddi_function *function);
    /* Returns the layer's own implementation of a function, or NULL. It replaces the next function,
     * and parts do not see the calls. May be NULL. */
    void (*(*replaces)(enum geo_ddi_function_id id))(void);
    /* The part watches no function until geo_layer_watch is called. */
    bool dormant;
    /* Called before the next function. A result other than SUCCESS refuses the call and becomes its
     * result: neither the following parts nor the next function are called. May be NULL. */
    ze_result_t (*before)(struct geo_layer_call *call, void **scratch);
    /* Called after the next function, in reverse order of the parts. Also called when a following
     * part refused the call. May be NULL. */
    void (*after)(struct geo_layer_call *call, void **scratch);
};

/* Defined by each layer: its parts, terminated by NULL. */
extern const struct geo_layer_part *const geo_layer_parts[];

/* The next functions. Parts call these when they need the API. */
extern struct geo_ddi_table_set geo_layer_next;
/* The functions that the application calls: this layer's thunks, or the next functions where it has
 * none. */
extern struct geo_ddi_table_set geo_layer_given;

/* Replaces the entries of a table by those of the layer: the body of every z*Get*ProcAddrTable.
 * `table` has the length of `version`. Returns INVALID_NULL_POINTER, or UNSUPPORTED_VERSION for
 * another major version. Called while the loader initialises, before the table is used. */
ze_result_t geo_layer_wrap(enum geo_ddi_table_id id, ze_api_version_t version, void *table);

/* Switches a dormant part on or off for one function. `part` is its index in geo_layer_parts. May
 * be called from any thread. A call in progress is not affected. */
void geo_layer_watch(unsigned part, enum geo_ddi_function_id id, bool on);

/* Returns whether the next function was called and did not return an error. */
static inline bool geo_layer_succeeded(const struct geo_layer_call *call)
{
    return !call->refused && (geo_ddi_functions[call->id].returns != GEO_DDI_RESULT ||
                              *(const ze_result_t *)call->result == ZE_RESULT_SUCCESS);
}

/* --- for the thunks --- */

typedef void (*geo_layer_fn)(void);

extern const geo_layer_fn geo_layer_thunks[GEO_DDI_FUNCTION_COUNT];
/* Bits of the parts that watch the function. */
extern _Atomic uint16_t geo_layer_watched[GEO_DDI_FUNCTION_COUNT];

static inline bool geo_layer_is_watched(enum geo_ddi_function_id id)
{
    return atomic_load_explicit(&geo_layer_watched[id], memory_order_relaxed) != 0;
}

/* Initialises a call. Does not clear `scratch`: geo_layer_before clears the entry of each part that
 * it calls. */
static inline void geo_layer_begin(struct geo_layer_call *call, enum geo_ddi_function_id id,
                                   void *const *arguments, void *result)
{
    call->id = id;
    call->arguments = arguments;
    call->result = result;
    call->parts = 0;
    call->refused = false;
}

/* Runs the parts before a call. Returns false when a part refused the call and stored the
 * result. */
bool geo_layer_before(struct geo_layer_call *call);
void geo_layer_after(struct geo_layer_call *call);

#endif
