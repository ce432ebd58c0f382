/* Threads that call, in random order, everything that may be called at once, on the same objects
 * (storm.h): which functions these are says the registry. While they do, each also appends to a
 * list of its own, makes and gives back objects, and one thread keeps signalling events, so that no
 * wait is without end. The thread sanitizer sees how they meet.
 *
 *     stress_storm [CALLS]       of each thread */
#include "storm.h"

#include <stdlib.h>

#define CALLS_USUAL 2000u

static uint64_t calls_wanted = CALLS_USUAL;

/* GEN-16, GEN-17, CTX-2, CMQ-7, IPC-4, RES-5 */
static void what_may_be_called_at_once_is(void **state)
{
    static struct storm_shared shared;
    struct storm storms[STORM_THREADS];
    pthread_t keeper;
    assert_int_equal(storm_table_make(), 0);
    storm_share(&shared, *state);
    for (uint32_t i = 0; i < STORM_THREADS; i++) {
        storm_prepare(&storms[i], &shared, i, calls_wanted);
    }
    storm_start(&shared, storms, &keeper);
    storm_join(storms, keeper);
    assert_int_equal(shared.wrong, 0);
    storm_settle(&shared);
    assert_int_equal(shared.ran, shared.submitted);
    for (uint32_t i = 0; i < STORM_THREADS; i++) {
        storm_leave(&storms[i]);
    }
    storm_unshare(&shared);
}

static const struct api_case cases[] = {
    API_CASE(what_may_be_called_at_once_is),
};

int main(int argc, char **argv)
{
    if (argc > 1) {
        calls_wanted = strtoull(argv[1], NULL, 10);
    }
    return api_main("storm", cases, sizeof(cases) / sizeof(cases[0]));
}
