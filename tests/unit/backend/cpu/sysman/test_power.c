/* Power: zones of power capping, their counters and limits. */
#include "machine_fixture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define ZONES "/sys/class/powercap"

static const struct geo_sysman_power *power_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_POWER, index);
}

static uint64_t energy_read(struct machine *machine, const struct geo_sysman_power *power)
{
    zes_power_energy_counter_t counter = {0};
    assert_works(machine, power->ops->energy(power, &counter, &machine->why));
    return counter.energy;
}

/* package-0, core and psys: graphics are another device, a second view of the package is none. */
static void a_laptop_has_its_zones(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct {
        const char *name;
        zes_power_domain_t domain;
        bool control;
    } zones[] = {
        {"intel-rapl:0", ZES_POWER_DOMAIN_PACKAGE, true},
        {"intel-rapl:0:0", ZES_POWER_DOMAIN_GPU, true},
        {"intel-rapl:1", ZES_POWER_DOMAIN_CARD, true},
    };
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct geo_sysman_power *power = power_at(&machine, i);
        assert_string_equal(power->base.name, zones[i].name);
        assert_int_equal(power->base.subdevice, -1);
        assert_int_equal(power->domain, zones[i].domain);
        assert_int_equal(power->properties.canControl, zones[i].control);
        assert_int_equal(power->properties.defaultLimit, -1);
        assert_int_equal(power->properties.minLimit, -1);
        assert_int_equal(energy_read(&machine, power),
                         machine_number(&machine, ZONES "/%s/energy_uj", zones[i].name));
    }
    assert_int_equal(power_at(&machine, 2)->properties.maxLimit, -1);
    machine_close(&machine);
}

/* Its firmware set 28 W where the system calls 15 W the most. */
static void a_most_that_is_exceeded_is_none(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(power_at(&machine, 0)->properties.maxLimit, -1);
    machine_write(&machine, ZONES "/intel-rapl:0/constraint_0_power_limit_uw", "15000000");
    machine_reopen(&machine);
    assert_int_equal(power_at(&machine, 0)->properties.maxLimit,
                     machine_number(&machine, ZONES "/intel-rapl:0/constraint_0_max_power_uw") /
                         1000);
    machine_close(&machine);
}

static void packages_belong_to_the_parts_that_have_their_cpus(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const int32_t parts[] = {0, 0, 1, 1};
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(power_at(&machine, i)->base.subdevice, parts[i]);
        assert_int_equal(power_at(&machine, i)->domain,
                         i % 2 ? ZES_POWER_DOMAIN_MEMORY : ZES_POWER_DOMAIN_PACKAGE);
        assert_int_equal(energy_read(&machine, power_at(&machine, i)), (i + 1) * 1000);
    }
    machine_close(&machine);
    machine_open(&machine, "server2s", 4, 0); /* a device on the first package alone */
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), 2);
    assert_int_equal(power_at(&machine, 0)->base.subdevice, -1);
    machine_close(&machine);
}

/* SYS-5 */
static void energy_goes_on_where_the_counter_wraps(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_power *power = power_at(&machine, 0);
    const char *file = ZONES "/intel-rapl:0/energy_uj";
    const uint64_t range =
        (uint64_t)machine_number(&machine, ZONES "/intel-rapl:0/max_energy_range_uj");
    uint64_t first = energy_read(&machine, power);
    machine_write(&machine, file, "262143328849");
    assert_int_equal(energy_read(&machine, power), 262143328849u);
    machine_write(&machine, file, "1000");
    assert_int_equal(energy_read(&machine, power), range + 1000);
    assert_int_equal(energy_read(&machine, power), range + 1000);
    machine_write(&machine, file, "900");
    assert_int_equal(energy_read(&machine, power), 2 * range + 900);
    assert_true(first < range);
    machine_close(&machine);
}

enum { READERS = 4, CHANGES = 300 };

struct readers {
    const struct geo_sysman_power *power;
    _Atomic bool done;
};

/* NULL: nothing ever went back. */
static void *energy_follow(void *context)
{
    struct readers *readers = context;
    zes_power_energy_counter_t now = {0};
    uint64_t before = 0;
    bool right = true;
    while (right && !readers->done) {
        right = readers->power->ops->energy(readers->power, &now, NULL) == ZE_RESULT_SUCCESS &&
                now.energy >= before;
        before = now.energy;
    }
    return right ? NULL : readers;
}

