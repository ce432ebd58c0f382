/* Unit test of the CPUs that a process may run on, on systems of any size. */
#include "backend/cpu/allowed.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static size_t system_bytes; /* of the system's own sets */
static size_t last_cpu;
static int calls;

/* As the system does it: CPUs 3 and last_cpu. */
static int affinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    calls++;
    assert_int_equal(pid, 0);
    if (bytes < system_bytes) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(bytes, set);
    CPU_SET_S(3, bytes, set);
    CPU_SET_S(last_cpu, bytes, set);
    return 0;
}

static int affinity_refused(pid_t pid, size_t bytes, cpu_set_t *set)
{
    (void)pid, (void)bytes, (void)set;
    calls++;
    errno = EPERM;
    return -1;
}

static void systems_of_any_size_are_asked(void **state)
{
    (void)state;
    const size_t sizes[] = {8, 128, 136, 1024, 65536};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        cpu_set_t allowed;
        system_bytes = sizes[i];
        last_cpu = system_bytes * 8 - 1;
        assert_true(geo_cpus_allowed(affinity, &allowed));
        assert_true(CPU_ISSET(3, &allowed));
        assert_int_equal(CPU_COUNT(&allowed), last_cpu < CPU_SETSIZE ? 2 : 1);
    }
}

static void a_system_that_does_not_say_is_asked_once(void **state)
{
    (void)state;
    cpu_set_t allowed;
    calls = 0;
    assert_false(geo_cpus_allowed(affinity_refused, &allowed));
    assert_int_equal(calls, 1);
    system_bytes = SIZE_MAX; /* of no size */
    assert_false(geo_cpus_allowed(affinity, &allowed));
}

static void here_it_is_what_the_system_says(void **state)
{
    (void)state;
    cpu_set_t allowed;
    assert_true(geo_cpus_allowed(sched_getaffinity, &allowed));
    assert_true(CPU_ISSET((size_t)sched_getcpu(), &allowed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_of_any_size_are_asked),
        cmocka_unit_test(a_system_that_does_not_say_is_asked_once),
        cmocka_unit_test(here_it_is_what_the_system_says),
    };
    return cmocka_run_group_tests_name("cpu_allowed", tests, NULL, NULL);
}
