/* Every operation of every component of a machine, called once. */
#ifndef GEO_TESTS_SYSMAN_EVERYTHING_H
#define GEO_TESTS_SYSMAN_EVERYTHING_H

#include "machine_fixture.h"

struct everything {
    bool set;      /* what can be set is set, to what it was or to something near */
    bool diagnose; /* test suites are run */
    void (*tell)(const char *line); /* NULL: nobody is told the values */
    uint32_t calls, failures;       /* counted */
};

/* Fails the test when a result is none that these operations have, a failure has no reason, or a
 * success has one. */
void everything_call(struct machine *machine, struct everything *all);

#endif