/* SYS-5 */
static void energy_of_many_threads_does_not_wrap(void **state)
{
    (void)state;
    struct machine machine;
    pthread_t threads[READERS];
    char file[256], text[32];
    machine_open(&machine, "laptop", 4, 0);
    struct readers readers = {.power = power_at(&machine, 0)};
    snprintf(file, sizeof(file), "%s", machine_path(&machine, ZONES "/intel-rapl:0/energy_uj"));
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, energy_follow, &readers), 0);
    }
    const uint64_t first = energy_read(&machine, readers.power);
    for (uint64_t i = 1; i <= CHANGES; i++) {
        snprintf(text, sizeof(text), "%" PRIu64, first + i);
        machine_write(&machine, "/next", text);
        assert_int_equal(rename(machine_path(&machine, "/next"), file), 0);
    }
    readers.done = true;
    for (int i = 0; i < READERS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    assert_int_equal(energy_read(&machine, readers.power), first + CHANGES);
    machine_close(&machine);
}

static void time_of_counters_does_not_stand_still(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_power *power = power_at(&machine, 0);
    zes_power_energy_counter_t a = {0}, b = {0};
    assert_works(&machine, power->ops->energy(power, &a, &machine.why));
    do {
        assert_works(&machine, power->ops->energy(power, &b, &machine.why));
    } while (b.timestamp == a.timestamp);
    assert_true(b.timestamp > a.timestamp);
    machine_close(&machine);
}

static void limits_are_read_by_level(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_power *power = power_at(&machine, 0);
    zes_power_limit_ext_desc_t limits[4] = {{0}};
    uint32_t count = 0;
    assert_works(&machine, power->ops->limits(power, &count, NULL, &machine.why));
    assert_int_equal(count, 3);
    count = 4;
    assert_works(&machine, power->ops->limits(power, &count, limits, &machine.why));
    assert_int_equal(count, 3);
    const zes_power_level_t levels[] = {ZES_POWER_LEVEL_SUSTAINED, ZES_POWER_LEVEL_BURST,
                                        ZES_POWER_LEVEL_PEAK};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(limits[i].level, levels[i]);
        assert_int_equal(limits[i].limitUnit, ZES_LIMIT_UNIT_POWER);
        assert_int_equal(limits[i].source, ZES_POWER_SOURCE_ANY);
        assert_int_equal(limits[i].enabled, 1);
        assert_int_equal(
            limits[i].limit,
            machine_number(&machine, ZONES "/intel-rapl:0/constraint_%d_power_limit_uw", i) / 1000);
    }
    assert_int_equal(limits[0].interval, 27983);
    assert_int_equal(limits[1].interval, 2);
    assert_int_equal(limits[2].interval, 0); /* it has no time, and the system says 0 */
    assert_false(limits[0].intervalValueLocked);
    machine_remove(&machine, ZONES "/intel-rapl:0/constraint_2_time_window_us");
    assert_works(&machine, power->ops->limits(power, &count, limits, &machine.why));
    assert_int_equal(limits[2].interval, -1);
    assert_true(limits[2].intervalValueLocked);
    machine_close(&machine);
}

static void limits_are_set_where_they_change(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_power *power = power_at(&machine, 0);
    zes_power_limit_ext_desc_t limits[3] = {{0}};
    uint32_t count = 3;
    assert_works(&machine, power->ops->limits(power, &count, limits, &machine.why));
    limits[0].limit = 20000;
    limits[1].interval = 5;
    assert_works(&machine, power->ops->set_limits(power, 2, limits, &machine.why));
    const char *zone = ZONES "/intel-rapl:0";
    assert_int_equal(machine_number(&machine, "%s/constraint_0_power_limit_uw", zone), 20000000);
    assert_int_equal(machine_number(&machine, "%s/constraint_0_time_window_us", zone), 27983872);
    assert_int_equal(machine_number(&machine, "%s/constraint_1_power_limit_uw", zone), 60000000);
    assert_int_equal(machine_number(&machine, "%s/constraint_1_time_window_us", zone), 5000);
    limits[0].enabled = false;
    assert_works(&machine, power->ops->set_limits(power, 1, limits, &machine.why));
    assert_int_equal(machine_number(&machine, "%s/enabled", zone), 0);
    machine_close(&machine);
}

