/* Memory: how much there is, of which kind, and its errors. */
#include "machine_fixture.h"

#include <stdio.h>
#include <unistd.h>

#define EDAC   "/sys/devices/system/edac/mc"
#define GROUPS "/sys/fs/cgroup"
#define TABLES "/sys/firmware/dmi/entries"

static const struct geo_sysman_memory *memory_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_MEMORY, index);
}

static zes_mem_state_t state_read(struct machine *machine, uint32_t index)
{
    const struct geo_sysman_memory *memory = memory_at(machine, index);
    zes_mem_state_t now = {0};
    assert_works(machine, memory->ops->state(memory, &now, &machine->why));
    return now;
}

static void the_machines_memory_is_one_module(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_MEMORY), 1);
    const struct geo_sysman_memory *memory = memory_at(&machine, 0);
    zes_mem_state_t now = state_read(&machine, 0);
    assert_int_equal(memory->properties.physicalSize, 16106360ull * 1024);
    assert_int_equal(memory->properties.location, ZES_MEM_LOC_SYSTEM);
    assert_int_equal(memory->properties.busWidth, -1);
    assert_int_equal(memory->properties.numChannels, -1);
    assert_int_equal(now.size, 16106360ull * 1024);
    assert_int_equal(now.free, 9388984ull * 1024); /* MemAvailable */
    assert_int_equal(now.health, ZES_MEM_HEALTH_UNKNOWN);
    machine_close(&machine);
}

static void parts_have_their_nodes(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_MEMORY), 2);
    const uint64_t sizes[] = {131924552, 132111552}, available[] = {118918728, 103918000};
    for (uint32_t i = 0; i < 2; i++) {
        zes_mem_state_t now = state_read(&machine, i);
        assert_int_equal(memory_at(&machine, i)->base.subdevice, i);
        assert_int_equal(memory_at(&machine, i)->properties.physicalSize, sizes[i] * 1024);
        assert_int_equal(now.size, sizes[i] * 1024);
        assert_int_equal(now.free, available[i] * 1024); /* free, and what files occupy */
        assert_int_equal(now.health, ZES_MEM_HEALTH_OK);
    }
    machine_close(&machine);
}

static void a_device_has_no_more_than_its_share(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "vm", 2, 0);
    machine.devices[0].info.memory_bytes = 1u << 30;
    machine_reopen(&machine);
    assert_int_equal(state_read(&machine, 0).size, 1u << 30);
    assert_int_equal(state_read(&machine, 0).free, 1u << 30);
    assert_int_equal(memory_at(&machine, 0)->properties.physicalSize, 1u << 30);
    machine_close(&machine);
}

/* The tighter of two groups, without what files occupy that nobody uses. */
static void a_container_has_what_its_groups_leave(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "container", 2, 0);
    machine_write(&machine, "/proc/self/cgroup", "0::/outer/inner");
    machine_write(&machine, GROUPS "/memory.max", "max");
    machine_write(&machine, GROUPS "/outer/memory.max", "8000000000");
    machine_write(&machine, GROUPS "/outer/memory.current", "1000000000");
    machine_write(&machine, GROUPS "/outer/inner/memory.max", "4000000000");
    machine_write(&machine, GROUPS "/outer/inner/memory.current", "3000000000");
    machine_reopen(&machine);
    assert_int_equal(state_read(&machine, 0).free, 1000000000);
    machine_write(&machine, GROUPS "/outer/inner/memory.stat", "anon 5\ninactive_file 500000000");
    assert_int_equal(state_read(&machine, 0).free, 1500000000);
    machine_write(&machine, GROUPS "/outer/memory.current", "7900000000");
    assert_int_equal(state_read(&machine, 0).free, 100000000);
    machine_write(&machine, GROUPS "/outer/memory.current", "9000000000");
    assert_int_equal(state_read(&machine, 0).free, 0);
    machine_write(&machine, GROUPS "/outer/memory.max", "max"); /* lifted meanwhile */
    assert_int_equal(state_read(&machine, 0).free, 1500000000);
    machine_close(&machine);
}

static void groups_of_the_first_version_count_as_well(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "container", 2, 0);
    machine_write(&machine, "/proc/self/cgroup",
                  "nonsense\n5:cpu:/docker/x\n4:cpuset,memory:/docker/x\n0::/");
    machine_write(&machine, GROUPS "/memory/memory.limit_in_bytes", "2000000000");
    machine_write(&machine, GROUPS "/memory/memory.usage_in_bytes", "1900000000");
    machine_write(&machine, GROUPS "/memory/memory.stat", "total_inactive_file 300000000");
    machine_reopen(&machine);
    assert_int_equal(state_read(&machine, 0).free, 400000000);
    machine_write(&machine, GROUPS "/memory/memory.limit_in_bytes", "9223372036854771712");
    machine_reopen(&machine);
    assert_int_equal(state_read(&machine, 0).free, 22652136ull * 1024);
    machine_close(&machine);
}

static zes_mem_type_t type_now(struct machine *machine)
{
    machine_reopen(machine);
    return memory_at(machine, 0)->properties.type;
}

