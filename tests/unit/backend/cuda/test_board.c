/* What there is once for a GPU: who it is, its state, error correction, the PCI link, processes. */
#include "gpu_fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- identity, state ---- */

static void who_it_is(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 1);
    const struct geo_sysman_device *about = gpus_about(&gpus);
    assert_string_equal(about->serial, "1651223000001");
    assert_string_equal(about->board, "692-2G520-0001-000");
    assert_string_equal(about->brand, "NVIDIA");
    assert_string_equal(about->model, "NVIDIA H100 80GB HBM3 #1");
    assert_string_equal(about->vendor, "NVIDIA Corporation");
    assert_string_equal(about->driver_version, "550.54.15");
    assert_null(about->oem_serial);
    assert_false(about->simulated);
    gpus_close(&gpus);
}

static void what_nobody_says_is_unknown(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    gpus_fail(&gpus, DeviceGetSerial, GEO_NVML_NOT_SUPPORTED);
    gpus_fail(&gpus, DeviceGetBoardPartNumber, GEO_NVML_NOT_SUPPORTED);
    gpus_fail(&gpus, DeviceGetBrand, GEO_NVML_NOT_SUPPORTED);
    gpus_fail(&gpus, SystemGetDriverVersion, GEO_NVML_UNKNOWN);
    gpus_sysman(&gpus, 0, NULL);
    assert_string_equal(gpus_about(&gpus)->serial, "unknown");
    assert_string_equal(gpus_about(&gpus)->board, "unknown");
    assert_string_equal(gpus_about(&gpus)->brand, "unknown");
    assert_string_equal(gpus_about(&gpus)->driver_version, "unknown");
    gpus_close(&gpus);
}

static struct geo_sysman_device_state state_read(struct gpus *gpus)
{
    struct geo_sysman_device_state state = {0};
    assert_works(gpus, gpus_about(gpus)->ops->state(gpus->sysman, &state, &gpus->why));
    return state;
}

/* SYS-6 */
static void state_says_why_a_reset_is_wanted(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    struct geo_sysman_device_state state = state_read(&gpus);
    assert_int_equal(state.reset, 0);
    assert_int_equal(state.repaired, ZES_REPAIR_STATUS_NOT_PERFORMED);
    assert_int_equal(state.flags, ZES_DEVICE_STATE_EXT_FLAG_NORMAL);
    gpus_state(&gpus, 0)->remapped[1] = 1;
    assert_int_equal(state_read(&gpus).repaired, ZES_REPAIR_STATUS_PERFORMED);
    gpus_state(&gpus, 0)->remapped[2] = 1;
    state = state_read(&gpus);
    assert_int_equal(state.repaired, ZES_REPAIR_STATUS_NOT_PERFORMED);
    assert_int_equal(state.reset, ZES_RESET_REASON_FLAG_REPAIR);
    gpus_state(&gpus, 0)->remapped[2] = 0;
    gpus_state(&gpus, 0)->recovery_action = 1;
    state = state_read(&gpus);
    assert_int_equal(state.reset, ZES_RESET_REASON_FLAG_WEDGED);
    assert_int_equal(state.flags, ZES_DEVICE_STATE_EXT_FLAG_WEDGED);
    gpus_state(&gpus, 0)->recovery_action = 0;
    gpus_fail(&gpus, DeviceGetMemoryInfo_v2, GEO_NVML_GPU_IS_LOST);
    gpus_fail(&gpus, DeviceGetMemoryInfo, GEO_NVML_GPU_IS_LOST);
    gpus_fail(&gpus, DeviceGetRemappedRows, GEO_NVML_GPU_IS_LOST);
    state = state_read(&gpus);
    assert_int_equal(state.reset, ZES_RESET_REASON_FLAG_WEDGED);
    assert_int_equal(state.repaired, ZES_REPAIR_STATUS_UNSUPPORTED);
    gpus_close(&gpus);
}

static void nothing_resets_a_gpu(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_null(gpus_about(&gpus)->ops->reset);
    assert_null(gpus_about(&gpus)->ops->pci_set_downgrade);
    gpus_close(&gpus);
}

