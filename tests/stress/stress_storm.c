/* Threads that call, in random order, everything that may be called at once, on the same objects
 * (storm.h): which functions these are says the registry. While they do, each also appends to a
 * list of its own, makes and gives back objects, and one thread keeps signalling events, so that no
 * wait is without end. The thread sanitizer sees how they meet.
 *
 *     stress_storm [CALLS]                       of each thread
 *     stress_storm --seconds T [SEED]            calls for so long, in an order of its own */
#include "storm.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLS_USUAL 2000u

static uint64_t calls_wanted = CALLS_USUAL, calls_made;
static unsigned seconds_wanted; /* 0: the calls end it */

/* Its length; errors end it at once. */
static void time_pass(struct storm_shared *shared)
{
    for (unsigned i = 0; i < seconds_wanted && !atomic_load(&shared->wrong); i++) {
        sleep(1);
    }
    atomic_store(&shared->ends, seconds_wanted != 0);
}

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
    time_pass(&shared);
    storm_join(storms, keeper);
    assert_int_equal(shared.wrong, 0);
    storm_settle(&shared);
    assert_int_equal(shared.ran, shared.submitted);
    for (uint32_t i = 0; i < STORM_THREADS; i++) {
        calls_made += storms[i].made;
        storm_leave(&storms[i]);
    }
    storm_unshare(&shared);
}

static const struct api_case cases[] = {
    API_CASE(what_may_be_called_at_once_is),
};

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--seconds") == 0) {
        seconds_wanted = (unsigned)strtoul(argv[2], NULL, 10);
        storm_seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
        calls_wanted = UINT64_MAX;
    } else if (argc > 1) {
        calls_wanted = strtoull(argv[1], NULL, 10);
    }
    int failed = api_main("storm", cases, sizeof(cases) / sizeof(cases[0]));
    printf("storm: %llu calls, %d failed\n", (unsigned long long)calls_made, failed);
    return failed;
}
