/* Engines: the CPUs' time. */
#include "machine_fixture.h"

#include <stdio.h>
#include <unistd.h>

static const struct geo_sysman_engine *engine_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_ENGINE, index);
}

static uint64_t active_read(struct machine *machine, uint32_t index)
{
    const struct geo_sysman_engine *engine = engine_at(machine, index);
    zes_engine_stats_t stats = {0};
    assert_works(machine, engine->ops->activity(engine, 1, &stats, &machine->why));
    assert_true(stats.timestamp != 0);
    return stats.activeTime;
}

static uint64_t us_per_tick(void)
{
    return 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* user + nice + system + irq + softirq of cpu0 to cpu3, by hand */
static void active_is_the_mean_of_what_cpus_work(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_ENGINE), 2);
    const zes_engine_group_t types[] = {ZES_ENGINE_GROUP_ALL, ZES_ENGINE_GROUP_COMPUTE_ALL};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(engine_at(&machine, i)->properties.type, types[i]);
        assert_int_equal(engine_at(&machine, i)->virtual_functions, 0);
        assert_int_equal(active_read(&machine, i), (165 + 215 + 115 + 165) * us_per_tick() / 4);
    }
    machine_close(&machine);
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_ENGINE), 4);
    assert_int_equal(engine_at(&machine, 1)->base.subdevice, 0);
    assert_int_equal(engine_at(&machine, 2)->base.subdevice, 1);
    assert_int_equal(active_read(&machine, 0), (200 + 300 + 400 + 500) * us_per_tick() / 4);
    assert_int_equal(active_read(&machine, 2), (600 + 700 + 800 + 900) * us_per_tick() / 4);
    machine_close(&machine);
}

/* SYS-5 */
static void active_time_does_not_fall_when_a_cpu_goes(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "container", 2, 0);
    const uint64_t before = active_read(&machine, 0);
    assert_int_equal(before, 171449 * us_per_tick());
    machine_write(&machine, "/proc/stat", "cpu0 110 0 50 1500 0 0 0 0 0 0");
    assert_int_equal(active_read(&machine, 0), before);
    machine_write(&machine, "/proc/stat", "cpu0 400000 0 50 1500 0 0 0 0 0 0");
    assert_int_equal(active_read(&machine, 0), 200025 * us_per_tick());
    machine_close(&machine);
}

static void what_tells_nothing_of_our_cpus_is_an_error(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "container", 2, 0);
    const struct geo_sysman_engine *engine = engine_at(&machine, 0);
    zes_engine_stats_t stats = {0};
    const char *const texts[] = {"",
                                 "cpu",
                                 "cpu0",
                                 "cpux 1 2 3",
                                 "cpu9 1 2 3 4 5 6 7",
                                 "cpu99999999999999999999 1 2 3 4 5 6 7",
                                 "cpu0 1 2 3",
                                 "intr 1\ncpu0 1 2 3 4 5 6 7"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        machine_write(&machine, "/proc/stat", texts[i]);
        assert_result(&machine, engine->ops->activity(engine, 1, &stats, &machine.why),
                      ZE_RESULT_ERROR_NOT_AVAILABLE, "/proc/stat");
    }
    machine_remove(&machine, "/proc/stat");
    assert_result(&machine, engine->ops->activity(engine, 1, &stats, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "/proc/stat");
    assert_works(&machine, engine->ops->activity(engine, 0, NULL, &machine.why));
    machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_is_the_mean_of_what_cpus_work),
        cmocka_unit_test(active_time_does_not_fall_when_a_cpu_goes),
        cmocka_unit_test(what_tells_nothing_of_our_cpus_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
