/* Counters of performance events: what they are called, and what becomes of them. The system calls
 * are the test's here, except at the end. */
#include "machine_fixture.h"

#include "backend/cpu/sysman/perf.h"
#include "backend/cpu/sysman/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ---- the system ---- */

enum { COUNTERS = 64, FIRST_FD = 1000 };

static struct {
    uint32_t type;
    uint64_t config, value;
    int cpu;
    bool open;
} counters[COUNTERS];
static int opened, refused; /* how many were; errno of the next */
static bool by_the_system;

int __real_geo_perf_event_open(uint32_t type, uint64_t config, int cpu, uint64_t *id);
bool __real_geo_perf_event_read(int fd, uint64_t id, uint64_t *value);
void __real_geo_perf_event_close(int fd, uint64_t id);
bool __real_geo_perf_event_allowed(const struct geo_tree *tree);
int __wrap_geo_perf_event_open(uint32_t type, uint64_t config, int cpu, uint64_t *id);
bool __wrap_geo_perf_event_read(int fd, uint64_t id, uint64_t *value);
void __wrap_geo_perf_event_close(int fd, uint64_t id);
bool __wrap_geo_perf_event_allowed(const struct geo_tree *tree);

int __wrap_geo_perf_event_open(uint32_t type, uint64_t config, int cpu, uint64_t *id)
{
    if (by_the_system) {
        return __real_geo_perf_event_open(type, config, cpu, id);
    }
    if (refused) {
        errno = refused;
        return -1;
    }
    assert_true(opened < COUNTERS);
    counters[opened].type = type;
    counters[opened].config = config;
    counters[opened].cpu = cpu;
    counters[opened].value = 0;
    counters[opened].open = true;
    *id = (uint64_t)opened + 77;
    return FIRST_FD + opened++;
}

bool __wrap_geo_perf_event_read(int fd, uint64_t id, uint64_t *value)
{
    if (by_the_system) {
        return __real_geo_perf_event_read(fd, id, value);
    }
    int index = fd - FIRST_FD;
    if (index < 0 || index >= opened || id != (uint64_t)index + 77 || !counters[index].open) {
        return false;
    }
    *value = counters[index].value;
    return true;
}

void __wrap_geo_perf_event_close(int fd, uint64_t id)
{
    if (by_the_system) {
        __real_geo_perf_event_close(fd, id);
    } else {
        assert_int_equal(id, fd - FIRST_FD + 77);
        assert_true(counters[fd - FIRST_FD].open);
        counters[fd - FIRST_FD].open = false;
    }
}

bool __wrap_geo_perf_event_allowed(const struct geo_tree *tree)
{
    return by_the_system ? __real_geo_perf_event_allowed(tree) : true;
}

static int setup(void **state)
{
    (void)state;
    memset(counters, 0, sizeof(counters));
    opened = refused = 0;
    by_the_system = false;
    return 0;
}

/* All that were opened are closed. */
static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < opened; i++) {
        if (counters[i].open) {
            return -1;
        }
    }
    return 0;
}

/* The counter of this kind; fails the test when there is none. */
static int counter_find(uint32_t type, uint64_t config, int cpu)
{
    for (int i = 0; i < opened; i++) {
        if (counters[i].type == type && counters[i].config == config && counters[i].cpu == cpu) {
            return i;
        }
    }
    fail_msg("no counter of type %u, %llx, on CPU %d", type, (unsigned long long)config, cpu);
    return -1;
}

/* ---- memory ---- */

static const struct geo_sysman_memory *memory_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_MEMORY, index);
}

static void traffic_is_the_controllers_sum(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_memory *second = memory_at(&machine, 1);
    zes_mem_bandwidth_t now = {0};
    assert_int_equal(second->counter_bits, 64);
    assert_int_equal(opened, 0); /* not before they are asked for */
    assert_works(&machine, second->ops->bandwidth(second, &now, &machine.why));
    assert_int_equal(opened, 4); /* two controllers beside CPU 4, for reading and writing */
    assert_true(now.readCounter == 0 && now.writeCounter == 0 && now.timestamp != 0);
    counters[counter_find(20, 0xcf05, 4)].value = 16384; /* a count is 64 bytes */
    counters[counter_find(21, 0xcf05, 4)].value = 1;
    counters[counter_find(20, 0xf005, 4)].value = 5;
    counters[counter_find(21, 0xf005, 4)].value = 7;
    assert_works(&machine, second->ops->bandwidth(second, &now, &machine.why));
    assert_int_equal(now.readCounter, 16385 * 64);
    assert_int_equal(now.writeCounter, 12 * 64);
    assert_int_equal(now.maxBandwidth, 0);
    assert_int_equal(opened, 4);
    machine_close(&machine);
}

