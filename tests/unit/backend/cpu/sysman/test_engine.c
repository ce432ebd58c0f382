/* Engines: the CPUs' time, and what of it was the device's. */
#include "machine_fixture.h"

#include "backend/cpu/sysman/finding.h"
#include "backend/host/census_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
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
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_ENGINE), 1); /* there is no /dev/shm */
    assert_int_equal(engine_at(&machine, 0)->properties.type, ZES_ENGINE_GROUP_ALL);
    assert_int_equal(engine_at(&machine, 0)->virtual_functions, 0);
    assert_int_equal(active_read(&machine, 0), (165 + 215 + 115 + 165) * us_per_tick() / 4);
    machine_close(&machine);
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_ENGINE), 2);
    assert_int_equal(engine_at(&machine, 0)->base.subdevice, 0);
    assert_int_equal(engine_at(&machine, 1)->base.subdevice, 1);
    assert_int_equal(active_read(&machine, 0), (200 + 300 + 400 + 500) * us_per_tick() / 4);
    assert_int_equal(active_read(&machine, 1), (600 + 700 + 800 + 900) * us_per_tick() / 4);
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

/* ---- the census ---- */

static int table = -1;

static void put(uint64_t at, const void *bytes, size_t size)
{
    assert_int_equal(pwrite(table, bytes, size, (off_t)at), size);
}

/* Opens a machine that has a census, in which nothing is counted. */
static void census_open(struct machine *machine, const char *name, uint32_t cpus, uint32_t parts)
{
    const uint32_t format = GEO_CENSUS_FORMAT;
    char path[64];
    machine_open(machine, name, cpus, parts);
    assert_true(mkdir(machine_path(machine, "/dev"), 0755) == 0 || errno == EEXIST);
    assert_int_equal(mkdir(machine_path(machine, GEO_CENSUS_FOLDER), 0755), 0);
    snprintf(path, sizeof(path), GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", (unsigned)geteuid());
    table = open(machine_path(machine, path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(table >= 0);
    assert_int_equal(ftruncate(table, (off_t)GEO_CENSUS_BYTES), 0);
    put(0, &format, sizeof(format));
    machine_reopen(machine);
}

static void census_close(struct machine *machine)
{
    close(table);
    machine_close(machine);
}

static void put_ns(uint32_t cpu, enum geo_busy_kind kind, uint64_t ns)
{
    put(GEO_CENSUS_CPUS_AT + cpu * sizeof(struct geo_busy_cpu) + (kind - 1) * sizeof(ns), &ns,
        sizeof(ns));
}

static zes_engine_stats_t stats_read(struct machine *machine, uint32_t index)
{
    const struct geo_sysman_engine *engine = engine_at(machine, index);
    zes_engine_stats_t stats = {0};
    assert_works(machine, engine->ops->activity(engine, 1, &stats, &machine->why));
    return stats;
}

/* So that there was time for that much work. */
static void pass_us(uint64_t us)
{
    const uint64_t start = geo_backend_clock_us();
    while (geo_backend_clock_us() - start < us) {
        usleep(100);
    }
}

/* SYC-12 */
static void kernels_and_copies_are_engines_of_their_own(void **state)
{
    (void)state;
    struct machine machine;
    census_open(&machine, "laptop", 4, 0);
    const zes_engine_group_t types[] = {ZES_ENGINE_GROUP_ALL, ZES_ENGINE_GROUP_COMPUTE_ALL,
                                        ZES_ENGINE_GROUP_COPY_ALL};
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_ENGINE), 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(engine_at(&machine, i)->properties.type, types[i]);
        assert_int_equal(engine_at(&machine, i)->base.subdevice, -1);
    }
    for (uint32_t cpu = 0; cpu < 6; cpu++) { /* two of them are not the device's */
        put_ns(cpu, GEO_BUSY_KERNEL, 1000 * (cpu + 1));
        put_ns(cpu, GEO_BUSY_COPY, 8000);
    }
    assert_int_equal(stats_read(&machine, 0).activeTime,
                     (165 + 215 + 115 + 165) * us_per_tick() / 4);
    assert_int_equal(stats_read(&machine, 1).activeTime, (1 + 2 + 3 + 4) / 4);
    assert_int_equal(stats_read(&machine, 2).activeTime, 8);
    census_close(&machine);
}

static void parts_have_what_their_cpus_did(void **state)
{
    (void)state;
    struct machine machine;
    census_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_ENGINE), 6);
    put_ns(1, GEO_BUSY_KERNEL, 400000);
    put_ns(7, GEO_BUSY_COPY, 80000);
    const uint64_t expected[] = {100, 0, 0, 20};
    const uint32_t indexes[] = {1, 2, 4, 5};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(engine_at(&machine, indexes[i])->base.subdevice, i / 2);
        assert_int_equal(stats_read(&machine, indexes[i]).activeTime, expected[i]);
    }
    census_close(&machine);
}

