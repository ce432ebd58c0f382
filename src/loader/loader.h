/* The loader's state in one place: which libraries were tried, which drivers they gave, and what
 * the exported functions lead to.
 *
 *     zeKernelCreate --> geo_loader ---------> uninitialized   before the first driver
 *                        (one atomic pointer)  the library's   one library: nothing in between
 *                                              dispatch        several: through the handle, which
 *                                                              may be the loader's (handle.h)
 *                                              torn down       after the end
 *
 * Initialisation runs under one lock. Everything that a program calls often reads one atomic
 * pointer: the table set, or an immutable list of drivers. */
#ifndef GEO_LOADER_LOADER_H
#define GEO_LOADER_LOADER_H

#include "loader/library.h"

#include <stdatomic.h>

/* The drivers as programs see them. A published list never changes and is never freed while the
 * loader lives; a newer one points to its predecessor. */
struct geo_driver_entry {
    void *handle;
    uint32_t types;
    const struct geo_library *library;
};

struct geo_driver_list {
    const struct geo_driver_list *previous;
    uint32_t count;
    struct geo_driver_entry entries[];
};

struct geo_loader_state {
    struct {
        struct geo_library **items;
        size_t count, capacity;
    } libraries; /* under the lock; records in the order in which they were first tried */
    const struct geo_library *alone; /* under the lock; in use without dispatch tables and without
                                      * translation: it stays, and nothing joins it */
    _Atomic(const struct geo_driver_list *) core_list, sysman_list; /* NULL: nothing yet */
    atomic_uint core_requested;   /* driver types asked for by successful calls; 0: no such call */
    atomic_uint core_ready;       /* the same, in this process: fork empties it */
    atomic_bool sysman_requested; /* zesInit succeeded */
    atomic_bool sysman_ready;     /* the same, in this process */
    atomic_bool sysman_listed;    /* sysman_list has the drivers of all that it initialised */
    atomic_bool sysman_by_core;   /* ZES_ENABLE_SYSMAN was set when the core was initialised */
    atomic_bool attempted;        /* some initialisation was tried */
    atomic_bool torn_down;
    bool cannot_open; /* under the lock; in this child of a fork the dynamic linker does not work */
};

extern struct geo_loader_state geo_loader_state;

/* The lock around initialisation. False, with the lock not taken, when this thread holds it
 * already: a driver called back into the loader while it was being initialised. */
bool geo_loader_lock(void);
void geo_loader_unlock(void);

/* Under the lock: around what may run code of a library, which may not come back. A fork waits a
 * while for it, then goes on, and the child does without the library. In between only this record
 * is written to. opens: the dynamic linker is called. */
void geo_loader_visit_begin(struct geo_library *library, bool opens);
void geo_loader_visit_end(void);

/* The calling thread does the work of the one that has the lock and waits for it: like that one it
 * may neither call back into the loader nor wait for the lock in a fork. Ended by either. */
void geo_loader_guest_begin(void);
void geo_loader_guest_end(void);

/* Under the lock: lists candidates for the environment as it is now, opens what is new, and retries
 * what failed before. False when memory ran out on the way. */
bool geo_loader_discover(void);

/* Under the lock: decides which libraries are used together, and publishes tables and driver lists.
 * complete: no library is missing for lack of memory, which may be there next time. False when
 * memory ran out; what was published before stays. */
bool geo_loader_publish(bool complete);

/* Ends the loader for good: registered callbacks are called once, every later call of the API
 * answers UNINITIALIZED. Callable at any time, from any thread. */
void geo_loader_tear_down(void);

/* Under the lock: arranges for the teardown to come before drivers that do not survive exit. */
void geo_loader_watch_exit(void);

/* Keeps the text for zerGetLastErrorDescription in this thread, as long as no driver is in use. */
void geo_runtime_note(const char *text);

#endif
