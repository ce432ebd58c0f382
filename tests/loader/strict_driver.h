/* What a strict driver tells and is told: dlopen its file with RTLD_NOLOAD and look up
 * "strict_state". */
#ifndef TESTS_LOADER_STRICT_DRIVER_H
#define TESTS_LOADER_STRICT_DRIVER_H

#include <level_zero/ze_api.h>

#include <stdatomic.h>

enum { STRICT_LOOKED_UP = 2 }; /* objects in each list that it gives */

struct strict_state {
    atomic_int calls;   /* of all functions with a handle */
    atomic_int last;    /* the function of the last one: enum geo_ddi_function_id */
    atomic_int handles; /* of its own that the last call brought, all checked */
    atomic_int alive;   /* objects made and not destroyed */
    atomic_int most;    /* alive at a time */
    _Atomic int result; /* of calls with a handle; what fails makes and destroys nothing */
    atomic_int writes;  /* a call that fails writes null where it would look up a handle */
    atomic_int crowd;   /* objects that lists have instead of STRICT_LOOKED_UP; 0: as usual */
    /* Called by every destruction after the object's memory is free for others, before it
     * returns. */
    void (*_Atomic gate)(void);
    /* Destroys an object without the loader's knowledge. Set by the driver. */
    void (*forget)(void *own);
};

#endif
