/* The GPUs that compute: which there are, their order, and their properties. */
#include "cuda_fixture.h"
#include "gpu_fixture.h"

#include "nvidia.h"
#include "sweep.h"

static const struct geo_backend_ops *const ops = &geo_backend_cuda_compute_ops;

#define MIB (1ull << 20)

/* ---- properties ---- */

struct expected {
    const char *gpu, *name;
    uint32_t device_id, capability, clock, multiprocessors, warps;
    uint64_t bytes;
    uint32_t memory_clock, bus, cache, local, engines;
    bool corrects;
};

static void properties_check(const struct geo_device_info *info, const struct expected *expected)
{
    assert_string_equal(info->name, expected->name);
    assert_int_equal(info->type, ZE_DEVICE_TYPE_GPU);
    assert_int_equal(info->flags, expected->corrects ? ZE_DEVICE_PROPERTY_FLAG_ECC : 0);
    assert_int_equal(info->vendor_id, 0x10de);
    assert_int_equal(info->device_id, expected->device_id);
    assert_null(info->parent);
    assert_int_equal(info->core_clock_mhz, expected->clock);
    assert_int_equal(info->slices, 1);
    assert_int_equal(info->subslices_per_slice, expected->multiprocessors);
    assert_int_equal(info->eus_per_subslice * info->threads_per_eu, expected->warps);
    assert_int_equal(info->simd_width, 32);
    assert_int_equal(info->memory_bytes, expected->bytes);
    assert_int_equal(info->max_allocation_bytes, expected->bytes);
    assert_int_equal(info->memory_clock_mhz, expected->memory_clock);
    assert_int_equal(info->memory_bus_width, expected->bus);
    assert_int_equal(info->cache_count, 1);
    assert_int_equal(info->caches[0].bytes, expected->cache);
    assert_int_equal(info->caches[0].level, 2);
    assert_int_equal(info->caches[0].line_bytes, 128);
    assert_int_equal(info->max_local_bytes, expected->local);
    assert_int_equal(info->native.target, GEO_TARGET_NVIDIA);
    assert_int_equal(info->native.architecture, expected->capability);
    assert_int_equal(info->group_count, 2);
    assert_int_equal(info->groups[1].queue_count, expected->engines);
}

static void properties_are_those_of_the_gpu(void **state)
{
    (void)state;
    static const struct expected table[] = {
        {"h100", "NVIDIA H100 80GB HBM3", 0x2330, 90, 1980, 132, 64, 81090 * MIB, 2619, 5120,
         50 << 20, 232448, 3, true},
        {"rtx4090", "NVIDIA GeForce RTX 4090", 0x2684, 89, 2520, 128, 48, 24217 * MIB, 10501, 384,
         72 << 20, 101376, 2, false},
        {"t4", "Tesla T4", 0x1eb8, 75, 1590, 40, 32, 15102 * MIB, 5001, 256, 4 << 20, 65536, 3,
         true},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct cudas cudas;
        cudas_open(&cudas, table[i].gpu);
        assert_int_equal(ops->device_count(cudas.backend), 1);
        properties_check(cudas_info(&cudas, 0), &table[i]);
        cudas_close(&cudas);
    }
}

/* What all GPUs have. */
static void limits_are_those_of_cuda(void **state)
{
    (void)state;
    struct cudas cudas;
    cudas_open(&cudas, "h100");
    const struct geo_device_info *info = cudas_info(&cudas, 0);
    assert_int_equal(info->subgroup_size_count, 1);
    assert_int_equal(info->subgroup_sizes[0], 32);
    assert_int_equal(info->max_group_items, 1024);
    assert_int_equal(info->max_group_size[0], 1024);
    assert_int_equal(info->max_group_size[1], 1024);
    assert_int_equal(info->max_group_size[2], 64);
    assert_int_equal(info->max_group_count[0], 0x7fffffff);
    assert_int_equal(info->max_group_count[1], 65535);
    assert_int_equal(info->max_group_count[2], 65535);
    assert_int_equal(info->groups[0].flags,
                     ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                         ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
                         ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS);
    assert_int_equal(info->groups[1].flags, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_true(info->executes);
    assert_int_equal(info->native.kinds, 1u << GEO_PAYLOAD_PTX | 1u << GEO_PAYLOAD_CUBIN);
    assert_int_equal(info->print_bytes, 0);
    cudas_close(&cudas);
}

/* ---- the list ---- */

static void gpus_are_listed_in_the_order_of_the_bus(void **state)
{
    (void)state;
    static const uint8_t uuid[] = {0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f, 0x60, 0x71,
                                   0x82, 0x93, 0xa4, 0xb5, 0xc6, 0xd7, 0xe8, 0xf0};
    struct cudas cudas;
    cudas_library(&cudas, CUDA_NEW, "h100,t4,rtx4090");
    cudas.fake->reversed = true;
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->device_count(cudas.backend), 3);
    assert_string_equal(cudas_info(&cudas, 0)->name, "NVIDIA GeForce RTX 4090");
    assert_string_equal(cudas_info(&cudas, 1)->name, "Tesla T4");
    assert_string_equal(cudas_info(&cudas, 2)->name, "NVIDIA H100 80GB HBM3");
    assert_memory_equal(cudas_info(&cudas, 0)->uuid, uuid, sizeof(uuid));
    for (uint32_t i = 0; i < 3; i++) {
        const struct geo_pci_place *place = &cudas_info(&cudas, i)->pci;
        assert_true(place->known);
        assert_int_equal(place->domain, 1);
        assert_int_equal(place->bus, 0x1b + i);
        assert_int_equal(place->device, 2);
        assert_int_equal(place->function, 0);
    }
    cudas_close(&cudas);
}

