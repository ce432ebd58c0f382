/* Machines that were recorded, and shapes that recordings of others have: what must be found in
 * each. Figures are those of other programs at the time (named in the trees' heads), or reckoned by
 * hand from the lines of /proc. */
#include "machine_fixture.h"

#include <stdio.h>
#include <unistd.h>

#define CPUS "/sys/devices/system/cpu"
#define EDAC "/sys/devices/system/edac/mc"

static void expect_counts(const struct machine *machine,
                          const uint32_t counts[GEO_SYSMAN_CLASS_COUNT])
{
    for (int kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
        assert_int_equal(machine_count(machine, (enum geo_sysman_class)kind), counts[kind]);
    }
}

static void expect_active(struct machine *machine, uint32_t index, int32_t part, uint64_t us)
{
    const struct geo_sysman_engine *engine = machine_component(machine, GEO_SYSMAN_ENGINE, index);
    zes_engine_stats_t stats = {0};
    assert_works(machine, engine->ops->activity(engine, 1, &stats, &machine->why));
    assert_int_equal(engine->base.subdevice, part);
    assert_int_equal(stats.activeTime, us);
}

static void expect_sizes(struct machine *machine, uint32_t index, zes_mem_type_t type,
                         uint64_t size, uint64_t left)
{
    const struct geo_sysman_memory *memory = machine_component(machine, GEO_SYSMAN_MEMORY, index);
    zes_mem_state_t now = {0};
    assert_works(machine, memory->ops->state(memory, &now, &machine->why));
    assert_int_equal(memory->properties.type, type);
    assert_int_equal(memory->properties.physicalSize, size);
    assert_int_equal(now.size, size);
    assert_int_equal(now.free, left);
}

static void expect_names(const struct machine *machine, const char *brand, const char *vendor,
                         const char *model)
{
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine->sysman);
    assert_string_equal(device->brand, brand);
    assert_string_equal(device->vendor, vendor);
    assert_string_equal(device->model, model);
}

/* ---- recorded ---- */

static const uint32_t bare[GEO_SYSMAN_CLASS_COUNT] = {
    [GEO_SYSMAN_ENGINE] = 1,
    [GEO_SYSMAN_SCHEDULER] = 1,
    [GEO_SYSMAN_MEMORY] = 1,
    [GEO_SYSMAN_DIAGNOSTICS] = 2,
};

static void a_guest_of_two_cpus(void **state)
{
    (void)state;
    struct machine machine;
    machine_open_whole(&machine, "vm");
    expect_counts(&machine, bare);
    expect_names(&machine, "unknown", "GenuineIntel", "Intel(R) Xeon(R) Processor");
    expect_active(&machine, 0, -1, 1714115000);
    expect_sizes(&machine, 0, ZES_MEM_TYPE_FORCE_UINT32, 25276502016, 23183073280);
    machine_close(&machine);
}

static void a_container_without_sys(void **state)
{
    (void)state;
    struct machine machine;
    machine_open_whole(&machine, "container");
    assert_int_not_equal(access(machine_path(&machine, "/sys"), F_OK), 0);
    expect_counts(&machine, bare);
    expect_names(&machine, "unknown", "GenuineIntel", "Intel(R) Xeon(R) Processor");
    expect_active(&machine, 0, -1, 1714490000);
    expect_sizes(&machine, 0, ZES_MEM_TYPE_FORCE_UINT32, 25276502016, 23195787264);
    machine_close(&machine);
}

/* The platform's counter alone is one that stands still. */
static void a_guest_beside_gpus_counts_no_energy(void **state)
{
    (void)state;
    struct machine machine;
    machine_open_whole(&machine, "vm_gpu");
    assert_int_equal(access(machine_path(&machine, "/sys/bus/event_source/devices/power/events/"
                                                   "energy-psys"),
                            F_OK),
                     0);
    expect_counts(&machine, bare);
    expect_names(&machine, "unknown", "GenuineIntel", "Intel(R) Xeon(R) Processor");
    expect_active(&machine, 0, -1, 433750);
    expect_sizes(&machine, 0, ZES_MEM_TYPE_FORCE_UINT32, 135148564480, 134632501248);
    machine_close(&machine);
}