/* By the firmware's tables, else by the controllers, else by nobody. */
static void the_kind_of_modules(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_LPDDR4);
    machine_write(&machine, TABLES "/17-1/raw", "short");
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_FORCE_UINT32);
    machine_write(&machine, EDAC "/mc0/ce_count", "0");
    machine_write(&machine, EDAC "/mc0/dimm3/dimm_mem_type", "Low-Power-DDR3-RAM");
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_LPDDR3);
    machine_write(&machine, EDAC "/mc0/dimm3/dimm_mem_type", "Unknown");
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_FORCE_UINT32);
    machine_close(&machine);
    machine_open(&machine, "server2s", 8, 0);
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_DDR5);
    machine_close(&machine);
    machine_open(&machine, "vm", 2, 0);
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_FORCE_UINT32);
    machine_close(&machine);
}

/* An empty place says nothing. */
/* The words are Linux's (edac_mem_types). */
static void controllers_have_words_for_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        zes_mem_type_t type;
    } rows[] = {
        {"Empty", ZES_MEM_TYPE_FORCE_UINT32},
        {"Unbuffered-SDR", ZES_MEM_TYPE_FORCE_UINT32},
        {"Unbuffered-DDR", ZES_MEM_TYPE_DDR},
        {"Registered-DDR", ZES_MEM_TYPE_DDR},
        {"FullyBuffered-DDR2", ZES_MEM_TYPE_DDR2},
        {"Registered-DDR2", ZES_MEM_TYPE_DDR2},
        {"Unbuffered-DDR3", ZES_MEM_TYPE_DDR3},
        {"Load-Reduced-DDR3-RAM", ZES_MEM_TYPE_DDR3},
        {"Low-Power-DDR3-RAM", ZES_MEM_TYPE_LPDDR3},
        {"Registered-DDR4", ZES_MEM_TYPE_DDR4},
        {"Low-Power-DDR4-RAM", ZES_MEM_TYPE_LPDDR4},
        {"Load-Reduced-DDR4-RAM", ZES_MEM_TYPE_DDR4},
        {"Unbuffered-DDR5", ZES_MEM_TYPE_DDR5},
        {"Registered-DDR5", ZES_MEM_TYPE_DDR5},
        {"Load-Reduced-DDR5-RAM", ZES_MEM_TYPE_DDR5},
        {"Non-volatile-RAM", ZES_MEM_TYPE_FORCE_UINT32},
        {"Wide-IO-2", ZES_MEM_TYPE_FORCE_UINT32},
        {"High-bandwidth-memory-Gen2", ZES_MEM_TYPE_HBM2},
        {"High-bandwidth-memory-Gen3", ZES_MEM_TYPE_HBM3},
    };
    struct machine machine;
    machine_open(&machine, "server2s", 8, 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        machine_write(&machine, EDAC "/mc0/dimm0/dimm_mem_type", rows[i].word);
        assert_int_equal(type_now(&machine), rows[i].type);
    }
    machine_close(&machine);
}

static void modules_that_differ_have_no_kind(void **state)
{
    (void)state;
    struct machine machine;
    uint8_t table[0x15] = {17, 0x28};
    machine_open(&machine, "laptop", 4, 0);
    machine_bytes(&machine, TABLES "/17-1/raw", table, sizeof(table));
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_LPDDR4);
    table[0x0d] = 0x20; /* 8 GiB */
    table[0x12] = 0x22; /* DDR5 */
    machine_bytes(&machine, TABLES "/17-1/raw", table, sizeof(table));
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_FORCE_UINT32);
    const uint8_t others[] = {0x08, 0x09, 0x0c,
                              0x1f}; /* chips of firmware, modules that keep data */
    for (size_t i = 0; i < sizeof(others); i++) {
        table[0x12] = others[i];
        machine_bytes(&machine, TABLES "/17-1/raw", table, sizeof(table));
        assert_int_equal(type_now(&machine), ZES_MEM_TYPE_LPDDR4);
    }
    table[0x12] = 0x22;
    machine_bytes(&machine, TABLES "/17-1/raw", table, sizeof(table));
    machine_remove(&machine, TABLES "/17-0/raw");
    assert_int_equal(rmdir(machine_path(&machine, TABLES "/17-0")), 0);
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_DDR5);
    table[0] = 16;
    machine_bytes(&machine, TABLES "/17-1/raw", table, sizeof(table));
    assert_int_equal(type_now(&machine), ZES_MEM_TYPE_FORCE_UINT32);
    machine_close(&machine);
}

static void health_follows_errors(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 0);
    assert_int_equal(state_read(&machine, 0).health, ZES_MEM_HEALTH_OK); /* all corrected */
    machine_write(&machine, EDAC "/mc1/ue_count", "1");
    assert_int_equal(state_read(&machine, 0).health, ZES_MEM_HEALTH_DEGRADED);
    machine_close(&machine);
    machine_open(&machine, "amd", 2, 0);
    assert_int_equal(state_read(&machine, 0).health, ZES_MEM_HEALTH_CRITICAL);
    const struct geo_sysman_memory *memory = memory_at(&machine, 0);
    uint32_t pages = 0, most = 0;
    assert_works(&machine, memory->ops->pages_offline(memory, &pages, &most, &machine.why));
    assert_int_equal(pages, 8192 / sysconf(_SC_PAGESIZE));
    assert_int_equal(most, 65796004ull * 1024 / (uint64_t)sysconf(_SC_PAGESIZE));
    machine_close(&machine);
}