static void listing_makes_no_context(void **state)
{
    (void)state;
    struct cudas cudas;
    uint64_t bytes = 0;
    cudas_open(&cudas, "h100,t4");
    assert_int_equal(ops->memory->available(cudas.backend, cudas_device(&cudas, 1), &bytes),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(bytes, 15102 * MIB);
    assert_int_equal(cudas.fake->calls[FAKE_CUDA_DevicePrimaryCtxRetain], 0);
    cudas_close(&cudas);
}

/* Core and sysman know a GPU by one UUID, and each adds what the other does not know. */
static void gpus_of_nvml_are_the_same_devices(void **state)
{
    (void)state;
    struct cudas cudas;
    struct gpus gpus;
    struct geo_sysman *sysman = NULL;
    uint32_t count = 0;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    cudas_library(&cudas, CUDA_NEW, "h100,h100");
    cudas.fake->reversed = true;
    cudas.fake->attribute_missing = GEO_CUDA_ATTRIBUTE_GPU_PCI_DEVICE_ID; /* as before 12.8 */
    assert_int_equal(gpus_backend(&gpus), ZE_RESULT_SUCCESS);
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->device_count(cudas.backend), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_device_info *managed =
            geo_backend_cuda_ops.device_info(geo_backend_cuda_ops.device(gpus.backend, i));
        const struct geo_device_info *info = cudas_info(&cudas, i);
        assert_memory_equal(info->uuid, managed->uuid, sizeof(info->uuid));
        assert_memory_equal(&info->pci, &managed->pci, sizeof(info->pci));
        assert_int_equal(info->device_id, managed->device_id);
        assert_int_equal(info->core_clock_mhz, managed->core_clock_mhz);
        assert_int_equal(info->flags, managed->flags);
        assert_int_equal(info->subslices_per_slice * info->eus_per_subslice,
                         managed->subslices_per_slice * managed->eus_per_subslice);
    }
    assert_int_equal(ops->sysman->open(cudas_device(&cudas, 1), "/nowhere", &sysman),
                     ZE_RESULT_SUCCESS);
    (void)ops->sysman->components(sysman, GEO_SYSMAN_FREQUENCY, &count);
    assert_int_equal(count, 3);
    ops->sysman->close(sysman);
    cudas_close(&cudas);
    gpus_close(&gpus);
}

/* CUDA shows one MIG device of a GPU as a device, with the UUID of the MIG device. */
static void a_mig_device_is_a_device(void **state)
{
    (void)state;
    struct cudas cudas;
    struct gpus gpus;
    struct geo_sysman *sysman = NULL;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    /* the numbers of NVML's MIG devices follow those of the GPUs */
    cudas_library(&cudas, CUDA_NEW, "h100,h100,h100,h100");
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_SUCCESS);
    const struct geo_device_info *info = cudas_info(&cudas, 3);
    assert_int_equal(info->uuid[15], 0xf0 + FAKE_GPUS);
    assert_null(info->parent);
    assert_false(info->flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
    assert_int_equal(ops->sysman->open(cudas_device(&cudas, 3), "/nowhere", &sysman),
                     ZE_RESULT_SUCCESS);
    ops->sysman->close(sysman);
    cudas_close(&cudas);
    gpus_close(&gpus);
}

static void without_nvml_gpus_compute_and_are_not_managed(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_sysman *sysman;
    if (nvidia_is_installed()) {
        skip();
    }
    cudas_library(&cudas, CUDA_NEW, "t4");
    cudas.fake->attribute_missing = GEO_CUDA_ATTRIBUTE_GPU_PCI_DEVICE_ID;
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_SUCCESS);
    assert_int_equal(cudas_info(&cudas, 0)->device_id, 0);
    assert_int_equal(ops->sysman->open(cudas_device(&cudas, 0), "/nowhere", &sysman),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    cudas_close(&cudas);
}

/* ---- what cannot compute ---- */

