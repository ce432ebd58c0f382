/* The watchdog of work-groups: told, set, kept in the census. What it does to kernels is tested
 * where they run (tests/unit/exec, tests/api). */
#include "machine_fixture.h"

#include "backend/host/census_table.h"
#include "backend/host/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS UINT64_C(7) /* the option */

static const struct geo_sysman_scheduler *scheduler_of(const struct machine *machine)
{
    return machine_component(machine, GEO_SYSMAN_SCHEDULER, 0);
}

static void shm_make(const struct machine *machine)
{
    assert_true(mkdir(machine_path(machine, "/dev"), 0755) == 0 || errno == EEXIST);
    assert_int_equal(mkdir(machine_path(machine, GEO_CENSUS_FOLDER), 0755), 0);
}

static const char *table_path(unsigned user)
{
    static char path[64];
    snprintf(path, sizeof(path), GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", user);
    return path;
}

static uint64_t watchdog_read(struct machine *machine)
{
    const struct geo_sysman_scheduler *scheduler = scheduler_of(machine);
    struct geo_sysman_schedule schedule = {.mode = ZES_SCHED_MODE_EXCLUSIVE};
    assert_works(machine, scheduler->ops->mode(scheduler, &schedule, &machine->why));
    assert_int_equal(schedule.mode, ZES_SCHED_MODE_TIMEOUT);
    return schedule.watchdog_us;
}

static ze_result_t watchdog_set(struct machine *machine, uint64_t us)
{
    const struct geo_sysman_scheduler *scheduler = scheduler_of(machine);
    const struct geo_sysman_schedule schedule = {.mode = ZES_SCHED_MODE_TIMEOUT, .watchdog_us = us};
    bool reload = true;
    ze_result_t result = scheduler->ops->set_mode(scheduler, &schedule, &reload, &machine->why);
    assert_int_equal(reload, result != ZE_RESULT_SUCCESS);
    return result;
}

/* SYC-9 */
static void the_option_holds_until_somebody_sets_a_watchdog(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    shm_make(&machine);
    machine_reopen(&machine);
    const struct geo_sysman_scheduler *scheduler = scheduler_of(&machine);
    assert_int_equal(scheduler->base.subdevice, -1);
    assert_int_equal(scheduler->properties.canControl, 1);
    assert_int_equal(scheduler->properties.engines, ZES_ENGINE_TYPE_FLAG_COMPUTE);
    assert_int_equal(scheduler->properties.supportedModes, 1u << ZES_SCHED_MODE_TIMEOUT);
    assert_int_equal(scheduler->defaults.mode, ZES_SCHED_MODE_TIMEOUT);
    assert_int_equal(scheduler->defaults.watchdog_us, SECONDS * 1000000);
    assert_int_equal(watchdog_read(&machine), SECONDS * 1000000);
    const uint64_t values[] = {1, 640000, UINT64_C(90000000000), ZES_SCHED_WATCHDOG_DISABLE};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_works(&machine, watchdog_set(&machine, values[i]));
        assert_int_equal(watchdog_read(&machine), values[i]);
        machine_reopen(&machine); /* another manager */
        assert_int_equal(watchdog_read(&machine), values[i]);
        assert_int_equal(scheduler_of(&machine)->defaults.watchdog_us, SECONDS * 1000000);
    }
    assert_result(&machine, watchdog_set(&machine, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT, "0 us");
    assert_true(watchdog_read(&machine) == ZES_SCHED_WATCHDOG_DISABLE);
    machine_close(&machine);
}

static void devices_have_watchdogs_of_their_own(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    shm_make(&machine);
    machine_reopen(&machine);
    assert_works(&machine, watchdog_set(&machine, 1000000));
    machine.devices[0].info.uuid[GEO_ROSTER_UUID_ROOT] ^= 1; /* the second of two */
    assert_int_equal(watchdog_read(&machine), SECONDS * 1000000);
    assert_works(&machine, watchdog_set(&machine, 2000000));
    assert_int_equal(watchdog_read(&machine), 2000000);
    machine.devices[0].info.uuid[GEO_ROSTER_UUID_ROOT] ^= 1;
    assert_int_equal(watchdog_read(&machine), 1000000);
    machine_close(&machine);
}

static void without_a_place_for_it_nothing_can_be_set(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0); /* without /dev/shm */
    assert_int_equal(scheduler_of(&machine)->properties.canControl, 0);
    assert_int_equal(watchdog_read(&machine), SECONDS * 1000000);
    shm_make(&machine);
    machine_reopen(&machine);
    assert_int_equal(scheduler_of(&machine)->properties.canControl, 1);
    machine_bytes(&machine, table_path((unsigned)geteuid()), "no census", 9);
    machine_mode(&machine, table_path((unsigned)geteuid()), 0666); /* anybody's */
    assert_result(&machine, watchdog_set(&machine, 5), ZE_RESULT_ERROR_NOT_AVAILABLE, "/dev/shm");
    assert_int_equal(watchdog_read(&machine), SECONDS * 1000000);
    machine_close(&machine);
}

/* The census is written by position; beyond the limit on file sizes that would be SIGXFSZ. */
static void a_limit_on_files_is_an_error(void **state)
{
    (void)state;
    struct machine machine;
    struct rlimit limit, none;
    machine_open(&machine, "laptop", 4, 0);
    shm_make(&machine);
    machine_reopen(&machine);
    assert_works(&machine, watchdog_set(&machine, 5));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    ze_result_t result = watchdog_set(&machine, 6);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_result(&machine, result, ZE_RESULT_ERROR_NOT_AVAILABLE, "/dev/shm");
    assert_int_equal(watchdog_read(&machine), 5);
    machine_close(&machine);
}

/* Whose processes go by another file. */
static void root_sets_it_for_others_and_reads_his_own(void **state)
{
    (void)state;
    struct machine machine;
    const uint32_t format = GEO_CENSUS_FORMAT;
    uint64_t us = 0;
    if (geteuid() != 0) {
        skip();
    }
    machine_open(&machine, "laptop", 4, 0);
    shm_make(&machine);
    machine_reopen(&machine);
    machine_bytes(&machine, table_path(4711), &format, sizeof(format));
    machine_mode(&machine, table_path(4711), 0600);
    const char *path = machine_path(&machine, table_path(4711));
    assert_int_equal(truncate(path, (off_t)GEO_CENSUS_BYTES), 0);
    assert_int_equal(chown(path, 4711, 4711), 0);
    const off_t at = (off_t)(offsetof(struct geo_census_head, limits_us) +
                             geo_watchdog_place(&machine.devices[0]) * sizeof(us));
    assert_works(&machine, watchdog_set(&machine, 3000000));
    int fd = open(machine_path(&machine, table_path(4711)), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &us, sizeof(us), at), sizeof(us));
    assert_int_equal(us, 3000000);
    us = 4000000;
    assert_int_equal(pwrite(fd, &us, sizeof(us), at), sizeof(us));
    close(fd);
    assert_int_equal(watchdog_read(&machine), 3000000);
    machine_close(&machine);
}

static int option_set(void **state)
{
    (void)state;
    setenv("GEOID_KERNEL_TIMEOUT", "7", 1);
    geo_limit_open();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_option_holds_until_somebody_sets_a_watchdog),
        cmocka_unit_test(devices_have_watchdogs_of_their_own),
        cmocka_unit_test(without_a_place_for_it_nothing_can_be_set),
        cmocka_unit_test(a_limit_on_files_is_an_error),
        cmocka_unit_test(root_sets_it_for_others_and_reads_his_own),
    };
    return cmocka_run_group_tests(tests, option_set, NULL);
}