/* dmidecode: one module of 4 GB, type "RAM". The control group leaves a part of each node. */
static void a_guest_of_two_nodes_with_tables(void **state)
{
    (void)state;
    struct machine machine;
    char version[ZES_STRING_PROPERTY_SIZE] = "";
    machine_open_whole(&machine, "vm_nodes");
    expect_counts(&machine, (const uint32_t[GEO_SYSMAN_CLASS_COUNT]){[GEO_SYSMAN_ENGINE] = 2,
                                                                     [GEO_SYSMAN_SCHEDULER] = 1,
                                                                     [GEO_SYSMAN_FIRMWARE] = 1,
                                                                     [GEO_SYSMAN_MEMORY] = 2,
                                                                     [GEO_SYSMAN_DIAGNOSTICS] = 2});
    expect_names(&machine, "QEMU", "GenuineIntel", "Intel Xeon Processor (Skylake)");
    assert_string_equal(geo_cpu_sysman_device(machine.sysman)->serial, "XXX-XXXXXX-1111");
    assert_int_equal(machine.devices[0].crew.place_count, 7);
    expect_active(&machine, 0, 0, 1662500);
    expect_active(&machine, 1, 1, 843333); /* CPUs 4, 6 and 7 */
    const uint64_t left = (UINT64_C(1) << 30) - 11513856;
    expect_sizes(&machine, 0, ZES_MEM_TYPE_FORCE_UINT32, 2044416000, left);
    expect_sizes(&machine, 1, ZES_MEM_TYPE_FORCE_UINT32, 2065534976, left);
    const struct geo_sysman_firmware *bios = machine_component(&machine, GEO_SYSMAN_FIRMWARE, 0);
    assert_works(&machine, bios->ops->version(bios, version, &machine.why));
    assert_string_equal(version, "1.16.2-test");
    machine_close(&machine);
}

/* ---- arm64 ---- */

static void a_server_of_arm64(void **state)
{
    (void)state;
    struct machine machine;
    machine_open_whole(&machine, "arm64");
    expect_counts(&machine, (const uint32_t[GEO_SYSMAN_CLASS_COUNT]){[GEO_SYSMAN_FREQUENCY] = 2,
                                                                     [GEO_SYSMAN_ENGINE] = 2,
                                                                     [GEO_SYSMAN_SCHEDULER] = 1,
                                                                     [GEO_SYSMAN_FIRMWARE] = 1,
                                                                     [GEO_SYSMAN_MEMORY] = 2,
                                                                     [GEO_SYSMAN_RAS] = 2,
                                                                     [GEO_SYSMAN_DIAGNOSTICS] = 2});
    expect_names(&machine, "Huawei", "HiSilicon", "HiSilicon CPU 0xd01");
    assert_string_equal(geo_cpu_sysman_device(machine.sysman)->serial, "unknown");
    expect_sizes(&machine, 0, ZES_MEM_TYPE_DDR4, UINT64_C(131732940) << 10,
                 UINT64_C(118918728) << 10);
    machine_close(&machine);
}

/* Between 13 (338 MHz) and 108 (2808 MHz), 32 is a fifth of the way: 832 MHz. */
static void the_efficient_clock_is_the_tables(void **state)
{
    (void)state;
    struct machine machine;
    zes_freq_state_t now = {0};
    machine_open_whole(&machine, "arm64");
    const struct geo_sysman_frequency *frequency =
        machine_component(&machine, GEO_SYSMAN_FREQUENCY, 0);
    assert_works(&machine, frequency->ops->state(frequency, &now, &machine.why));
    assert_true(now.efficient == 832);
    frequency = machine_component(&machine, GEO_SYSMAN_FREQUENCY, 1); /* firmware without clocks */
    assert_works(&machine, frequency->ops->state(frequency, &now, &machine.why));
    assert_true(now.efficient == -1);
    machine_close(&machine);
}

static void names_are_without_blanks_around_them(void **state)
{
    (void)state;
    struct machine machine;
    machine_open_whole(&machine, "arm64");
    machine_write(
        &machine, "/proc/cpuinfo",
        "vendor_id\t: AuthenticAMD\nmodel name\t: AMD Opteron(TM) Processor 6276        ");
    machine_reopen(&machine);
    expect_names(&machine, "Huawei", "AuthenticAMD", "AMD Opteron(TM) Processor 6276");
    machine_write(&machine, "/proc/cpuinfo", "CPU implementer\t: 0x99\nCPU part\t: 0x001");
    machine_reopen(&machine);
    expect_names(&machine, "Huawei", "unknown", "arm64 CPU 0x001");
    machine_close(&machine);
}