static void counters_that_are_refused_are_told(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_memory *first = memory_at(&machine, 0);
    zes_mem_bandwidth_t now = {.readCounter = 3};
    const struct {
        int error;
        ze_result_t result;
    } rows[] = {
        {EACCES, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS},
        {EPERM, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS},
        {EMFILE, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY},
        {ENODEV, ZE_RESULT_ERROR_NOT_AVAILABLE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        refused = rows[i].error;
        assert_result(&machine, first->ops->bandwidth(first, &now, &machine.why), rows[i].result,
                      "perf_event_paranoid");
        assert_int_equal(now.readCounter, 3);
    }
    refused = 0;
    assert_works(&machine, first->ops->bandwidth(first, &now, &machine.why));
    counters[2].open = false; /* the program has closed it */
    assert_result(&machine, first->ops->bandwidth(first, &now, &machine.why),
                  ZE_RESULT_ERROR_NOT_AVAILABLE, "closed");
    counters[2].open = true;
    machine_close(&machine);
    machine_open(&machine, "laptop", 4, 0);
    first = memory_at(&machine, 0);
    assert_int_equal(first->counter_bits, 0);
    assert_result(&machine, first->ops->bandwidth(first, &now, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "controllers");
    machine_close(&machine);
}

/* ---- energy ---- */

static uint64_t energy_read(struct machine *machine, uint32_t index)
{
    const struct geo_sysman_power *power = machine_component(machine, GEO_SYSMAN_POWER, index);
    zes_power_energy_counter_t counter = {0};
    assert_works(machine, power->ops->energy(power, &counter, &machine->why));
    assert_true(counter.timestamp != 0);
    return counter.energy;
}

static void energy_is_counted_where_there_are_no_zones(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const char *const zones[] = {"0", "0:0", "1", "1:0"};
    for (int i = 0; i < 4; i++) {
        char from[256], to[256];
        snprintf(from, sizeof(from), "%s/sys/class/powercap/intel-rapl:%s", machine.root, zones[i]);
        snprintf(to, sizeof(to), "%s/sys/class/powercap/%d", machine.root, i);
        assert_int_equal(rename(from, to), 0);
    }
    machine_reopen(&machine);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), 4);
    const zes_power_domain_t domains[] = {ZES_POWER_DOMAIN_PACKAGE, ZES_POWER_DOMAIN_MEMORY};
    for (uint32_t i = 0; i < 4; i++) {
        const struct geo_sysman_power *power = machine_component(&machine, GEO_SYSMAN_POWER, i);
        uint32_t limits = 9;
        assert_int_equal(power->domain, domains[i % 2]);
        assert_int_equal(power->base.subdevice, i / 2);
        assert_false(power->properties.canControl);
        assert_works(&machine, power->ops->limits(power, &limits, NULL, &machine.why));
        assert_int_equal(limits, 0);
        assert_int_equal(energy_read(&machine, i), 0);
    }
    counters[counter_find(17, 2, 4)].value = UINT64_C(3) << 32; /* a joule is 2 to the 32nd */
    counters[counter_find(17, 3, 0)].value = UINT64_C(1) << 31;
    assert_int_equal(energy_read(&machine, 0), 0);
    assert_int_equal(energy_read(&machine, 1), 500000);
    assert_int_equal(energy_read(&machine, 2), 3000000);
    machine_close(&machine);
}

static void nobody_run(struct machine *machine)
{
    machine_reopen(machine);
    assert_int_equal(energy_read(machine, 0), 0);
    counters[counter_find(17, 2, 0)].value = UINT64_C(7) << 32;
    assert_int_equal(energy_read(machine, 0), 7000000);
    assert_int_equal(energy_read(machine, 1), 2000); /* by its file, which is not refused */
    refused = EACCES;                                /* both are: the file is named */
    machine_reopen(machine);
    const struct geo_sysman_power *power = machine_component(machine, GEO_SYSMAN_POWER, 0);
    zes_power_energy_counter_t counter = {0};
    assert_result(machine, power->ops->energy(power, &counter, &machine->why),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "intel-rapl:0/energy_uj");
}

static void a_counter_stands_in_for_a_file_that_is_refused(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(energy_read(&machine, 0), 1000); /* by its file */
    assert_int_equal(opened, 0);
    machine_mode(&machine, "/sys/class/powercap/intel-rapl:0:0/energy_uj", 0444);
    bool could = machine_as_nobody(&machine, nobody_run);
    machine_close(&machine);
    if (!could) {
        skip();
    }
}

/* ---- names ---- */

#define UNIT GEO_PERF_FOLDER "/u"

