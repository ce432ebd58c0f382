/* Allocation sweeps (sweep.h) of every function of the driver that makes something, but the command
 * side's: test_sweep_commands.c. */
#include "sweep.h"
#include "unit.h"

#include "ddi/geo_api.h"

#include <stdio.h>

/* ---- what is there for all operations ---- */

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;
static ze_image_handle_t image;
static void *memory, *reserved;
static ze_physical_mem_handle_t physical;
static ze_ipc_mem_handle_t ipc;
static void *object_bytes;
static size_t object_size;
static size_t page;

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
static const ze_image_desc_t image_desc = {
    .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = 100, .height = 10};

static void object_read(void)
{
    char path[4096];
    const char *build = getenv("GEOID_BUILD_DIR");
    snprintf(path, sizeof(path), "%s/tests/fixtures/native_module.o", build ? build : ".");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    object_bytes = malloc(1 << 20);
    assert_non_null(object_bytes);
    object_size = fread(object_bytes, 1, 1 << 20, file);
    fclose(file);
}

static int setup(void **state)
{
    (void)state;
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_physical_mem_desc_t pages = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    object_read();
    ze_module_desc_t native = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                               .format = ZE_MODULE_FORMAT_NATIVE,
                               .inputSize = object_size,
                               .pInputModule = object_bytes};
    int failed = geo_zeInit(0) || geo_zeDriverGet(&one, &driver) ||
                 geo_zeDeviceGet(driver, &one, &device) ||
                 geo_zeContextCreate(driver, &desc, &context) ||
                 geo_zeModuleCreate(context, device, &native, &module, NULL) ||
                 geo_zeMemAllocDevice(context, &device_desc, 1 << 21, 0, device, &memory) ||
                 geo_zeMemGetIpcHandle(context, memory, &ipc) ||
                 geo_zeVirtualMemQueryPageSize(context, device, 4096, &page);
    pages.size = 4 * page;
    return failed || geo_zeImageCreate(context, device, &image_desc, &image) ||
           geo_zeVirtualMemReserve(context, NULL, 4 * page, &reserved) ||
           geo_zePhysicalMemCreate(context, device, &pages, &physical);
}

/* ---- operations: each makes something; undo takes it back after success ---- */

static void *made;

static ze_result_t do_context(void)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return geo_zeContextCreateEx(driver, &desc, 1, &device, (ze_context_handle_t *)&made);
}

static void undo_context(void)
{
    geo_zeContextDestroy(made);
}

static ze_result_t do_host(void)
{
    return geo_zeMemAllocHost(context, &host_desc, 5000, 0, &made);
}

static ze_result_t do_device(void)
{
    return geo_zeMemAllocDevice(context, &device_desc, 3 << 20, 1 << 16, device, &made);
}

static ze_result_t do_shared(void)
{
    return geo_zeMemAllocShared(context, &device_desc, &host_desc, 5000, 0, NULL, &made);
}

static void undo_memory(void)
{
    geo_zeMemFree(context, made);
}

static ze_result_t do_open(void)
{
    return geo_zeMemOpenIpcHandle(context, device, ipc, 0, &made);
}

static void undo_open(void)
{
    geo_zeMemCloseIpcHandle(context, made);
}

static ze_result_t do_reserve(void)
{
    return geo_zeVirtualMemReserve(context, NULL, 2 * page, &made);
}

static void undo_reserve(void)
{
    geo_zeVirtualMemFree(context, made, 2 * page);
}

static ze_result_t do_physical(void)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = page};
    return geo_zePhysicalMemCreate(context, device, &desc, (ze_physical_mem_handle_t *)&made);
}

static void undo_physical(void)
{
    geo_zePhysicalMemDestroy(context, made);
}

static ze_result_t do_map(void)
{
    return geo_zeVirtualMemMap(context, reserved, 4 * page, physical, 0,
                               ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE);
}

static void undo_map(void)
{
    geo_zeVirtualMemUnmap(context, reserved, 4 * page);
}

static ze_result_t do_module(void)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = object_size,
                             .pInputModule = object_bytes};
    return geo_zeModuleCreate(context, device, &desc, (ze_module_handle_t *)&made, NULL);
}

static void undo_module(void)
{
    geo_zeModuleDestroy(made);
}

static ze_result_t do_kernel(void)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "scale"};
    return geo_zeKernelCreate(module, &desc, (ze_kernel_handle_t *)&made);
}

static void undo_kernel(void)
{
    geo_zeKernelDestroy(made);
}

static ze_result_t do_image(void)
{
    return geo_zeImageCreate(context, device, &image_desc, (ze_image_handle_t *)&made);
}

static ze_result_t do_view(void)
{
    return geo_zeImageViewCreateExt(context, device, &image_desc, image,
                                    (ze_image_handle_t *)&made);
}

static void undo_image(void)
{
    geo_zeImageDestroy(made);
}

static ze_result_t do_sampler(void)
{
    ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    return geo_zeSamplerCreate(context, device, &desc, (ze_sampler_handle_t *)&made);
}

static void undo_sampler(void)
{
    geo_zeSamplerDestroy(made);
}

static ze_result_t do_builder(void)
{
    ze_rtas_builder_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_DESC,
                                       .builderVersion = ZE_RTAS_BUILDER_EXT_VERSION_CURRENT};
    return geo_zeRTASBuilderCreateExt(driver, &desc, (ze_rtas_builder_ext_handle_t *)&made);
}

