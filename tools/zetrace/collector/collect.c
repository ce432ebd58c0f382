/* The collector: a library that zetrace preloads into a program. It has a tracer of all functions,
 * writes a record of each call, and lets handlers do what a call needs beside (collect.h). */
#include "collect.h"

#include "measure.h"
#include "spool.h"
#include "tracker.h"
#include "watch.h"

#include <geoid/tracing.h>
#include <level_zero/loader/ze_loader.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 2048 }; /* more than there are */

_Static_assert(sizeof(void *) >= sizeof(uint64_t), "a time fits into a call's place");

static const struct handler nothing = {"", NULL, NULL};
static const struct handler init_handlers[4];
static _Atomic(const struct handler *) handlers[FUNCTIONS]; /* NULL: not looked for yet */

static const struct handler *handler_among(const struct handler *table, const char *function)
{
    while (table->function && strcmp(table->function, function) != 0) {
        table++;
    }
    return table->function ? table : NULL;
}

/* The first call of a function names it in the trace. */
static const struct handler *handler_of(const geoid_traced_call_t *call)
{
    if (call->index >= FUNCTIONS) {
        return &nothing;
    }
    const struct handler *handler = atomic_load(&handlers[call->index]);
    if (!handler) {
        handler = handler_among(tracker_handlers, call->function);
        handler = handler ? handler : handler_among(flags_handlers, call->function);
        handler = handler ? handler : handler_among(append_handlers, call->function);
        handler = handler ? handler : handler_among(init_handlers, call->function);
        handler = handler ? handler : &nothing;
        spool_name(ZETRACE_FUNCTION, call->index, call->function);
        atomic_store(&handlers[call->index], handler);
    }
    return handler;
}

static void ZE_APICALL call_begins(const geoid_traced_call_t *traced, void *user, void **instance)
{
    (void)user;
    *instance = NULL;
    if (tracker_locked_here()) {
        return;
    }
    const struct handler *handler = handler_of(traced);
    if (handler->before) {
        handler->before(&(struct call){
            .function = traced->function, .index = traced->index, .params = traced->params});
    }
    *instance = (void *)(uintptr_t)spool_now();
}

static void ZE_APICALL call_ends(const geoid_traced_call_t *traced, void *user, void **instance)
{
    struct zetrace_call record = {.begin = (uintptr_t)*instance, .end = spool_now()};
    (void)user;
    if (tracker_locked_here()) {
        return;
    }
    const struct handler *handler = handler_of(traced);
    memcpy(&record.result, traced->result, sizeof(record.result));
    spool_write(ZETRACE_CALL, traced->index, &record, sizeof(record));
    if (handler->after) {
        handler->after(&(struct call){.function = traced->function,
                                      .index = traced->index,
                                      .params = traced->params,
                                      .begin = record.begin,
                                      .result = (ze_result_t)record.result});
    }
}

/* --- the process --- */

/* Calls of ours go to drivers under the tracker's lock, so a fork takes it before what the drivers
 * take. Handlers that are registered last begin: they are registered anew when libraries have been
 * loaded, and the first of a fork does the work. */
static _Thread_local unsigned fork_depth;

static void fork_prepare(void)
{
    if (fork_depth++ == 0) {
        tracker_lock();
    }
}

static void fork_parent(void)
{
    if (--fork_depth == 0) {
        tracker_unlock();
    }
}

static void fork_child(void)
{
    if (--fork_depth > 0) {
        return;
    }
    spool_forked();
    tracker_forked();
    flags_forked();
    for (size_t i = 0; i < FUNCTIONS; i++) {
        atomic_store(&handlers[i], NULL); /* this process's file has no names yet */
    }
}

static int loads_read(struct dl_phdr_info *info, size_t size, void *loads)
{
    *(uint64_t *)loads = size >= offsetof(struct dl_phdr_info, dlpi_subs) ? info->dlpi_adds : 0;
    return 1;
}

/* Drivers may have come, with handlers of their own. */
static void fork_watch(const struct call *call)
{
    static _Atomic uint64_t seen;
    uint64_t loads = 0, before = atomic_load(&seen);
    (void)call;
    dl_iterate_phdr(loads_read, &loads);
    if (loads != before && atomic_compare_exchange_strong(&seen, &before, loads)) {
        pthread_atfork(fork_prepare, fork_parent, fork_child);
    }
}

static const struct handler init_handlers[4] = {
    {"zeInit", NULL, fork_watch},
    {"zeInitDrivers", NULL, fork_watch},
    {"zesInit", NULL, fork_watch},
    {NULL, NULL, NULL},
};

/* Reads the times of commands that are done, before the drivers go. It runs outside of callbacks:
 * its calls reach the tracer, which ignores them. */
static void teardown(void)
{
    tracker_lock();
    watch_end();
    measure_end();
    tracker_unlock();
}

__attribute__((constructor)) static void collector_begin(void)
{
    static zel_tracer_handle_t tracer;
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    zel_application_teardown_callback_t unused;
    uint32_t index = 0;
    geoid_pfnTracerRegisterCallback_t set = NULL;
    *(void **)&set = dlsym(RTLD_DEFAULT, "geoidTracerRegisterCallback");
    if (!secure_getenv(ZETRACE_SPOOL)) {
        return;
    }
    if (!set || zelTracerCreate(&desc, &tracer) != ZE_RESULT_SUCCESS ||
        set(tracer, NULL, ZEL_REGISTER_PROLOGUE, call_begins) != ZE_RESULT_SUCCESS ||
        set(tracer, NULL, ZEL_REGISTER_EPILOGUE, call_ends) != ZE_RESULT_SUCCESS ||
        zelTracerSetEnabled(tracer, 1) != ZE_RESULT_SUCCESS) {
        spool_tell(
            "nothing is recorded: the program uses a libze_loader.so.1 without Geoid's tracing "
            "layer; start it with geoid-run");
        return;
    }
    fork_watch(NULL);
    zelRegisterTeardownCallback(teardown, &unused, &index);
}
