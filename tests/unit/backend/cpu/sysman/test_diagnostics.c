/* Diagnostics: that sound hardware passes, and that the tests see what is wrong. */
#include "machine_fixture.h"

#include "backend/cpu/sysman/diagnostics.h"

#include <fenv.h>
#include <sched.h>

#define WORDS 4096u

static const struct geo_sysman_diagnostics *suite_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_DIAGNOSTICS, index);
}

static zes_diag_result_t suite_run(struct machine *machine, uint32_t index, uint32_t first,
                                   uint32_t last)
{
    const struct geo_sysman_diagnostics *suite = suite_at(machine, index);
    zes_diag_result_t result = ZES_DIAG_RESULT_FORCE_UINT32;
    assert_works(machine, suite->ops->run(suite, first, last, &result, &machine->why));
    return result;
}

static void suites_name_their_tests(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, NULL, 1, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_DIAGNOSTICS), 2);
    const char *const names[] = {"memory", "compute"};
    const uint32_t counts[] = {GEO_DIAG_MEMORY_TESTS, GEO_DIAG_COMPUTE_TESTS};
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_sysman_diagnostics *suite = suite_at(&machine, i);
        assert_string_equal(suite->properties.name, names[i]);
        assert_true(suite->properties.haveTests);
        assert_int_equal(suite->test_count, counts[i]);
        for (uint32_t k = 0; k < counts[i]; k++) {
            assert_int_equal(suite->tests[k].index, k);
            assert_true(strlen(suite->tests[k].name) > 3);
        }
    }
    machine_close(&machine);
}

/* On the CPUs that this process may use. */
static void sound_hardware_passes(void **state)
{
    (void)state;
    struct machine machine;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    machine_open(&machine, NULL, 1, 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &before)) {
            machine.places[0][0] = cpu;
        }
    }
    machine_reopen(&machine);
    assert_int_equal(suite_run(&machine, 0, ZES_DIAG_FIRST_TEST_INDEX, ZES_DIAG_LAST_TEST_INDEX),
                     ZES_DIAG_RESULT_NO_ERRORS);
    assert_int_equal(suite_run(&machine, 1, ZES_DIAG_FIRST_TEST_INDEX, ZES_DIAG_LAST_TEST_INDEX),
                     ZES_DIAG_RESULT_NO_ERRORS);
    assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    machine_close(&machine);
}

/* There is no CPU of this number. */
static void a_cpu_that_may_not_be_used_ends_the_suite(void **state)
{
    (void)state;
    struct machine machine;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    machine_open(&machine, NULL, 1, 0);
    machine.places[0][0] = CPU_SETSIZE - 1;
    machine_reopen(&machine);
    assert_int_equal(suite_run(&machine, 1, 0, 0), ZES_DIAG_RESULT_ABORT);
    assert_int_equal(suite_run(&machine, 1, 7, 9), ZES_DIAG_RESULT_NO_ERRORS); /* no such tests */
    assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    machine_close(&machine);
}

static void memory_tests_see_every_bit(void **state)
{
    (void)state;
    static uint64_t words[WORDS];
    for (uint32_t test = 0; test < GEO_DIAG_MEMORY_TESTS; test++) {
        geo_diag_memory_fill(words, WORDS, test);
        assert_int_equal(geo_diag_memory_check(words, WORDS, test), 0);
        for (uint32_t bit = 0; bit < 64; bit++) {
            uint32_t index = (bit * 977) % WORDS;
            words[index] ^= UINT64_C(1) << bit;
            assert_int_equal(geo_diag_memory_check(words, WORDS, test), 1);
            words[index] ^= UINT64_C(1) << bit;
        }
    }
}

/* Each bit is alone in some word, and missing alone in another: what is stuck is seen. */
static void memory_tests_try_every_bit_both_ways(void **state)
{
    (void)state;
    static uint64_t words[WORDS];
    uint64_t ones = 0, zeros = 0;
    geo_diag_memory_fill(words, WORDS, 0);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(__builtin_popcountll(words[i]), 1);
        ones |= words[i];
    }
    geo_diag_memory_fill(words, WORDS, 1);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(__builtin_popcountll(words[i]), 63);
        zeros |= ~words[i];
    }
    assert_true(ones == UINT64_MAX && zeros == UINT64_MAX);
    geo_diag_memory_fill(words, WORDS, 2); /* two addresses that were one would be seen */
    for (uint32_t i = 1; i < WORDS; i++) {
        assert_true(words[i] != words[i - 1]);
    }
}

/* However the calling thread rounds. */
static void arithmetic_is_right_for_every_caller(void **state)
{
    (void)state;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        for (uint32_t test = 0; test < GEO_DIAG_COMPUTE_TESTS; test++) {
            assert_int_equal(fesetround(modes[i]), 0);
            bool right = geo_diag_compute_right(test);
            int after = fegetround();
            fesetround(FE_TONEAREST);
            assert_true(right);
            assert_int_equal(after, modes[i]);
        }
    }
    assert_true(geo_diag_compute(0) != geo_diag_compute(1));
    assert_true(geo_diag_compute(1) != geo_diag_compute(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suites_name_their_tests),
        cmocka_unit_test(sound_hardware_passes),
        cmocka_unit_test(a_cpu_that_may_not_be_used_ends_the_suite),
        cmocka_unit_test(memory_tests_see_every_bit),
        cmocka_unit_test(memory_tests_try_every_bit_both_ways),
        cmocka_unit_test(arithmetic_is_right_for_every_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
