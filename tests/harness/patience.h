/* How long tests wait for something that happens at once unless the code is broken. The default is
 * so long that no other work on the machine makes a test fail. scripts/mutants, where many tests
 * are meant to fail, sets GEOID_TEST_PATIENCE to fewer seconds. */
#ifndef GEOID_TESTS_HARNESS_PATIENCE_H
#define GEOID_TESTS_HARNESS_PATIENCE_H

#include <stdint.h>
#include <stdlib.h>

enum { PATIENCE_DEFAULT_S = 120 };

/* Returns the seconds that a wait of a test may last. */
static inline unsigned patience_s(void)
{
    const char *text = getenv("GEOID_TEST_PATIENCE");
    unsigned long seconds = text ? strtoul(text, NULL, 10) : 0;
    return seconds ? (unsigned)seconds : (unsigned)PATIENCE_DEFAULT_S;
}

#define PATIENCE_NS (patience_s() * UINT64_C(1000000000))

#endif
