/* Reads the environment variable CMOCKA_TEST_FILTER, a pattern with "*" and "?" as in a shell. The
 * program runs only the cases whose names match. Part of every program of geoid_add_test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void filter_set(void)
{
    const char *pattern = getenv("CMOCKA_TEST_FILTER");
    if (pattern) {
        cmocka_set_test_filter(pattern);
    }
}
