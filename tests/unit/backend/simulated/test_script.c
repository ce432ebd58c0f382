/* Values over time: every kind of script, and that its integral is one. */
#include "backend/simulated/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static const struct sim_point points[] = {{1, 10}, {3, -5}, {4, 20}};
static const struct sim_script constant = {.kind = SIM_CONSTANT, .from = 7};
static const struct sim_script ramp = {
    .kind = SIM_RAMP, .from = 2, .to = 12, .start_s = 1, .end_s = 6};
static const struct sim_script steps = {.kind = SIM_STEPS, .points = points, .count = 3};
static const struct sim_script sine = {
    .kind = SIM_SINE, .mean = 3, .amplitude = 2, .period_s = 4, .phase_s = 1};
static const struct sim_script noise = {
    .kind = SIM_NOISE, .mean = 5, .amplitude = 4, .period_s = 0.5, .seed = 99};
static const struct sim_script *const all[] = {&constant, &ramp, &steps, &sine, &noise};
static const struct sim_script sum = {.kind = SIM_SUM, .terms = all, .count = 5};

static void values_are_as_written(void **unused)
{
    (void)unused;
    assert_true(sim_script_value(&constant, 1e9) == 7);
    assert_true(sim_script_value(&ramp, 0) == 2 && sim_script_value(&ramp, 3.5) == 7);
    assert_true(sim_script_value(&ramp, 100) == 12);
    assert_true(sim_script_value(&steps, 0) == 10 && sim_script_value(&steps, 2.9) == 10);
    assert_true(sim_script_value(&steps, 3) == -5 && sim_script_value(&steps, 4) == 20);
    assert_true(fabs(sim_script_value(&sine, 1) - 3) < 1e-12);
    assert_true(fabs(sim_script_value(&sine, 2) - 5) < 1e-12);
    assert_true(fabs(sim_script_value(&sum, 2) - (7 + 4 + 10 + 5 + sim_script_value(&noise, 2))) <
                1e-12);
}

static void noise_stays_in_its_bounds_and_has_its_mean(void **unused)
{
    double least = 1e9, most = -1e9;
    (void)unused;
    for (int i = 0; i < 10000; i++) {
        const double value = sim_script_value(&noise, i * 0.5);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    assert_true(least >= 1 && least < 2 && most <= 9 && most > 8);
    assert_true(fabs(sim_script_integral(&noise, 5000) / 5000 - 5) < 0.01);
}

/* Against sums of many small pieces. */
static void integrals_are_sums_of_values(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 6; i++) {
        const struct sim_script *script = i < 5 ? all[i] : &sum;
        double area = 0;
        for (int k = 0; k < 100000; k++) {
            const double t = (k + 0.5) * 1e-4;
            area += sim_script_value(script, t) * 1e-4;
            if (k % 25000 == 24999) {
                assert_true(fabs(sim_script_integral(script, (k + 1) * 1e-4) - area) < 0.01);
            }
        }
        assert_true(sim_script_integral(script, 0) == 0);
        assert_true(sim_script_peak(script) >= sim_script_value(script, 5));
    }
}

static void caps_cut_integrals(void **unused)
{
    (void)unused;
    assert_true(sim_script_capped(&constant, 100, 2, 5) == 21);
    assert_true(sim_script_capped(&constant, 4, 2, 5) == 12);
    assert_true(fabs(sim_script_capped(&ramp, 7, 1, 6) - (2 + 7) / 2.0 * 2.5 - 7 * 2.5) < 0.01);
    assert_true(sim_script_capped(&sine, 3, 0, 1e6) > 0);
    assert_true(sim_script_capped(&ramp, 7, 3, 3) == 0);
}

/* SYS-5 */
static void counters_wrap(void **unused)
{
    const struct sim_script counter = {
        .kind = SIM_COUNTER, .from = 250, .rate = &constant, .bits = 8};
    (void)unused;
    assert_true(sim_script_value(&counter, 0) == 250);
    assert_true(sim_script_value(&counter, 1) == 1);
    assert_int_equal(sim_wrap(257, 8), 1);
    assert_int_equal(sim_wrap(-3, 8), 0);
    assert_int_equal(sim_wrap(NAN, 8), 0);
    assert_int_equal(sim_wrap(0x1p60, 64), UINT64_C(1) << 60);
    assert_int_equal(sim_wrap(0x1p64, 64), 0);
}

/* Times that no clock reaches are numbers, too. */
static void far_times_are_harmless(void **unused)
{
    const double times[] = {1e12, 0x1p53, 1.8e10};
    (void)unused;
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(isfinite(sim_script_value(&sum, times[i])));
        assert_true(isfinite(sim_script_integral(&sum, times[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_as_written),
        cmocka_unit_test(noise_stays_in_its_bounds_and_has_its_mean),
        cmocka_unit_test(integrals_are_sums_of_values),
        cmocka_unit_test(caps_cut_integrals),
        cmocka_unit_test(counters_wrap),
        cmocka_unit_test(far_times_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