static void names_become_configurations(void **state)
{
    (void)state;
    static const struct {
        const char *terms, *format, *scale;
        bool good;
        uint64_t config;
    } rows[] = {
        {"event=0x2", "config:0-7", "1", true, 2},
        {"event=0x1ff", "config:0-7,32-35", "0.5", true, UINT64_C(0x1000000ff)},
        {"event", "config:63", "1", true, UINT64_C(1) << 63},
        {"event=10", "config:4-11", "2e-3", true, 0xa0},
        {"event=0x100", "config:0-7", "1", false, 0}, /* too large for its place */
        {"event=0x2", "config1:0-7", "1", false, 0},  /* more than one word */
        {"event=0x2", "config:0-64", "1", false, 0},
        {"event=0x2", "config:7-0", "1", false, 0},
        {"event=0x2", "config:", "1", false, 0},
        {"event=0x2", "config:0-7;", "1", false, 0},
        {"event=", "config:0-7", "1", false, 0},
        {"event=2x", "config:0-7", "1", false, 0},
        {"other=2", "config:0-7", "1", false, 0},
        {"../format/event=2", "config:0-7", "1", false, 0},
        {"", "config:0-7", "1", false, 0},
        {"event=0x2", "config:0-7", "none", false, 0},
        {"event=0x2", "config:0-7", "-1", false, 0},
        {"event=0x2", "config:0-7", "1e300", false, 0},
        {"event=0x2", "config:0-7", "nan", false, 0},
    };
    struct machine machine;
    struct geo_tree tree;
    machine_open(&machine, NULL, 1, 0);
    assert_true(geo_tree_init(&tree, machine.root));
    machine_write(&machine, UNIT "/type", "9");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct geo_perf_event event;
        machine_write(&machine, UNIT "/events/e", rows[i].terms);
        machine_write(&machine, UNIT "/events/e.scale", rows[i].scale);
        machine_write(&machine, UNIT "/format/event", rows[i].format);
        bool good = geo_perf_find(&tree, "u", "e", &event);
        if (good != rows[i].good || (good && event.config != rows[i].config)) {
            fail_msg("row %zu: %d, %llx", i, good, (unsigned long long)event.config);
        }
        assert_true(!good || (event.type == 9 && event.scale == strtod(rows[i].scale, NULL)));
    }
    machine_close(&machine);
}

/* ---- the system's own ---- */

/* The one unit of this kind that virtual machines have, too: it counts the processor's clock. */
static void the_system_counts(void **state)
{
    (void)state;
    struct geo_tree tree;
    struct geo_perf_event event;
    struct geo_strbuf why;
    double first[GEO_PERF_SUMS], second[GEO_PERF_SUMS];
    by_the_system = true;
    assert_true(geo_tree_init(&tree, NULL));
    if (!geo_perf_find(&tree, "msr", "tsc", &event)) {
        skip();
    }
    struct geo_perf_item item = {event, sched_getcpu(), 1};
    struct geo_perf_set set = {.items = &item, .count = 1};
    geo_strbuf_init(&why, 0);
    ze_result_t result = geo_perf_read(&set, &tree, first, &why);
    if (result == ZE_RESULT_SUCCESS) {
        usleep(1000);
        assert_int_equal(geo_perf_read(&set, &tree, second, &why), ZE_RESULT_SUCCESS);
        assert_true(second[1] > first[1] && second[0] == 0);
        /* another file has the number: it is neither read nor closed */
        int pipes[2], last = open("/dev/null", O_RDONLY);
        close(last);
        assert_int_equal(pipe(pipes), 0);
        assert_int_equal(write(pipes[1], "12345678", 8), 8);
        assert_int_equal(dup2(pipes[0], last - 1), last - 1); /* the counter was opened last */
        assert_int_equal(geo_perf_read(&set, &tree, second, &why), ZE_RESULT_ERROR_NOT_AVAILABLE);
        geo_perf_finish(&set);
        char bytes[8];
        assert_int_equal(read(last - 1, bytes, 8), 8);
        close(last - 1);
        close(pipes[0]);
        close(pipes[1]);
    } else {
        assert_true(strstr(geo_strbuf_text(&why), "perf_event_paranoid") != NULL);
        geo_perf_finish(&set);
    }
    assert_true(geo_tree_init(&tree, "/tmp")); /* a recorded machine counts nothing */
    assert_int_equal(geo_perf_read(&set, &tree, first, &why), ZE_RESULT_ERROR_NOT_AVAILABLE);
    geo_strbuf_finish(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(traffic_is_the_controllers_sum, setup, teardown),
        cmocka_unit_test_setup_teardown(counters_that_are_refused_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(energy_is_counted_where_there_are_no_zones, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_counter_stands_in_for_a_file_that_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(names_become_configurations, setup, teardown),
        cmocka_unit_test_setup_teardown(the_system_counts, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
