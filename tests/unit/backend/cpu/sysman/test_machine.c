/* The machine as a whole: what it has of each class, how it is described, its events; and the
 * machine that this runs on. */
#include "everything.h"

#include "backend/cpu/cpu.h"
#include "backend/cpu/sysman/classes.h"
#include "sweep.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define EDAC "/sys/devices/system/edac/mc"
#define CPUS "/sys/devices/system/cpu"

/* ---- components ---- */

static void machines_have_what_they_show(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t cpus, parts;
        uint32_t counts[GEO_SYSMAN_CLASS_COUNT];
    } rows[] = {
        {"laptop",
         4,
         0,
         {[GEO_SYSMAN_POWER] = 3,
          [GEO_SYSMAN_FREQUENCY] = 1,
          [GEO_SYSMAN_ENGINE] = 1,
          [GEO_SYSMAN_FIRMWARE] = 2,
          [GEO_SYSMAN_MEMORY] = 1,
          [GEO_SYSMAN_TEMPERATURE] = 2,
          [GEO_SYSMAN_PSU] = 1,
          [GEO_SYSMAN_FAN] = 1,
          [GEO_SYSMAN_SCHEDULER] = 1,
          [GEO_SYSMAN_DIAGNOSTICS] = 2}},
        {"server2s",
         8,
         2,
         {[GEO_SYSMAN_POWER] = 4,
          [GEO_SYSMAN_FREQUENCY] = 2,
          [GEO_SYSMAN_ENGINE] = 2,
          [GEO_SYSMAN_FIRMWARE] = 2,
          [GEO_SYSMAN_MEMORY] = 2,
          [GEO_SYSMAN_TEMPERATURE] = 4,
          [GEO_SYSMAN_PSU] = 1,
          [GEO_SYSMAN_FAN] = 2,
          [GEO_SYSMAN_LED] = 2,
          [GEO_SYSMAN_RAS] = 2,
          [GEO_SYSMAN_SCHEDULER] = 1,
          [GEO_SYSMAN_DIAGNOSTICS] = 2}},
        {"vm",
         2,
         0,
         {[GEO_SYSMAN_ENGINE] = 1,
          [GEO_SYSMAN_MEMORY] = 1,
          [GEO_SYSMAN_SCHEDULER] = 1,
          [GEO_SYSMAN_DIAGNOSTICS] = 2}},
        {"container",
         2,
         0,
         {[GEO_SYSMAN_ENGINE] = 1,
          [GEO_SYSMAN_MEMORY] = 1,
          [GEO_SYSMAN_SCHEDULER] = 1,
          [GEO_SYSMAN_DIAGNOSTICS] = 2}},
        {NULL, 2, 0, {[GEO_SYSMAN_SCHEDULER] = 1, [GEO_SYSMAN_DIAGNOSTICS] = 2}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct machine machine;
        machine_open(&machine, rows[i].name, rows[i].cpus, rows[i].parts);
        for (int kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
            assert_int_equal(machine_count(&machine, (enum geo_sysman_class)kind),
                             rows[i].counts[kind]);
        }
        machine_close(&machine);
    }
}

static void components_stay_where_they_are(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    uint32_t a, b;
    const struct geo_sysman_component *const *first =
        geo_cpu_sysman_components(machine.sysman, GEO_SYSMAN_POWER, &a);
    machine_remove(&machine, "/sys/class/powercap/intel-rapl:1/name");
    const struct geo_sysman_component *const *second =
        geo_cpu_sysman_components(machine.sysman, GEO_SYSMAN_POWER, &b);
    assert_ptr_equal(first, second);
    assert_int_equal(a, b);
    machine_close(&machine);
}

/* A part that the device was narrowed from has no components. */
static void a_narrowed_device_has_its_parts_alone(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    machine.devices[0].crew.places = machine.places[2];
    machine.devices[0].crew.place_count = 4;
    machine_reopen(&machine);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_ENGINE), 1);
    const struct geo_sysman_component *engine = machine_component(&machine, GEO_SYSMAN_ENGINE, 0);
    assert_int_equal(engine->subdevice, 1);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), 2);
    machine_close(&machine);
}

/* ---- many threads ---- */

enum { THREADS = 4 };

static pthread_barrier_t found; /* all have looked, and none has told the others */
static bool together;

void __real_geo_cpu_sysman_find_power(struct geo_finding *finding);
void __wrap_geo_cpu_sysman_find_power(struct geo_finding *finding);