/* SYC-10 */
static void error_correction_changes_with_a_reset(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_device_ecc_properties_t ecc = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_device *about = gpus_about(&gpus);
    assert_true(about->ecc_available && about->ecc_configurable);
    assert_int_equal(about->ecc_default, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_works(&gpus, about->ops->ecc_state(gpus.sysman, &ecc, &gpus.why));
    assert_int_equal(ecc.currentState, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_int_equal(ecc.pendingState, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_int_equal(ecc.pendingAction, ZES_DEVICE_ACTION_NONE);
    assert_works(&gpus,
                 about->ops->ecc_set(gpus.sysman, ZES_DEVICE_ECC_STATE_DISABLED, &ecc, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->ecc_then, 0);
    assert_int_equal(ecc.currentState, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_int_equal(ecc.pendingState, ZES_DEVICE_ECC_STATE_DISABLED);
    assert_int_equal(ecc.pendingAction, ZES_DEVICE_ACTION_WARM_CARD_RESET);
    gpus_fail(&gpus, DeviceSetEccMode, GEO_NVML_NO_PERMISSION);
    assert_result(
        &gpus, about->ops->ecc_set(gpus.sysman, ZES_DEVICE_ECC_STATE_ENABLED, &ecc, &gpus.why),
        ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "nvmlDeviceSetEccMode: Insufficient Permissions");
    gpus_close(&gpus);
}

static void a_gpu_without_error_correction_has_none(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    gpus_fail(&gpus, DeviceGetEccMode, GEO_NVML_NOT_SUPPORTED);
    gpus_fail(&gpus, DeviceGetDefaultEccMode, GEO_NVML_NOT_SUPPORTED);
    gpus_sysman(&gpus, 0, NULL);
    assert_false(gpus_about(&gpus)->ecc_available || gpus_about(&gpus)->ecc_configurable);
    assert_int_equal(gpus_about(&gpus)->ecc_default, ZES_DEVICE_ECC_STATE_UNAVAILABLE);
    gpus_close(&gpus);
}

/* ---- the PCI link ---- */

/* SYS-9 */
static void the_link_is_described(void **unused)
{
    (void)unused;
    struct gpus gpus;
    struct geo_sysman_pci_state state = {.link.status = ZES_PCI_LINK_STATUS_FORCE_UINT32};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 1);
    const struct geo_sysman_device *about = gpus_about(&gpus);
    assert_int_equal(about->pci->address.domain, 1);
    assert_int_equal(about->pci->address.bus, 0x1c);
    assert_int_equal(about->pci->address.device, 2);
    assert_int_equal(about->pci->address.function, 1);
    assert_int_equal(about->pci->maxSpeed.gen, 5);
    assert_int_equal(about->pci->maxSpeed.width, 16);
    /* 32 GT/s by 128 of 130 bits, 16 lanes, both directions */
    assert_in_range(about->pci->maxSpeed.maxBandwidth, 126030000000, 126031000000);
    assert_int_equal(about->pci_max_generation, 6);
    assert_true(about->pci->haveBandwidthCounters && about->pci->haveReplayCounters);
    assert_false(about->pci->havePacketCounters);
    gpus_state(&gpus, 1)->link_generation = 1; /* at rest */
    assert_works(&gpus, about->ops->pci_state(gpus.sysman, &state, &gpus.why));
    assert_int_equal(state.link.speed.gen, 1);
    assert_int_equal(state.link.speed.width, 16);
    assert_int_equal(state.link.speed.maxBandwidth, 2 * 16 * 250000000ll);
    assert_int_equal(state.link.status, ZES_PCI_LINK_STATUS_GOOD);
    assert_int_equal(state.link.qualityIssues, 0);
    gpus_state(&gpus, 1)->link_width = 8;
    assert_works(&gpus, about->ops->pci_state(gpus.sysman, &state, &gpus.why));
    assert_int_equal(state.link.status, ZES_PCI_LINK_STATUS_QUALITY_ISSUES);
    assert_int_equal(state.link.qualityIssues, ZES_PCI_LINK_QUAL_ISSUE_FLAG_SPEED);
    gpus_close(&gpus);
}

static void what_the_link_has_carried(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_pci_stats_t stats = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 1);
    assert_works(&gpus, gpus_about(&gpus)->ops->pci_stats(gpus.sysman, &stats, &gpus.why));
    assert_int_equal(stats.replayCounter, 8);
    assert_int_equal(stats.rxCounter, 1000001);
    assert_int_equal(stats.txCounter, 2000001);
    assert_int_equal(stats.packetCounter, 0);
    assert_int_equal(stats.speed.gen, 5);
    assert_true(stats.timestamp != 0);
    gpus_sysman(&gpus, 2, NULL); /* has no counters of bytes */
    assert_false(gpus_about(&gpus)->pci->haveBandwidthCounters);
    assert_works(&gpus, gpus_about(&gpus)->ops->pci_stats(gpus.sysman, &stats, &gpus.why));
    assert_int_equal(stats.rxCounter + stats.txCounter, 0);
    assert_int_equal(stats.replayCounter, 9);
    gpus_fail(&gpus, DeviceGetPcieReplayCounter, GEO_NVML_NOT_SUPPORTED);
    gpus_sysman(&gpus, 2, NULL);
    assert_unsupported(&gpus, gpus_about(&gpus)->ops->pci_stats(gpus.sysman, &stats, &gpus.why),
                       "no counters");
    gpus_close(&gpus);
}

static void a_gpu_off_the_bus_has_no_link(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    gpus_fail(&gpus, DeviceGetPciInfo, GEO_NVML_UNKNOWN);
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_SUCCESS);
    gpus_sysman(&gpus, 0, NULL);
    assert_null(gpus_about(&gpus)->pci);
    assert_int_equal(gpus_about(&gpus)->bar_count, 0);
    gpus_close(&gpus);
}

/* ---- windows ---- */

static char root[] = "/tmp/geoid-gpu-XXXXXX";

static void system_write(const char *name, const char *text)
{
    char path[256];
    static const char *const folders[] = {"/sys", "/sys/bus", "/sys/bus/pci",
                                          "/sys/bus/pci/devices",
                                          "/sys/bus/pci/devices/0001:1b:02.0"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", root, folders[i]);
        (void)mkdir(path, 0755);
    }
    snprintf(path, sizeof(path), "%s%s/%s", root, folders[4], name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void windows_are_the_systems_to_tell(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_about(&gpus)->bar_count, 1); /* the one that NVML knows */
    assert_int_equal(gpus_about(&gpus)->bars[0].size, 128ull << 30);
    assert_int_equal(gpus_about(&gpus)->bars[0].base, 0);
    assert_int_equal(gpus_about(&gpus)->bars[0].type, ZES_PCI_BAR_TYPE_MEM);
    assert_non_null(mkdtemp(root));
    system_write("resource", "0x00000000de000000 0x00000000deffffff 0x0000000000040200\n"
                             "0x0000002000000000 0x0000003fffffffff 0x000000000014220c\n"
                             "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                             "0x0000004000000000 0x0000004001ffffff 0x000000000014220c\n"
                             "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                             "0x000000000000e000 0x000000000000e07f 0x0000000000040101\n"
                             "0x00000000df000000 0x00000000df07ffff 0x0000000000046200\n"
                             "0x0000005000000000 0x0000005fffffffff 0x000000000014220c\n");
    gpus_sysman(&gpus, 0, root);
    static const struct {
        uint32_t index;
        zes_pci_bar_type_t type;
        uint64_t base, size;
    } expected[] = {
        {0, ZES_PCI_BAR_TYPE_MMIO, 0xde000000, 16ull << 20},
        {1, ZES_PCI_BAR_TYPE_MEM, 0x2000000000, 128ull << 30},
        {3, ZES_PCI_BAR_TYPE_MMIO, 0x4000000000, 32ull << 20},
        {6, ZES_PCI_BAR_TYPE_ROM, 0xdf000000, 512ull << 10},
    };
    assert_int_equal(gpus_about(&gpus)->bar_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const zes_pci_bar_properties_1_2_t *bar = &gpus_about(&gpus)->bars[i];
        assert_int_equal(bar->index, expected[i].index);
        assert_int_equal(bar->type, expected[i].type);
        assert_int_equal(bar->base, expected[i].base);
        assert_int_equal(bar->size, expected[i].size);
        assert_false(bar->resizableBarSupported || bar->resizableBarEnabled);
    }
    system_write("resource1_resize", "0\n");
    gpus_sysman(&gpus, 0, root);
    assert_true(gpus_about(&gpus)->bars[1].resizableBarSupported);
    assert_true(gpus_about(&gpus)->bars[1].resizableBarEnabled);
    assert_false(gpus_about(&gpus)->bars[0].resizableBarSupported);
    system_write("resource", "not a number\n0x1\n\n");
    gpus_sysman(&gpus, 0, root);
    assert_int_equal(gpus_about(&gpus)->bar_count, 1);
    gpus_close(&gpus);
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

/* ---- processes ---- */

/* SYS-7 */
static void processes_compute_draw_or_both(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_process_state_t processes[4] = {{0}};
    uint32_t count = 4;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    struct fake_gpu *gpu = gpus_state(&gpus, 0);
    const struct geo_sysman_device_ops *ops = gpus_about(&gpus)->ops;
    gpu->computing[0] = (geo_nvml_process){.pid = 11, .bytes = 1000};
    gpu->computing[1] = (geo_nvml_process){.pid = 12, .bytes = ~0ull}; /* not told */
    gpu->computing[2] = (geo_nvml_process){.pid = 11, .bytes = 500};   /* in another part */
    gpu->computing_count = 3;
    gpu->drawing[0] = (geo_nvml_process){.pid = 13, .bytes = 30};
    gpu->drawing[1] = (geo_nvml_process){.pid = 11, .bytes = 1500}; /* the same memory */
    gpu->drawing_count = 2;
    assert_works(&gpus, ops->processes(gpus.sysman, &count, processes, &gpus.why));
    assert_int_equal(count, 3);
    assert_int_equal(processes[0].processId, 11);
    assert_int_equal(processes[0].memSize, 1500);
    assert_int_equal(processes[0].engines, ZES_ENGINE_TYPE_FLAG_COMPUTE | ZES_ENGINE_TYPE_FLAG_3D);
    assert_int_equal(processes[1].processId, 12);
    assert_int_equal(processes[1].memSize, 0);
    assert_int_equal(processes[1].engines, ZES_ENGINE_TYPE_FLAG_COMPUTE);
    assert_int_equal(processes[2].processId, 13);
    assert_int_equal(processes[2].engines, ZES_ENGINE_TYPE_FLAG_3D);
    assert_int_equal(processes[2].sharedSize, 0);
    count = 1;
    assert_works(&gpus, ops->processes(gpus.sysman, &count, processes, &gpus.why));
    assert_true(count >= 3); /* more room has to be made */
    gpus_close(&gpus);
}

static void a_gpu_that_draws_nothing_has_processes(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_process_state_t process = {0};
    uint32_t count = 1;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_device_ops *ops = gpus_about(&gpus)->ops;
    gpus_state(&gpus, 0)->computing_count = 1;
    gpus_fail(&gpus, DeviceGetGraphicsRunningProcesses, GEO_NVML_NOT_SUPPORTED);
    assert_works(&gpus, ops->processes(gpus.sysman, &count, &process, &gpus.why));
    assert_int_equal(count, 1);
    gpus_fail(&gpus, DeviceGetComputeRunningProcesses, GEO_NVML_NO_PERMISSION);
    assert_result(&gpus, ops->processes(gpus.sysman, &count, &process, &gpus.why),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS,
                  "nvmlDeviceGetComputeRunningProcesses: ");
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_it_is),
        cmocka_unit_test(what_nobody_says_is_unknown),
        cmocka_unit_test(state_says_why_a_reset_is_wanted),
        cmocka_unit_test(nothing_resets_a_gpu),
        cmocka_unit_test(error_correction_changes_with_a_reset),
        cmocka_unit_test(a_gpu_without_error_correction_has_none),
        cmocka_unit_test(the_link_is_described),
        cmocka_unit_test(what_the_link_has_carried),
        cmocka_unit_test(a_gpu_off_the_bus_has_no_link),
        cmocka_unit_test(windows_are_the_systems_to_tell),
        cmocka_unit_test(processes_compute_draw_or_both),
        cmocka_unit_test(a_gpu_that_draws_nothing_has_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
