/* Initialises a library that may never return. With GEOID_DRIVER_INIT_TIMEOUT set, the
 * initialisation runs in a thread of its own, on a copy of the record. When the time is over, that
 * thread and the library are abandoned, and the other libraries remain usable.
 *
 * Without the variable the initialisation runs in the caller's thread. Drivers may set per-thread
 * state (signal masks, thread-local objects), which should belong to the program's thread. Opening
 * a library cannot be abandoned, because the thread holds the dynamic linker's lock. */
#ifndef GEO_LOADER_GUARD_H
#define GEO_LOADER_GUARD_H

#include "loader/library/library.h"

/* The steps to run: geo_library_init_core, _init_sysman and _list_sysman. */
struct geo_guard_work {
    bool core, sysman, list;
    zes_init_flags_t flags;
    uint64_t timeout_ms; /* 0: no limit, run in the caller's thread */
};

/* Returns the current value of GEOID_DRIVER_INIT_TIMEOUT, in milliseconds. */
uint64_t geo_guard_timeout_ms(void);

/* Runs the steps for a library, and sets `abandoned` if they do not end in time. Call it between
 * geo_loader_visit_begin and geo_loader_visit_end. */
void geo_guard_init(struct geo_library *library, const struct geo_guard_work *work);

#endif