void __wrap_geo_cpu_sysman_find_power(struct geo_finding *finding)
{
    __real_geo_cpu_sysman_find_power(finding);
    if (together) {
        pthread_barrier_wait(&found);
    }
}

static void *asker(void *data)
{
    const struct machine *machine = data;
    uint32_t count;
    return (void *)(uintptr_t)geo_cpu_sysman_components(machine->sysman, GEO_SYSMAN_POWER, &count);
}

/* Each has made a list of its own: one of them is everybody's. */
static void threads_that_ask_at_once_see_the_same(void **state)
{
    (void)state;
    struct machine machine;
    pthread_t threads[THREADS];
    void *seen[THREADS];
    machine_open(&machine, "server2s", 8, 2);
    pthread_barrier_init(&found, NULL, THREADS);
    together = true;
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, asker, &machine), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &seen[i]);
    }
    together = false;
    pthread_barrier_destroy(&found);
    for (int i = 0; i < THREADS; i++) {
        assert_non_null(seen[i]);
        assert_ptr_equal(seen[i], seen[0]);
    }
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), 4);
    machine_close(&machine);
}

/* ---- description ---- */

static void a_machine_is_called_what_its_tables_say(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine.sysman);
    assert_string_equal(device->serial, "PF2ABCDE");
    assert_string_equal(device->board, "L1HF16A00AB");
    assert_string_equal(device->brand, "LENOVO");
    assert_string_equal(device->model, "11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz");
    assert_string_equal(device->vendor, "GenuineIntel");
    assert_string_equal(device->driver_version, "1.2.255");
    assert_null(device->oem_serial);
    assert_null(device->pci);
    assert_false(device->simulated || device->ecc_available || device->ecc_configurable);
    machine_close(&machine);
    machine_open(&machine, "server2s", 8, 2);
    device = geo_cpu_sysman_device(machine.sysman);
    assert_string_equal(device->serial, "unknown"); /* "To be filled by O.E.M." */
    assert_string_equal(device->board, "unknown");
    assert_string_equal(device->brand, "Dell Inc.");
    assert_true(device->ecc_available);
    machine_close(&machine);
    machine_open(&machine, NULL, 2, 0);
    device = geo_cpu_sysman_device(machine.sysman);
    assert_string_equal(device->model, "unknown");
    assert_string_equal(device->vendor, "unknown");
    machine_close(&machine);
}

static void nobody_run(struct machine *machine)
{
    machine_reopen(machine);
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine->sysman);
    assert_string_equal(device->serial, "unknown");
    assert_string_equal(device->brand, "LENOVO");
}

static void serial_numbers_are_not_everybodys(void **state)
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

static void firmware_has_versions(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const char *const names[] = {"BIOS", "Microcode"};
    const char *const versions[] = {"N32ET75W (1.51 )", "0xbc"};
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_sysman_firmware *firmware =
            machine_component(&machine, GEO_SYSMAN_FIRMWARE, i);
        char version[ZES_STRING_PROPERTY_SIZE] = "";
        assert_string_equal(firmware->properties.name, names[i]);
        assert_false(firmware->properties.canControl);
        assert_works(&machine, firmware->ops->version(firmware, version, &machine.why));
        assert_string_equal(version, versions[i]);
        assert_null(firmware->ops->flash);
    }
    machine_close(&machine);
}

