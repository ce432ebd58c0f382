/* Initialising a library that may never come back from it. With GEOID_DRIVER_INIT_TIMEOUT set, the
 * initialisation runs in a thread of its own, on a record of its own; when the time is over that
 * thread is left where it is, the library is abandoned, and the other ones are usable.
 *
 * Without the variable it runs in the caller's thread: drivers may have state of threads, and what
 * they make in the first one (signal masks, thread-local objects) should be the program's. Opening
 * a library cannot be left: who is inside the dynamic linker holds its lock. */
#ifndef GEO_LOADER_GUARD_H
#define GEO_LOADER_GUARD_H

#include "loader/library.h"

/* What is done with a library: geo_library_init_core and the like. */
struct geo_guard_work {
    bool core, sysman, list;
    zes_init_flags_t flags;
    uint64_t timeout_ms; /* 0: none, and no thread */
};

/* GEOID_DRIVER_INIT_TIMEOUT as it is now. */
uint64_t geo_guard_timeout_ms(void);

/* Between geo_loader_visit_begin and _end. Does the work; `abandoned` is set when it did not end in
 * time. */
void geo_guard_init(struct geo_library *library, const struct geo_guard_work *work);

#endif
