/* Which GPUs there are, and who they are. */
#include "gpu_fixture.h"

#include "nvidia.h"
#include "sweep.h"

static const struct geo_backend_ops *const ops = &geo_backend_cuda_ops;

static const struct geo_device_info *info_at(const struct gpus *gpus, uint32_t index)
{
    return ops->device_info(ops->device(gpus->backend, index));
}

static void all_are_listed_in_the_librarys_order(void **state)
{
    (void)state;
    static const uint8_t uuid[] = {0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f, 0x60, 0x71,
                                   0x82, 0x93, 0xa4, 0xb5, 0xc6, 0xd7, 0xe8, 0xf1};
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(ops->device_count(gpus.backend), FAKE_GPUS + FAKE_MIGS);
    const struct geo_device_info *info = info_at(&gpus, 1);
    assert_string_equal(info->name, "NVIDIA H100 80GB HBM3 #1");
    assert_memory_equal(info->uuid, uuid, sizeof(uuid));
    assert_int_equal(info->type, ZE_DEVICE_TYPE_GPU);
    assert_int_equal(info->flags, ZE_DEVICE_PROPERTY_FLAG_ECC);
    assert_int_equal(info->vendor_id, 0x10de);
    assert_int_equal(info->device_id, 0x2330);
    assert_null(info->parent);
    assert_int_equal(info->memory_bytes, 80ull << 30);
    assert_int_equal(info->memory_bus_width, 5120);
    assert_int_equal(info->core_clock_mhz, 1980);
    assert_int_equal(info->memory_clock_mhz, 2619);
    assert_int_equal(info->simd_width * info->eus_per_subslice, 16896);
    assert_false(info->executes);
    assert_true(info->pci.known);
    assert_int_equal(info->pci.domain, 1);
    assert_int_equal(info->pci.bus, 0x1c);
    assert_int_equal(info->pci.device, 2);
    assert_int_equal(info->pci.function, 1);
    gpus_close(&gpus);
}

static void a_backend_that_manages_runs_nothing(void **state)
{
    (void)state;
    assert_null(ops->stream);
    assert_null(ops->memory);
    assert_null(ops->program);
    assert_non_null(ops->sysman);
}

/* The second and fourth of seven places have a MIG device. */
static void mig_devices_are_parts(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    for (uint32_t i = 0; i < FAKE_MIGS; i++) {
        const struct geo_device_info *info = info_at(&gpus, FAKE_GPUS + i);
        assert_ptr_equal(info->parent, ops->device(gpus.backend, FAKE_GPUS - 1));
        assert_int_equal(info->memory_bytes, 20ull << 30);
        assert_int_equal(info->uuid[15], 0xf0 + FAKE_GPUS + i);
        assert_true(info->flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
    }
    gpus_close(&gpus);
}

static void one_mig_device_is_no_part(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    gpus.fake->migs = 1;
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->device_count(gpus.backend), FAKE_GPUS);
    gpus_close(&gpus);
}

static void a_gpu_that_does_not_answer_is_left_out(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    gpus.fake->failing_gpu = 0;
    gpus.fake->results_of[FAKE_DeviceGetHandleByIndex] = GEO_NVML_GPU_IS_LOST;
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->device_count(gpus.backend), FAKE_GPUS - 1 + FAKE_MIGS);
    assert_string_equal(info_at(&gpus, 0)->name, "NVIDIA H100 80GB HBM3 #1");
    gpus_close(&gpus);
}

static void what_is_not_known_is_zero(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    gpus_fail(&gpus, DeviceGetName, GEO_NVML_UNKNOWN);
    gpus_fail(&gpus, DeviceGetPciInfo, GEO_NVML_UNKNOWN);
    gpus_fail(&gpus, DeviceGetMemoryInfo, GEO_NVML_UNKNOWN);
    gpus_fail(&gpus, DeviceGetMemoryInfo_v2, GEO_NVML_UNKNOWN);
    gpus_fail(&gpus, DeviceGetMemoryBusWidth, GEO_NVML_UNKNOWN);
    gpus_fail(&gpus, DeviceGetMaxClockInfo, GEO_NVML_UNKNOWN);
    gpus_fail(&gpus, DeviceGetEccMode, GEO_NVML_UNKNOWN);
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_SUCCESS);
    const struct geo_device_info *info = info_at(&gpus, 0);
    assert_string_equal(info->name, "NVIDIA GPU");
    assert_false(info->pci.known);
    assert_int_equal(info->device_id, 0);
    assert_int_equal(info->memory_bytes, 0);
    assert_int_equal(info->memory_bus_width, 0);
    assert_int_equal(info->core_clock_mhz, 0);
    assert_int_equal(info->flags, 0);
    gpus_close(&gpus);
}