static void errors_are_corrected_where_a_controller_says_so(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_device_ops *ops = geo_cpu_sysman_device(machine.sysman)->ops;
    zes_device_ecc_properties_t ecc = {0};
    struct geo_sysman_device_state now;
    assert_works(&machine, ops->ecc_state(machine.sysman, &ecc, &machine.why));
    assert_int_equal(ecc.currentState, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_int_equal(ecc.pendingState, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_int_equal(ecc.pendingAction, ZES_DEVICE_ACTION_NONE);
    machine_write(&machine, EDAC "/mc1/dimm0/dimm_edac_mode", "None");
    assert_works(&machine, ops->ecc_state(machine.sysman, &ecc, &machine.why));
    assert_int_equal(ecc.currentState, ZES_DEVICE_ECC_STATE_DISABLED);
    assert_works(&machine, ops->state(machine.sysman, &now, &machine.why));
    assert_int_equal(now.flags, ZES_DEVICE_STATE_EXT_FLAG_NORMAL);
    assert_int_equal(now.reset, 0);
    assert_int_equal(now.repaired, ZES_REPAIR_STATUS_UNSUPPORTED);
    machine_close(&machine);
    machine_open(&machine, "vm", 2, 0);
    assert_result(&machine, ops->ecc_state(machine.sysman, &ecc, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "controller");
    machine_close(&machine);
}

/* ---- events ---- */

static void what_is_watched_is_noticed_once(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine.sysman);
    const zes_event_type_flags_t both =
        ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED | ZES_EVENT_TYPE_FLAG_MEM_HEALTH;
    struct geo_sysman_watch watch = {0};
    assert_int_equal(device->events, both);
    assert_works(&machine, device->ops->watch(machine.sysman, UINT32_MAX, &watch, &machine.why));
    assert_int_equal(watch.fd, -1);
    assert_true(watch.period_ns != 0);
    assert_int_equal(device->ops->take_events(machine.sysman), 0);
    machine_write(&machine, CPUS "/cpu5/thermal_throttle/core_throttle_count", "1");
    assert_int_equal(device->ops->take_events(machine.sysman), ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED);
    machine_write(&machine, EDAC "/mc0/ue_count", "1");
    assert_int_equal(device->ops->take_events(machine.sysman), ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    assert_int_equal(device->ops->take_events(machine.sysman), 0);
    machine_close(&machine);
}

static void child_run(struct machine *machine)
{
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine->sysman);
    struct geo_sysman_watch watch = {0};
    assert_int_equal(device->ops->take_events(machine->sysman), 0);
    assert_works(machine, device->ops->watch(machine->sysman, ZES_EVENT_TYPE_FLAG_MEM_HEALTH,
                                             &watch, &machine->why));
    assert_int_equal(device->ops->take_events(machine->sysman), 0); /* it has been so before */
}

static void what_a_parent_watches_its_child_does_not(void **state)
{
    (void)state;
    struct machine machine;
    struct geo_sysman_watch watch = {0};
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine.sysman);
    assert_works(&machine, device->ops->watch(machine.sysman, UINT32_MAX, &watch, &machine.why));
    machine_write(&machine, EDAC "/mc0/ue_count", "1");
    bool could = machine_as_nobody(&machine, child_run);
    assert_int_equal(device->ops->take_events(machine.sysman), ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    machine_close(&machine);
    if (!could) {
        skip();
    }
}

static void what_is_not_watched_is_not_noticed(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine.sysman);
    struct geo_sysman_watch watch = {0};
    assert_works(&machine, device->ops->watch(machine.sysman, ZES_EVENT_TYPE_FLAG_MEM_HEALTH,
                                              &watch, &machine.why));
    machine_write(&machine, CPUS "/cpu5/thermal_throttle/core_throttle_count", "1");
    assert_int_equal(device->ops->take_events(machine.sysman), 0);
    assert_works(&machine, device->ops->watch(machine.sysman, ZES_EVENT_TYPE_FLAG_DEVICE_DETACH,
                                              &watch, &machine.why));
    assert_int_equal(watch.period_ns, 0);
    device->ops->unwatch(machine.sysman);
    machine_write(&machine, EDAC "/mc0/ue_count", "1");
    assert_int_equal(device->ops->take_events(machine.sysman), 0);
    machine_close(&machine);
    machine_open(&machine, "vm", 2, 0); /* no counts of heat */
    assert_int_equal(geo_cpu_sysman_device(machine.sysman)->events, ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    machine_close(&machine);
}

/* ---- memory ---- */

/* Behind these are classes without components, which are as empty without memory. */
#define SWEPT_CLASSES (GEO_SYSMAN_DIAGNOSTICS + 1)

static struct machine swept;
static struct geo_sysman *swept_sysman;

static ze_result_t swept_run(void)
{
    const struct geo_cpu_sysman_desc desc = {
        .devices = swept.devices,
        .count = 1 + MACHINE_PARTS,
        .root = swept.root,
    };
    ze_result_t result = geo_cpu_sysman_open(&desc, &swept_sysman);
    for (int kind = 0; result == ZE_RESULT_SUCCESS && kind < SWEPT_CLASSES; kind++) {
        uint32_t count;
        const void *list =
            geo_cpu_sysman_components(swept_sysman, (enum geo_sysman_class)kind, &count);
        if (count != machine_count(&swept, (enum geo_sysman_class)kind) || (count != 0 && !list)) {
            geo_cpu_sysman_close(swept_sysman);
            result = count == 0 ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_UNKNOWN;
        }
    }
    return result;
}

static void swept_undo(void)
{
    geo_cpu_sysman_close(swept_sysman);
}

/* A list is complete, or nobody has it. */
static void lack_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    machine_open(&swept, "server2s", 8, 2);
    for (int kind = 0; kind < SWEPT_CLASSES; kind++) {
        (void)machine_count(&swept, (enum geo_sysman_class)kind);
    }
    sweep_run(
        &(struct sweep){.name = "sysman", .run = swept_run, .undo = swept_undo, .recovers = true});
    machine_close(&swept);
}

/* ---- this machine ---- */

static bool chatty;

static void tell(const char *line)
{
    if (chatty) {
        print_message("%s\n", line);
    }
}

/* The file's number behind a name at the start of a line; -1: there is none. */
static long long number_of(const char *path, const char *name)
{
    char line[512];
    long long number = -1;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, name, strlen(name)) == 0) {
            number = strtoll(line + strlen(name), NULL, 10);
        }
    }
    if (file) {
        fclose(file);
    }
    return number;
}

