/* Sysman of recorded machines on a thread with the smallest stack that there is. */
#include "everything.h"

#include <limits.h>
#include <pthread.h>

static struct machine machine;

/* Asserts leave the thread by a jump to another stack: what is checked is counted here. */
static void *everything_main(void *data)
{
    struct everything *all = data;
    everything_call(&machine, all);
    return NULL;
}

static void everything_works_on_a_stack_of_16_kib(void **state)
{
    (void)state;
    static const char *const names[] = {"laptop", "server2s", "amd", "arm64", "vm"};
#ifdef GEOID_SANITIZED
    skip(); /* frames are larger */
#endif
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct everything all = {.set = true};
        pthread_attr_t attributes;
        pthread_t thread;
        machine_open_whole(&machine, names[i]);
        assert_int_equal(pthread_attr_init(&attributes), 0);
        assert_int_equal(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
        assert_int_equal(pthread_create(&thread, &attributes, everything_main, &all), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&attributes);
        assert_true(all.calls > 0);
        machine_close(&machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_works_on_a_stack_of_16_kib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