/* ---- what is there at times ---- */

/* mc1 and mc3: the others' places have no memory. */
static void controllers_need_not_be_numbered_through(void **state)
{
    (void)state;
    struct machine machine;
    machine_open_whole(&machine, "arm64");
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_sysman_ras *ras = machine_component(&machine, GEO_SYSMAN_RAS, i);
        uint64_t count = 0;
        assert_works(&machine, ras->ops->counters(ras, &count, &machine.why));
        assert_int_equal(count, ras->properties.type == ZES_RAS_ERROR_TYPE_CORRECTABLE ? 7 : 1);
    }
    const struct geo_sysman_ras *ras = machine_component(&machine, GEO_SYSMAN_RAS, 0);
    assert_works(&machine, ras->ops->clear(ras, 0, &machine.why));
    machine_mode(&machine, EDAC "/mc3/reset_counters", 0600);
    assert_int_equal(machine_number(&machine, EDAC "/mc3/reset_counters"), 1);
    machine_close(&machine);
}

/* A file that is there and is not to be had: EBUSY of a policy, EIO here. */
static void silence(const struct machine *machine, const char *path)
{
    machine_remove(machine, path);
    assert_int_equal(symlink("/proc/self/mem", machine_path(machine, path)), 0);
}

static void policy_rest(const struct machine *machine, int policy)
{
    static const char *const files[] = {"scaling_min_freq", "scaling_max_freq", "scaling_cur_freq",
                                        "scaling_setspeed"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), CPUS "/cpufreq/policy%d/%s", policy, files[i]);
        silence(machine, path);
    }
}

static void cpus_that_are_switched_off_do_not_silence_others(void **state)
{
    (void)state;
    struct machine machine;
    zes_freq_state_t now = {0};
    zes_freq_range_t range = {0};
    machine_open(&machine, "arm64", 4, 0);
    const struct geo_sysman_frequency *frequency =
        machine_component(&machine, GEO_SYSMAN_FREQUENCY, 0);
    policy_rest(&machine, 0);
    policy_rest(&machine, 3);
    assert_works(&machine, frequency->ops->state(frequency, &now, &machine.why));
    assert_true(now.actual == (2808.0 + 3900) / 2);
    assert_works(&machine, frequency->ops->range(frequency, &range, &machine.why));
    assert_true(range.min == 338 && range.max == 3900);
    range = (zes_freq_range_t){1500, 2000};
    assert_works(&machine, frequency->ops->set_range(frequency, &range, &machine.why));
    assert_int_equal(machine_number(&machine, CPUS "/cpufreq/policy2/scaling_max_freq"), 2000000);
    policy_rest(&machine, 1);
    policy_rest(&machine, 2);
    assert_result(&machine, frequency->ops->state(frequency, &now, &machine.why),
                  ZE_RESULT_ERROR_NOT_AVAILABLE, "policy0");
    assert_result(&machine, frequency->ops->range(frequency, &range, &machine.why),
                  ZE_RESULT_ERROR_NOT_AVAILABLE, "policy0");
    assert_result(&machine, frequency->ops->set_range(frequency, &range, &machine.why),
                  ZE_RESULT_ERROR_NOT_AVAILABLE, "policy0");
    machine_close(&machine);
}