/* A device with fewer workers than CPUs is as active as it can be when all of them work. */
static void all_workers_are_all_of_the_device(void **state)
{
    (void)state;
    struct machine machine;
    census_open(&machine, "laptop", 4, 0);
    machine.devices[0].crew.workers = 2;
    machine_reopen(&machine);
    zes_engine_stats_t before = stats_read(&machine, 1);
    pass_us(2000);
    put_ns(0, GEO_BUSY_KERNEL, 1000000);
    put_ns(3, GEO_BUSY_KERNEL, 1000000);
    assert_int_equal(stats_read(&machine, 1).activeTime - before.activeTime, 1000);
    before = stats_read(&machine, 1);
    for (uint32_t cpu = 0; cpu < 4; cpu++) {
        put_ns(cpu, GEO_BUSY_KERNEL, UINT64_MAX / 2);
    }
    zes_engine_stats_t after = stats_read(&machine, 1);
    assert_int_equal(after.activeTime - before.activeTime, after.timestamp - before.timestamp);
    census_close(&machine);
}

/* SYS-5 */
static void nonsense_counts_for_no_longer_than_it_is_there(void **state)
{
    (void)state;
    struct machine machine;
    census_open(&machine, "laptop", 4, 0);
    put_ns(2, GEO_BUSY_KERNEL, 7000000);
    zes_engine_stats_t before = stats_read(&machine, 1), after;
    const uint64_t jumps[] = {UINT64_MAX / 4, 1000, UINT64_MAX / 2, 0};
    for (int i = 0; i < 4; i++) {
        pass_us(1000);
        put_ns(2, GEO_BUSY_KERNEL, jumps[i]);
        after = stats_read(&machine, 1);
        uint64_t most = (after.timestamp - before.timestamp) / 4 + 1;
        assert_true(after.activeTime >= before.activeTime);
        assert_true(after.activeTime - before.activeTime <= (i % 2 == 0 ? most : 0));
        before = after;
    }
    pass_us(2000);
    put_ns(2, GEO_BUSY_KERNEL, 2000000); /* as little as it may be, it counts at once */
    after = stats_read(&machine, 1);
    assert_int_equal(after.activeTime - before.activeTime, 500);
    census_close(&machine);
}

static void without_a_census_nothing_was_done(void **state)
{
    (void)state;
    struct machine machine;
    char path[64];
    census_open(&machine, "laptop", 4, 0);
    put_ns(0, GEO_BUSY_KERNEL, 4000000);
    assert_int_equal(stats_read(&machine, 1).activeTime, 1000);
    snprintf(path, sizeof(path), GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", (unsigned)geteuid());
    machine_remove(&machine, path);
    assert_int_equal(stats_read(&machine, 1).activeTime, 1000);
    assert_int_equal(stats_read(&machine, 2).activeTime, 0);
    machine_remove(&machine, path); /* who looks makes one */
    assert_int_equal(rmdir(machine_path(&machine, GEO_CENSUS_FOLDER)), 0);
    assert_int_equal(stats_read(&machine, 1).activeTime, 1000);
    census_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_is_the_mean_of_what_cpus_work),
        cmocka_unit_test(active_time_does_not_fall_when_a_cpu_goes),
        cmocka_unit_test(what_tells_nothing_of_our_cpus_is_an_error),
        cmocka_unit_test(kernels_and_copies_are_engines_of_their_own),
        cmocka_unit_test(parts_have_what_their_cpus_did),
        cmocka_unit_test(all_workers_are_all_of_the_device),
        cmocka_unit_test(nonsense_counts_for_no_longer_than_it_is_there),
        cmocka_unit_test(without_a_census_nothing_was_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