static void a_gpu_that_cannot_compute_is_left_out(void **state)
{
    (void)state;
    static const struct {
        int attribute;
        const char *reason;
    } table[] = {
        {GEO_CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "capability is below 7.0"},
        {GEO_CUDA_ATTRIBUTE_UNIFIED_ADDRESSING, "do not share addresses"},
        {GEO_CUDA_ATTRIBUTE_CAN_MAP_HOST_MEMORY, "do not share addresses"},
        {GEO_CUDA_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, "do not share addresses"},
        {GEO_CUDA_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, "cannot wait for words of memory"},
    };
    struct cudas cudas;
    cudas_library(&cudas, CUDA_NEW, "h100");
    assert_null(ops->problem());
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        cudas.fake->attribute_missing = table[i].attribute;
        assert_int_equal(cudas_backend(&cudas), ZE_RESULT_ERROR_UNINITIALIZED);
        assert_non_null(strstr(ops->problem(), "NVIDIA H100 80GB HBM3: "));
        assert_non_null(strstr(ops->problem(), table[i].reason));
    }
    cudas.fake->attribute_missing = 0;
    cudas.fake->results[FAKE_CUDA_DeviceTotalMem] = GEO_CUDA_DEVICE_UNAVAILABLE;
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_non_null(strstr(ops->problem(), "cuDeviceTotalMem: failed (46)"));
    cudas.fake->results[FAKE_CUDA_DeviceTotalMem] = 0;
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_SUCCESS);
    assert_null(ops->problem());
    cudas_close(&cudas);
}

static void one_gpu_that_cannot_compute_does_not_hide_others(void **state)
{
    (void)state;
    struct cudas cudas;
    cudas_library(&cudas, CUDA_NEW, "h100,t4");
    cudas.fake->prohibited = 1u << 0;
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->device_count(cudas.backend), 1);
    assert_string_equal(cudas_info(&cudas, 0)->name, "Tesla T4");
    cudas_close(&cudas);
}

static void a_driver_that_is_too_old_is_named(void **state)
{
    (void)state;
    struct cudas cudas;
    cudas_library(&cudas, CUDA_OLD, "h100");
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_string_equal(ops->problem(), "NVIDIA's driver is too old: it supports CUDA 11.4, and "
                                        "Geoid needs 11.8");
    cudas_close(&cudas);
}

static void switched_off_nothing_is_opened(void **state)
{
    (void)state;
    struct cudas cudas;
    cudas_library(&cudas, CUDA_NEW, "h100");
    setenv("GEOID_NVIDIA", "off", 1);
    assert_int_equal(cudas_backend(&cudas), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_int_equal(cudas.fake->calls[FAKE_CUDA_Init], 0);
    cudas_close(&cudas);
}

/* The backend that users have does not know libcuda. */
static void the_backend_that_manages_opens_no_libcuda(void **state)
{
    (void)state;
    struct cudas cudas;
    struct gpus gpus;
    cudas_library(&cudas, CUDA_NEW, "h100");
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_null(geo_backend_cuda_ops.memory);
    assert_int_equal(cudas.fake->calls[FAKE_CUDA_Init], 0);
    gpus_close(&gpus);
    cudas_close(&cudas);
}

/* ---- lack of memory ---- */

static struct cudas swept;

static ze_result_t swept_run(void)
{
    ze_result_t result = cudas_backend(&swept);
    assert_true(result != ZE_RESULT_SUCCESS || ops->device_count(swept.backend) == 2);
    return result;
}

static void swept_undo(void)
{
    ops->close(swept.backend);
    swept.backend = NULL;
}

static void no_lack_of_memory_crashes_or_leaks(void **state)
{
    (void)state;
    const struct sweep sweep = {
        .name = "GPUs that compute", .run = swept_run, .undo = swept_undo, .lenient = true};
    struct gpus gpus;
    gpus_library(&gpus, GPU_LIBRARY_NEW);
    cudas_library(&swept, CUDA_NEW, "h100,t4");
    assert_int_equal(swept_run(), ZE_RESULT_SUCCESS); /* the loader keeps the libraries' names */
    swept_undo();
    sweep_run(&sweep);
    cudas_close(&swept);
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_nvml_gpus_compute_and_are_not_managed),
        cmocka_unit_test(properties_are_those_of_the_gpu),
        cmocka_unit_test(limits_are_those_of_cuda),
        cmocka_unit_test(gpus_are_listed_in_the_order_of_the_bus),
        cmocka_unit_test(listing_makes_no_context),
        cmocka_unit_test(gpus_of_nvml_are_the_same_devices),
        cmocka_unit_test(a_mig_device_is_a_device),
        cmocka_unit_test(a_gpu_that_cannot_compute_is_left_out),
        cmocka_unit_test(one_gpu_that_cannot_compute_does_not_hide_others),
        cmocka_unit_test(a_driver_that_is_too_old_is_named),
        cmocka_unit_test(switched_off_nothing_is_opened),
        cmocka_unit_test(the_backend_that_manages_opens_no_libcuda),
        cmocka_unit_test(no_lack_of_memory_crashes_or_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
