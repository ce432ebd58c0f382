/* Fork: what a library's rooms do around it, so that the child is usable. The one place where
 * pthread_atfork is called; each library that links geoid_base has a list of its own.
 *
 * A room that has locks or threads registers one handler. Its place in the list is its place in the
 * lock order, which is therefore written here, the outermost lock first:
 *
 *     prepare   from the first to the last: takes the room's locks
 *     parent    from the last to the first: releases them
 *     child     from the last to the first: releases or remakes them and forgets what only threads
 *               of the parent knew; rooms further down are usable already
 *
 * Who forks may be anybody, at any time, from any thread. A handler allocates nothing and never
 * waits for anything but its locks. */
#ifndef GEO_BASE_FORK_H
#define GEO_BASE_FORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How many forks lie between the first process that this library was loaded in and this one. */
extern _Atomic uint32_t geo_fork_count;

/* Of this process; never 0. */
static inline uint32_t geo_fork_generation(void)
{
    return atomic_load_explicit(&geo_fork_count, memory_order_relaxed) + 1;
}

/* The lock order of everything that survives a fork. Numbers leave room; a room with several locks
 * takes all of them in one handler, in its own order. */
enum geo_fork_order {
    /* loader */
    GEO_FORK_LOADER = 10,   /* loader.c: the lock of initialisation */
    GEO_FORK_TEARDOWN = 20, /* teardown.c: the list of callbacks */
    GEO_FORK_HANDLES = 30,  /* handle.c: pools and shards of translated handles */
    /* layers */
    GEO_FORK_TRACERS = 50, /* tracing/active.c: lists of enabled tracers */
    /* driver */
    GEO_FORK_LINKING = 110,   /* program/module_link.c */
    GEO_FORK_CONTEXTS = 120,  /* core/context.c: making of default contexts */
    GEO_FORK_INVENTORY = 130, /* core/inventory.c: lists of streams per device */
    GEO_FORK_SYSMAN = 135,    /* sysman/fork.c: components, thresholds, who listens */
    GEO_FORK_COMPILER = 140,  /* compile/compiler_library.c */
    GEO_FORK_COUNTERS = 150,  /* cmd/counter.c: free counters */
    GEO_FORK_STAMPS = 155,    /* cmd/stamp.c: free stamps */
    GEO_FORK_MEMORY = 160,    /* mem/memory.c */
    GEO_FORK_RELEASE = 170,   /* mem/release.c: allocations to be freed later */
    /* host runtime */
    GEO_FORK_EXEC = 210,   /* exec/fork.c: the list of streams, then seats */
    GEO_FORK_SLABS = 230,  /* host/slab.c */
    GEO_FORK_CENSUS = 240, /* host/census.c */
    /* CPU backend */
    GEO_FORK_CODE = 310, /* cpu/elf_register.c: what debuggers know */
    /* NVIDIA backend */
    GEO_FORK_NVML_COUNTS = 320, /* cuda/sysman/engine.c: what was counted of samples */
    GEO_FORK_NVML = 330,        /* cuda/library.c: calls of NVML */
    /* compiler */
    GEO_FORK_BUILDS = 410, /* facade/child.c: the list of children */
    /* validation layer */
    GEO_FORK_VALIDATION = 510,        /* layers/validation/model.c */
    GEO_FORK_VALIDATION_RANGES = 520, /* layers/validation/ranges.c */
    GEO_FORK_VALIDATION_STACKS = 530, /* layers/validation/stack.c */
};

struct geo_fork_handler {
    int order;             /* enum geo_fork_order */
    void (*prepare)(void); /* each may be NULL */
    void (*parent)(void);
    void (*child)(void);
    /* The list's. */
    _Atomic(struct geo_fork_handler *) next;
    _Atomic bool registered;
    bool prepared;
};

/* Adds a handler, which stays for ever; one that is there already is left as it is. Among equal
 * orders the later one is further down. Takes no lock. */
void geo_fork_register(struct geo_fork_handler *handler);

/* For locks that exist without being opened: registers when the library is loaded. */
#define GEO_FORK_AT_LOAD(handler)                                                                  \
    __attribute__((constructor)) static void handler##_register(void)                              \
    {                                                                                              \
        geo_fork_register(&(handler));                                                             \
    }

#endif
