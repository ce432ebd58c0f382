/* What a fake driver counts, readable by tests: dlopen its file with RTLD_NOLOAD and look up
 * "fake_driver_state". */
#ifndef TESTS_LOADER_FAKE_DRIVER_H
#define TESTS_LOADER_FAKE_DRIVER_H

#include <stdatomic.h>

/* What zerTranslateDeviceHandleToIdentifier says of no device. */
enum { FAKE_NO_DEVICE = 0x7e11 };

struct fake_driver_state {
    const char *name;
    atomic_int init_calls;   /* zeInit and zeInitDrivers */
    atomic_int started;      /* times that it really started up */
    atomic_int concurrent;   /* init calls running now */
    atomic_int worst;        /* most that ran at once */
    atomic_int sysman_calls; /* zesInit */
    atomic_int sysman_lists; /* zesDriverGet */
    atomic_int contexts;     /* alive */
    atomic_int calls;        /* zeContextGetStatus */
    atomic_int gone;         /* its destructor ran */
};

#endif