static void undo_builder(void)
{
    geo_zeRTASBuilderDestroyExt(made);
}

static ze_result_t do_operation(void)
{
    return geo_zeRTASParallelOperationCreateExt(driver,
                                                (ze_rtas_parallel_operation_ext_handle_t *)&made);
}

static void undo_operation(void)
{
    geo_zeRTASParallelOperationDestroyExt(made);
}

static ze_result_t do_link(void)
{
    return geo_zeModuleDynamicLink(1, &module, (ze_module_build_log_handle_t *)&made);
}

static ze_result_t do_inspect(void)
{
    ze_linkage_inspection_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC,
                                             .flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS};
    return geo_zeModuleInspectLinkageExt(&desc, 1, &module, (ze_module_build_log_handle_t *)&made);
}

static void undo_log(void)
{
    geo_zeModuleBuildLogDestroy(made);
}

static void nothing_made(void)
{
    assert_null(made);
}

/* Brings what is freed late (epoch.h) to a known state. */
static void settle(void)
{
    void *pointer;
    made = NULL;
    assert_int_equal(geo_zeMemAllocHost(context, &host_desc, 64, 0, &pointer), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_zeMemFree(context, pointer), ZE_RESULT_SUCCESS);
}

#define OPERATION(text, run_, undo_)                                                               \
    {.name = text, .run = run_, .undo = undo_, .failed = nothing_made, .settle = settle}

static const struct sweep operations[] = {
    OPERATION("zeContextCreateEx", do_context, undo_context),
    OPERATION("zeMemAllocHost", do_host, undo_memory),
    OPERATION("zeMemAllocDevice", do_device, undo_memory),
    OPERATION("zeMemAllocShared", do_shared, undo_memory),
    OPERATION("zeMemOpenIpcHandle", do_open, undo_open),
    OPERATION("zeVirtualMemReserve", do_reserve, undo_reserve),
    OPERATION("zeVirtualMemMap", do_map, undo_map),
    OPERATION("zeModuleCreate", do_module, undo_module),
    OPERATION("zeKernelCreate", do_kernel, undo_kernel),
    OPERATION("zeModuleDynamicLink", do_link, undo_log),
    OPERATION("zeImageCreate", do_image, undo_image),
    OPERATION("zeImageViewCreateExt", do_view, undo_image),
    OPERATION("zeSamplerCreate", do_sampler, undo_sampler),
    OPERATION("zeRTASBuilderCreateExt", do_builder, undo_builder),
    OPERATION("zeRTASParallelOperationCreateExt", do_operation, undo_operation),
};

/* The pages are asked for once more after memory that waits to be freed is freed. */
static const struct sweep physical_memory = {.name = "zePhysicalMemCreate",
                                             .run = do_physical,
                                             .undo = undo_physical,
                                             .failed = nothing_made,
                                             .settle = settle,
                                             .recovers = true};

static const struct sweep inspection = {.name = "zeModuleInspectLinkageExt",
                                        .run = do_inspect,
                                        .undo = undo_log,
                                        .failed = nothing_made,
                                        .settle = settle,
                                        .lenient = true};

/* MEM-16, VAL-7, VAL-12 */
static void every_create_path_survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        sweep_run(&operations[i]);
    }
    sweep_run(&physical_memory);
    sweep_run(&inspection);
}

/* VMM-7: cutting a mapping in pieces needs memory and leaves everything as it was without. */
static const ze_memory_access_attribute_t readwrite = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;

static ze_memory_access_attribute_t access_of(size_t offset, size_t length, size_t *same)
{
    ze_memory_access_attribute_t access;
    assert_int_equal(geo_zeVirtualMemGetAccessAttribute(context, (char *)reserved + offset, length,
                                                        &access, same),
                     ZE_RESULT_SUCCESS);
    return access;
}

static void map_again(void)
{
    settle();
    undo_map();
    assert_int_equal(do_map(), ZE_RESULT_SUCCESS);
}

static ze_result_t do_cut(void)
{
    return geo_zeVirtualMemSetAccessAttribute(context, (char *)reserved + page, page,
                                              ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
}

static void is_cut(void)
{
    size_t same;
    assert_int_equal(access_of(page, page, &same), ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
}

static void is_whole(void)
{
    size_t same;
    assert_int_equal(access_of(page, page, &same), readwrite);
    assert_int_equal(access_of(0, 4 * page, &same), readwrite);
    assert_int_equal(same, 4 * page);
}

static void access_changes_survive_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep cut = {.name = "zeVirtualMemSetAccessAttribute",
                                     .run = do_cut,
                                     .undo = is_cut,
                                     .failed = is_whole,
                                     .settle = map_again};
    assert_int_equal(do_map(), ZE_RESULT_SUCCESS);
    sweep_run(&cut);
    undo_map();
}

/* INI-7 */
static ze_result_t do_init(void)
{
    return geo_zeInit(0);
}

static void initialisation_survives_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep init = {.name = "zeInit", .run = do_init};
    sweep_fresh(&init);
}

int main(void)
{
    const struct CMUnitTest untouched[] = {
        cmocka_unit_test(initialisation_survives_failing_allocations),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_create_path_survives_failing_allocations),
        cmocka_unit_test(access_changes_survive_failing_allocations),
    };
    int failed = cmocka_run_group_tests_name("sweep of the initialisation", untouched, NULL, NULL);
    return failed + cmocka_run_group_tests_name("sweep", tests, setup, NULL);
}