static void live_open(struct machine *machine)
{
    struct geo_backend *backend;
    memset(machine, 0, sizeof(*machine));
    geo_strbuf_init(&machine->why, 0);
    assert_int_equal(geo_backend_cpu_ops.open(&backend), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_backend_cpu_ops.sysman->open(geo_backend_cpu_ops.device(backend, 0), NULL,
                                                      &machine->sysman),
                     ZE_RESULT_SUCCESS);
}

static void live_close(struct machine *machine)
{
    geo_backend_cpu_ops.sysman->close(machine->sysman);
    geo_strbuf_finish(&machine->why);
}

static void this_machine_answers(void **state)
{
    (void)state;
    struct machine machine;
    struct everything all = {.tell = tell, .diagnose = true};
    live_open(&machine);
    everything_call(&machine, &all);
    assert_true(all.calls > all.failures);
    live_close(&machine);
}

/* Between two readings by hand, whatever else goes on. */
static void this_machines_values_are_those_of_its_files(void **state)
{
    (void)state;
    struct machine machine;
    live_open(&machine);
    uint32_t memories = machine_count(&machine, GEO_SYSMAN_MEMORY);
    if (memories == 1) {
        const struct geo_sysman_memory *memory = machine_component(&machine, GEO_SYSMAN_MEMORY, 0);
        zes_mem_state_t now = {0};
        assert_works(&machine, memory->ops->state(memory, &now, &machine.why));
        assert_true(now.size <= (uint64_t)number_of("/proc/meminfo", "MemTotal:") * 1024);
        assert_true(now.size > 64 << 20 && now.free <= now.size && now.free != 0);
    }
    const struct geo_sysman_engine *engine = machine_component(&machine, GEO_SYSMAN_ENGINE, 0);
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    zes_engine_stats_t a = {0}, b = {0};
    assert_works(&machine, engine->ops->activity(engine, 1, &a, &machine.why));
    clock_t until = clock() + CLOCKS_PER_SEC / 4; /* of work */
    while (clock() < until) {
    }
    assert_works(&machine, engine->ops->activity(engine, 1, &b, &machine.why));
    assert_true(b.timestamp > a.timestamp);
    /* a quarter of a second on one of at most so many, within a few ticks */
    assert_true(b.activeTime - a.activeTime >= 150000u / (uint64_t)cpus);
    live_close(&machine);
}

int main(int argc, char **argv)
{
    (void)argv;
    chatty = argc > 1; /* any argument: the values of this machine are shown */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_have_what_they_show),
        cmocka_unit_test(components_stay_where_they_are),
        cmocka_unit_test(a_narrowed_device_has_its_parts_alone),
        cmocka_unit_test(threads_that_ask_at_once_see_the_same),
        cmocka_unit_test(a_machine_is_called_what_its_tables_say),
        cmocka_unit_test(serial_numbers_are_not_everybodys),
        cmocka_unit_test(firmware_has_versions),
        cmocka_unit_test(errors_are_corrected_where_a_controller_says_so),
        cmocka_unit_test(what_is_watched_is_noticed_once),
        cmocka_unit_test(what_a_parent_watches_its_child_does_not),
        cmocka_unit_test(what_is_not_watched_is_not_noticed),
        cmocka_unit_test(lack_of_memory_leaves_nothing_behind),
        cmocka_unit_test(this_machine_answers),
        cmocka_unit_test(this_machines_values_are_those_of_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