static void an_older_library_tells_less(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_OLD, 0);
    assert_int_equal(ops->device_count(gpus.backend), FAKE_GPUS);
    assert_int_equal(info_at(&gpus, 0)->memory_bytes, 80ull << 30);
    assert_int_equal(info_at(&gpus, 0)->eus_per_subslice, 0);
    gpus_close(&gpus);
}

static void without_a_library_there_is_no_backend(void **state)
{
    (void)state;
    struct gpus gpus;
    if (nvidia_is_installed()) {
        skip();
    }
    gpus_library(&gpus, GPU_LIBRARY_NONE);
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_ERROR_UNINITIALIZED);
    gpus_close(&gpus);
}

static void without_a_driver_or_a_gpu_there_is_nothing(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    setenv("FAKE_NVML_INIT", "9", 1);
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_ERROR_UNINITIALIZED);
    unsetenv("FAKE_NVML_INIT");
    gpus_fail(&gpus, DeviceGetCount, GEO_NVML_UNKNOWN);
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_int_equal(gpus.fake->calls[FAKE_Shutdown], 1);
    gpus_fail(&gpus, DeviceGetCount, 0);
    setenv("FAKE_NVML_GPUS", "0", 1);
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->device_count(gpus.backend), 0);
    unsetenv("FAKE_NVML_GPUS");
    gpus_close(&gpus);
}

static void switched_off_nothing_is_opened(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    setenv("GEOID_NVIDIA", "off", 1);
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_int_equal(gpus.fake->calls[FAKE_Init], 0);
    gpus_close(&gpus);
}

/* ---- lack of memory ---- */

static struct gpus swept;

static ze_result_t swept_run(void)
{
    ze_result_t result = gpus_backend(&swept);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    result = ops->sysman->open(ops->device(swept.backend, 0), "/nowhere", &swept.sysman);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < GEO_SYSMAN_CLASS_COUNT; i++) {
        static const uint32_t expected[GEO_SYSMAN_CLASS_COUNT] = {
            [GEO_SYSMAN_POWER] = 1,  [GEO_SYSMAN_FREQUENCY] = 3,   [GEO_SYSMAN_ENGINE] = 3,
            [GEO_SYSMAN_MEMORY] = 1, [GEO_SYSMAN_FABRIC_PORT] = 2, [GEO_SYSMAN_TEMPERATURE] = 2,
            [GEO_SYSMAN_RAS] = 2,    [GEO_SYSMAN_FIRMWARE] = 5,
        };
        uint32_t count;
        (void)ops->sysman->components(swept.sysman, (enum geo_sysman_class)i, &count);
        result = count == expected[i] ? result
                 : count == 0         ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                      : ZE_RESULT_ERROR_UNKNOWN;
    }
    if (result != ZE_RESULT_SUCCESS) {
        ops->sysman->close(swept.sysman);
        ops->close(swept.backend);
        swept.sysman = NULL;
        swept.backend = NULL;
    }
    return result;
}

static void swept_undo(void)
{
    ops->sysman->close(swept.sysman);
    ops->close(swept.backend);
    swept.sysman = NULL;
    swept.backend = NULL;
}

static void lack_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    gpus_library(&swept, GPU_LIBRARY_NEW);
    assert_int_equal(swept_run(), ZE_RESULT_SUCCESS); /* the system notes the library's name */
    swept_undo();
    sweep_run(
        &(struct sweep){.name = "gpus", .run = swept_run, .undo = swept_undo, .recovers = true});
    gpus_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_library_there_is_no_backend), /* before any is loaded */
        cmocka_unit_test(all_are_listed_in_the_librarys_order),
        cmocka_unit_test(a_backend_that_manages_runs_nothing),
        cmocka_unit_test(mig_devices_are_parts),
        cmocka_unit_test(one_mig_device_is_no_part),
        cmocka_unit_test(a_gpu_that_does_not_answer_is_left_out),
        cmocka_unit_test(what_is_not_known_is_zero),
        cmocka_unit_test(an_older_library_tells_less),
        cmocka_unit_test(without_a_driver_or_a_gpu_there_is_nothing),
        cmocka_unit_test(switched_off_nothing_is_opened),
        cmocka_unit_test(lack_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