static void memory_that_is_not_told_is_not_available(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "vm", 2, 0);
    const struct geo_sysman_memory *memory = memory_at(&machine, 0);
    zes_mem_state_t now = {.size = 3};
    uint32_t pages = 0, most = 0;
    assert_result(&machine, memory->ops->pages_offline(memory, &pages, &most, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "HardwareCorrupted");
    const char *const texts[] = {"",
                                 "MemTotal:",
                                 "MemTotal: x kB\nMemFree: 1 kB",
                                 "MemFree: 1 kB",
                                 ":::",
                                 "MemTotal: 99999999999999999999 kB\nMemFree: 1 kB"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        machine_write(&machine, "/proc/meminfo", texts[i]);
        assert_result(&machine, memory->ops->state(memory, &now, &machine.why),
                      ZE_RESULT_ERROR_NOT_AVAILABLE, "/proc/meminfo has no MemTotal");
    }
    machine_remove(&machine, "/proc/meminfo");
    assert_result(&machine, memory->ops->state(memory, &now, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "/proc/meminfo");
    assert_int_equal(now.size, 3);
    machine_close(&machine);
}

/* ---- errors ---- */

static const struct geo_sysman_ras *ras_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_RAS, index);
}

static uint64_t errors_read(struct machine *machine, uint32_t index)
{
    const struct geo_sysman_ras *ras = ras_at(machine, index);
    uint64_t counter = 99;
    assert_works(machine, ras->ops->counters(ras, &counter, &machine->why));
    return counter;
}

static void errors_are_the_controllers_sum(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_RAS), 2);
    const zes_ras_error_type_t types[] = {ZES_RAS_ERROR_TYPE_CORRECTABLE,
                                          ZES_RAS_ERROR_TYPE_UNCORRECTABLE};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(ras_at(&machine, i)->properties.type, types[i]);
        assert_int_equal(ras_at(&machine, i)->category_count, 1);
        assert_int_equal(ras_at(&machine, i)->categories[0],
                         ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS);
    }
    machine_write(&machine, EDAC "/mc0/ue_count", "2");
    machine_write(&machine, EDAC "/mc1/ue_count", "3");
    assert_int_equal(errors_read(&machine, 0), machine_number(&machine, EDAC "/mc0/ce_count") +
                                                   machine_number(&machine, EDAC "/mc1/ce_count"));
    assert_int_equal(errors_read(&machine, 1), 5);
    machine_close(&machine);
}

static void errors_are_cleared_at_every_controller(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_ras *ras = ras_at(&machine, 0);
    assert_works(&machine, ras->ops->clear(ras, 0, &machine.why));
    machine_mode(&machine, EDAC "/mc0/reset_counters", 0600);
    machine_mode(&machine, EDAC "/mc1/reset_counters", 0600);
    assert_int_equal(machine_number(&machine, EDAC "/mc0/reset_counters"), 1);
    assert_int_equal(machine_number(&machine, EDAC "/mc1/reset_counters"), 1);
    uint64_t counter = 0;
    machine_write(&machine, EDAC "/mc1/ce_count", "-1");
    assert_result(&machine, ras->ops->counters(ras, &counter, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "mc1/ce_count");
    machine_remove(&machine, EDAC "/mc1/ce_count");
    machine_remove(&machine, EDAC "/mc0/ce_count");
    assert_result(&machine, ras->ops->counters(ras, &counter, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, EDAC);
    machine_close(&machine);
}

static void nobody_run(struct machine *machine)
{
    const struct geo_sysman_ras *ras = ras_at(machine, 0);
    assert_result(machine, ras->ops->clear(ras, 0, &machine->why),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "mc0/reset_counters");
}

static void who_has_no_rights_clears_nothing(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    bool could = machine_as_nobody(&machine, nobody_run);
    machine_close(&machine);
    if (!could) {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machines_memory_is_one_module),
        cmocka_unit_test(parts_have_their_nodes),
        cmocka_unit_test(a_device_has_no_more_than_its_share),
        cmocka_unit_test(a_container_has_what_its_groups_leave),
        cmocka_unit_test(groups_of_the_first_version_count_as_well),
        cmocka_unit_test(the_kind_of_modules),
        cmocka_unit_test(controllers_have_words_for_kinds),
        cmocka_unit_test(modules_that_differ_have_no_kind),
        cmocka_unit_test(health_follows_errors),
        cmocka_unit_test(memory_that_is_not_told_is_not_available),
        cmocka_unit_test(errors_are_the_controllers_sum),
        cmocka_unit_test(errors_are_cleared_at_every_controller),
        cmocka_unit_test(who_has_no_rights_clears_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
