/* The state that the loader's files share, and the lock that protects it.
 *
 * Initialisation runs under the lock. Frequent calls take no lock: they read one atomic pointer to
 * the table set, or to a list of drivers that never changes. */
#ifndef GEO_LOADER_STATE_H
#define GEO_LOADER_STATE_H

#include "loader/library/library.h"

#include <stdatomic.h>

/* A list of drivers as programs see them. A published list never changes and is never freed,
 * because readers take no lock. A newer list points to its predecessor. */
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
    } libraries; /* protected by the lock; in the order in which they were first tried */
    /* Protected by the lock; used without dispatch tables and translation, so other libraries are
     * refused. */
    const struct geo_library *alone;
    _Atomic(const struct geo_driver_list *) core_list, sysman_list; /* NULL: not published yet */
    /* Driver types that successful calls requested; 0: no such call. */
    atomic_uint core_requested;
    atomic_uint core_ready;       /* driver types initialised in this process; fork resets it */
    atomic_bool sysman_requested; /* zesInit succeeded */
    atomic_bool sysman_ready;     /* sysman is initialised in this process; fork resets it */
    atomic_bool sysman_listed;    /* sysman_list has all drivers of the initialised libraries */
    atomic_bool sysman_by_core;   /* ZES_ENABLE_SYSMAN was set when the core was initialised */
    atomic_bool attempted;        /* an initialisation was attempted */
    atomic_bool torn_down;
    /* Protected by the lock; a fork left the dynamic linker unusable in this child. */
    bool cannot_open;
};

extern struct geo_loader_state geo_loader_state;

/* Takes the initialisation lock. Returns false, without the lock, when this thread already holds it
 * because a driver called back into the loader during its initialisation. */
bool geo_loader_lock(void);
void geo_loader_unlock(void);

/* Returns whether the calling thread holds the lock, or works for the thread that holds it. */
bool geo_loader_lock_held(void);

/* Mark code that runs inside a library and may never return. The loader's lock is held. A fork
 * waits for it for a limited time, then goes on, and the child abandons the library. Between the
 * calls, only the record of this library may be changed. `opens`: the dynamic linker is called. */
void geo_loader_visit_begin(struct geo_library *library, bool opens);
void geo_loader_visit_end(void);

/* Mark the calling thread as working for the thread that holds the lock and waits for it. Like the
 * holder, it must neither call back into the loader nor wait for the lock in a fork. */
void geo_loader_guest_begin(void);
void geo_loader_guest_end(void);

#endif
