/* Fork handlers of a library's rooms, which make the child process usable. This is the only place
 * that calls pthread_atfork. Each library that links geoid_base has a handler list of its own.
 *
 * A room that has locks or threads registers one handler. Its place in the list is its place in the
 * lock order, outermost lock first:
 *
 *     prepare   from the first to the last: takes the room's locks
 *     parent    from the last to the first: releases them
 *     child     from the last to the first: releases or reinitialises them, drops state of the
 *               parent's threads; handlers further down the list have already run
 *
 * Any thread may fork at any time. A handler must not allocate memory and must not wait for
 * anything except its locks. */
#ifndef GEO_BASE_FORK_H
#define GEO_BASE_FORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Number of forks between the process that loaded this library and the current one. */
extern _Atomic uint32_t geo_fork_count;

/* Returns the fork generation of this process, which is never 0. */
static inline uint32_t geo_fork_generation(void)
{
    return atomic_load_explicit(&geo_fork_count, memory_order_relaxed) + 1;
}

/* The lock order of everything that survives a fork. The numbers leave gaps for new rooms. A room
 * with several locks takes all of them in one handler, in its own order. */
enum geo_fork_order {
    /* loader */
    GEO_FORK_LOADER = 10,   /* loader.c: initialisation lock */
    GEO_FORK_TEARDOWN = 20, /* teardown.c: callback list */
    GEO_FORK_HANDLES = 30,  /* handle/handle.c: pools and shards of translated handles */
    /* layers */
    GEO_FORK_TRACERS = 50, /* tracing/active.c: lists of enabled tracers */
    /* driver */
    GEO_FORK_LINKING = 110,   /* program/link_lock.c */
    GEO_FORK_AHEAD = 115,     /* program/module_ahead.c: modules whose kernels are built ahead */
    GEO_FORK_CONTEXTS = 120,  /* core/context.c: creation of default contexts */
    GEO_FORK_INVENTORY = 130, /* core/inventory.c: lists of streams per device */
    GEO_FORK_SYSMAN = 135,    /* sysman/fork.c: components, thresholds, event listeners */
    GEO_FORK_COMPILER = 140,  /* compile/compiler_library.c */
    GEO_FORK_COUNTERS = 150,  /* event/counter.c: free counters */
    GEO_FORK_STAMPS = 155,    /* event/stamp.c: free stamps */
    GEO_FORK_MEMORY = 160,    /* mem/memory.c */
    GEO_FORK_RELEASE = 170,   /* mem/release.c: allocations whose release is deferred */
    /* host runtime */
    GEO_FORK_EXEC = 210,   /* exec/stream/fork.c: the list of streams, then worker slots */
    GEO_FORK_SLABS = 230,  /* host/slab.c */
    GEO_FORK_CENSUS = 240, /* host/census.c */
    /* CPU backend */
    GEO_FORK_METRIC = 300,       /* cpu/metric/metric.c: active groups, then collections */
    GEO_FORK_DEBUG = 305,        /* cpu/debug/state.c: sessions, modules, threads */
    GEO_FORK_DEBUG_CLIENT = 307, /* cpu/debug/client.c: the list of sessions */
    GEO_FORK_CODE = 310,         /* cpu/elf_register.c: code that is registered with debuggers */
    /* NVIDIA backend */
    GEO_FORK_NVML_COUNTS = 320, /* cuda/sysman/engine.c: utilisation counted from samples */
    GEO_FORK_NVML = 330,        /* cuda/nvml/library.c: calls into NVML */
    /* simulated backend */
    GEO_FORK_SIMULATED = 340, /* simulated/clock.c: all simulated state */
    /* compiler */
    GEO_FORK_BUILDS = 410, /* facade/child.c: the list of child processes */
    /* OpenCL driver */
    GEO_FORK_OPENCL = 450, /* opencl/event.c: callbacks that are due */
    /* validation layer */
    GEO_FORK_VALIDATION = 510,        /* layers/validation/model/model.c */
    GEO_FORK_VALIDATION_RANGES = 520, /* layers/validation/address/ranges.c */
    GEO_FORK_VALIDATION_STACKS = 530, /* layers/validation/report/stack.c */
};

struct geo_fork_handler {
    int order;             /* enum geo_fork_order */
    void (*prepare)(void); /* each function may be NULL */
    void (*parent)(void);
    void (*child)(void);
    /* Owned by the list. */
    _Atomic(struct geo_fork_handler *) next;
    _Atomic bool registered;
    bool prepared;
};

/* Adds a handler, which stays registered for ever. A second registration has no effect. Among
 * handlers of equal order the later one is further down. Takes no lock. */
void geo_fork_register(struct geo_fork_handler *handler);

/* Registers a handler when the library is loaded. For locks that can be taken before any
 * initialisation. */
#define GEO_FORK_AT_LOAD(handler)                                                                  \
    __attribute__((constructor)) static void handler##_register(void)                              \
    {                                                                                              \
        geo_fork_register(&(handler));                                                             \
    }

#endif
