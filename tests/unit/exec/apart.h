/* What tests of faults share: cases in processes of their own, as the test framework has handlers,
 * too; and a kernel that faults in all ways. */
#ifndef GEO_TESTS_EXEC_APART_H
#define GEO_TESTS_EXEC_APART_H

#include "support.h"

#include <stdio.h>
#include <unistd.h>

/* Ends a case that has failed, from whatever thread. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Runs a case in a child that has no handlers for faults: first `prepare`, which brings ours about.
 * Its exit status, or minus the signal that ended it. */
int apart_run(void (*prepare)(void), int (*run)(void));

enum trouble {
    TROUBLE_NONE,
    TROUBLE_WRITE,
    TROUBLE_DIVIDE,
    TROUBLE_TRAP,
    TROUBLE_STACK,
};

struct trouble_arguments {
    enum trouble kind;
    uint32_t at; /* the group that faults */
    volatile int zero;
    _Atomic uint32_t *ran; /* counts groups */
};

void trouble_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                    uint64_t count);

#endif