/* Before Linux 4.3 each CPU had its policy's files, all but one through a link. */
static void policies_were_the_cpus(void **state)
{
    (void)state;
    struct machine machine;
    zes_freq_state_t now = {0};
    machine_open(&machine, "arm64", 4, 0);
    for (int i = 0; i < 4; i++) {
        char from[256], to[256];
        snprintf(from, sizeof(from), "%s" CPUS "/cpufreq/policy%d", machine.root, i);
        snprintf(to, sizeof(to), "%s" CPUS "/cpu%d/cpufreq", machine.root, i);
        assert_int_equal(i == 1 ? symlink("../cpu0/cpufreq", to) : rename(from, to), 0);
    }
    char rest[256];
    snprintf(rest, sizeof(rest), "%s" CPUS "/cpufreq", machine.root);
    assert_int_equal(rename(rest, machine_path(&machine, "/elsewhere")), 0);
    machine_write(&machine, CPUS "/cpu0/cpufreq/affected_cpus", "0 1");
    machine_reopen(&machine);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_FREQUENCY), 1);
    const struct geo_sysman_frequency *frequency =
        machine_component(&machine, GEO_SYSMAN_FREQUENCY, 0);
    assert_works(&machine, frequency->ops->state(frequency, &now, &machine.why));
    assert_true(now.actual == (2808.0 + 2808 + 3900 + 3900) / 4);
    assert_true(frequency->properties.min == 338 && frequency->properties.max == 3900);
    machine_close(&machine);
}

/* The sensor of a core goes with its CPUs; others answer at times only. */
static void sensors_that_went_do_not_silence_others(void **state)
{
    (void)state;
    struct machine machine;
    double celsius = 0;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_temperature *cores =
        machine_component(&machine, GEO_SYSMAN_TEMPERATURE, 1);
    machine_remove(&machine, "/sys/class/hwmon/hwmon6/temp5_input");
    silence(&machine, "/sys/class/hwmon/hwmon6/temp2_input");
    assert_works(&machine, cores->ops->state(cores, &celsius, &machine.why));
    assert_true(celsius == 44);
    silence(&machine, "/sys/class/hwmon/hwmon6/temp3_input");
    machine_remove(&machine, "/sys/class/hwmon/hwmon6/temp4_input");
    assert_result(&machine, cores->ops->state(cores, &celsius, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "temp5_input");
    assert_true(celsius == 44);
    machine_close(&machine);
}

static void packages_have_had_other_labels(void **state)
{
    (void)state;
    static const char *const labels[] = {"Physical id 0", "SoC Temperature", "Package id 0"};
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        machine_write(&machine, "/sys/class/hwmon/hwmon6/temp1_label", labels[i]);
        machine_write(&machine, "/sys/class/hwmon/hwmon6/name", i == 1 ? "apm_xgene" : "coretemp");
        machine_reopen(&machine);
        const struct geo_sysman_temperature *package =
            machine_component(&machine, GEO_SYSMAN_TEMPERATURE, 0);
        assert_int_equal(package->properties.type, ZES_TEMP_SENSORS_GLOBAL);
        assert_int_equal(machine_count(&machine, GEO_SYSMAN_TEMPERATURE), 2);
    }
    machine_close(&machine);
}

/* An Opteron: one sensor, no label, no more than a maximum. */
static void processors_before_zen_have_no_labels(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "amd", 2, 0);
    machine_remove(&machine, "/sys/class/hwmon/hwmon0/temp1_label");
    machine_write(&machine, "/sys/class/hwmon/hwmon0/temp1_max", "70000");
    machine_reopen(&machine);
    const struct geo_sysman_temperature *package =
        machine_component(&machine, GEO_SYSMAN_TEMPERATURE, 0);
    double celsius = 0;
    assert_int_equal(package->properties.type, ZES_TEMP_SENSORS_GLOBAL);
    assert_true(package->properties.maxTemperature == 70);
    assert_works(&machine, package->ops->state(package, &celsius, &machine.why));
    assert_true(celsius == 57.125);
    machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_of_two_cpus),
        cmocka_unit_test(a_container_without_sys),
        cmocka_unit_test(a_guest_beside_gpus_counts_no_energy),
        cmocka_unit_test(a_guest_of_two_nodes_with_tables),
        cmocka_unit_test(a_server_of_arm64),
        cmocka_unit_test(the_efficient_clock_is_the_tables),
        cmocka_unit_test(names_are_without_blanks_around_them),
        cmocka_unit_test(controllers_need_not_be_numbered_through),
        cmocka_unit_test(cpus_that_are_switched_off_do_not_silence_others),
        cmocka_unit_test(policies_were_the_cpus),
        cmocka_unit_test(sensors_that_went_do_not_silence_others),
        cmocka_unit_test(packages_have_had_other_labels),
        cmocka_unit_test(processors_before_zen_have_no_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