static void limits_that_cannot_be_set_are_told(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_power *power = power_at(&machine, 0);
    zes_power_limit_ext_desc_t limits[3] = {{0}};
    uint32_t count = 3;
    assert_works(&machine, power->ops->limits(power, &count, limits, &machine.why));
    machine_remove(&machine, ZONES "/intel-rapl:0/constraint_2_time_window_us");
    limits[2].interval = 10;
    assert_result(&machine, power->ops->set_limits(power, 1, &limits[2], &machine.why),
                  ZE_RESULT_ERROR_NOT_AVAILABLE, "constraint_2_time_window_us");
    limits[0].limit = -7;
    assert_result(&machine, power->ops->set_limits(power, 1, &limits[0], &machine.why),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT, "constraint_0_power_limit_uw");
    limits[0].level = ZES_POWER_LEVEL_INSTANTANEOUS;
    assert_result(&machine, power->ops->set_limits(power, 1, &limits[0], &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "intel-rapl:0");
    machine_close(&machine);
}

/* Energy is for root's eyes since 2020: everybody sees the zone, and who asks learns why not. */
static void nobody_run(struct machine *machine)
{
    machine_reopen(machine);
    const struct geo_sysman_power *power = power_at(machine, 0);
    zes_power_energy_counter_t counter = {0};
    assert_true(power->properties.canControl); /* by who has the rights */
    assert_result(machine, power->ops->energy(power, &counter, &machine->why),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, ZONES "/intel-rapl:0/energy_uj");
    zes_power_limit_ext_desc_t limit = {0};
    uint32_t count = 1;
    assert_works(machine, power->ops->limits(power, &count, &limit, &machine->why));
    assert_false(limit.limitValueLocked || limit.intervalValueLocked || limit.enabledStateLocked);
    limit.limit = 1000;
    assert_result(machine, power->ops->set_limits(power, 1, &limit, &machine->why),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "constraint_0_power_limit_uw");
}

static void who_has_no_rights_is_told_the_file(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    bool could = machine_as_nobody(&machine, nobody_run);
    machine_close(&machine);
    if (!could) {
        skip();
    }
}

static void zones_that_go_away_are_lost(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_power *power = power_at(&machine, 0);
    zes_power_energy_counter_t counter = {0};
    energy_read(&machine, power);
    machine_remove(&machine, ZONES "/intel-rapl:0/energy_uj");
    assert_result(&machine, power->ops->energy(power, &counter, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "energy_uj");
    machine_write(&machine, ZONES "/intel-rapl:0/energy_uj", "-5");
    assert_result(&machine, power->ops->energy(power, &counter, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "negative");
    assert_int_equal(counter.energy, 0);
    machine_close(&machine);
}

static void energy_without_limits_has_none(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "amd", 2, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), 2);
    const struct geo_sysman_power *power = power_at(&machine, 0);
    uint32_t count = 7;
    assert_works(&machine, power->ops->limits(power, &count, NULL, &machine.why));
    assert_int_equal(count, 0);
    assert_false(power->properties.canControl);
    assert_int_equal(energy_read(&machine, power), 31548000000u);
    machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_laptop_has_its_zones),
        cmocka_unit_test(a_most_that_is_exceeded_is_none),
        cmocka_unit_test(packages_belong_to_the_parts_that_have_their_cpus),
        cmocka_unit_test(energy_goes_on_where_the_counter_wraps),
        cmocka_unit_test(energy_of_many_threads_does_not_wrap),
        cmocka_unit_test(time_of_counters_does_not_stand_still),
        cmocka_unit_test(limits_are_read_by_level),
        cmocka_unit_test(limits_are_set_where_they_change),
        cmocka_unit_test(limits_that_cannot_be_set_are_told),
        cmocka_unit_test(who_has_no_rights_is_told_the_file),
        cmocka_unit_test(zones_that_go_away_are_lost),
        cmocka_unit_test(energy_without_limits_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
