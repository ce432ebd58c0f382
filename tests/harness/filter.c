/* CMOCKA_TEST_FILTER=PATTERN: only the cases of a cmocka program whose names match run ("*" and "?"
 * as in a shell). Part of every program that geoid_add_test makes. */
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
