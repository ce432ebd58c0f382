/* Allocation sweeps (sweep.h) of mutable lists: ids, appends, changes, closes and clones; whatever
 * fails on the way, the list can be destroyed and nothing is left behind. */
#include "sweep.h"
#include "unit.h"

#include "ddi/geo_api.h"

#include <stdio.h>

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;
static ze_kernel_handle_t kernels[2];
static ze_event_pool_handle_t pool;
static ze_event_handle_t events[6];
static ze_command_list_handle_t list, clone;

static int module_open(void)
{
    char path[4096];
    static char bytes[1 << 18];
    const char *build = getenv("GEOID_BUILD_DIR");
    snprintf(path, sizeof(path), "%s/tests/fixtures/native_module.o", build ? build : ".");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = fread(bytes, 1, sizeof(bytes), file),
                             .pInputModule = (const uint8_t *)bytes};
    fclose(file);
    return geo_zeModuleCreate(context, device, &desc, &module, NULL);
}

static int kernel_open(const char *name, ze_kernel_handle_t *kernel)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    return geo_zeKernelCreate(module, &desc, kernel);
}

static int events_open(void)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 6};
    int failed = geo_zeEventPoolCreate(context, &desc, 0, NULL, &pool);
    for (uint32_t i = 0; i < 6 && !failed; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        failed = geo_zeEventCreate(pool, &event, &events[i]);
    }
    return failed;
}

static int setup(void **state)
{
    (void)state;
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return geo_zeInit(0) || geo_zeDriverGet(&one, &driver) ||
           geo_zeDeviceGet(driver, &one, &device) || geo_zeContextCreate(driver, &desc, &context) ||
           module_open() || kernel_open("ids", &kernels[0]) || kernel_open("scale", &kernels[1]) ||
           events_open();
}

/* Goes on after a success only. */
#define STEP(call)                                                                                 \
    do {                                                                                           \
        ze_result_t step_result = (call);                                                          \
        if (step_result != ZE_RESULT_SUCCESS) {                                                    \
            return step_result;                                                                    \
        }                                                                                          \
    } while (0)

static ze_result_t list_make(void)
{
    ze_mutable_command_list_exp_desc_t mutable = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .pNext = &mutable,
                                   .flags = ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE};
    return geo_zeCommandListCreate(context, device, &desc, &list);
}

static ze_result_t commands_append(uint64_t *id)
{
    ze_mutable_command_id_exp_desc_t all = {ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, NULL, 0};
    ze_mutable_command_id_exp_desc_t other = {ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, NULL,
                                              0x7f};
    ze_group_count_t groups = {1, 1, 1};
    for (int i = 0; i < 10; i++) {
        STEP(geo_zeCommandListGetNextCommandIdExp(list, &all, id));
        STEP(geo_zeCommandListAppendLaunchKernel(list, kernels[1], &groups, events[0], 2,
                                                 &events[1]));
    }
    STEP(geo_zeCommandListGetNextCommandIdWithKernelsExp(list, &other, 2, kernels, id));
    STEP(geo_zeCommandListAppendLaunchKernel(list, kernels[0], &groups, events[0], 2, &events[1]));
    return geo_zeCommandListClose(list);
}

static ze_result_t commands_change(uint64_t id)
{
    uint32_t count = 3;
    ze_mutable_kernel_argument_exp_desc_t argument = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
        .commandId = id,
        .argIndex = 3,
        .argSize = sizeof(count),
        .pArgValue = &count};
    ze_mutable_commands_exp_desc_t desc = {ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, &argument,
                                           0};
    STEP(geo_zeCommandListUpdateMutableCommandSignalEventExp(list, id, events[3]));
    STEP(geo_zeCommandListUpdateMutableCommandWaitEventsExp(list, id, 2, &events[4]));
    STEP(geo_zeCommandListUpdateMutableCommandKernelsExp(list, 1, &id, &kernels[1]));
    STEP(geo_zeCommandListUpdateMutableCommandsExp(list, &desc));
    return geo_zeCommandListClose(list);
}

static ze_result_t all_steps(void)
{
    uint64_t id = 0;
    STEP(list_make());
    STEP(commands_append(&id));
    STEP(commands_change(id));
    return geo_zeCommandListCreateCloneExp(list, &clone);
}

static void undo(void)
{
    if (clone) {
        geo_zeCommandListDestroy(clone);
    }
    if (list) {
        geo_zeCommandListDestroy(list);
    }
    list = clone = NULL;
}

static ze_result_t run(void)
{
    ze_result_t result = all_steps();
    if (result != ZE_RESULT_SUCCESS) {
        undo();
    }
    return result;
}

static void mutable_lists_survive_failing_allocations(void **state)
{
    (void)state;
    const struct sweep sweep = {.name = "a mutable list", .run = run, .undo = undo};
    sweep_run(&sweep);
}

/* Changes to what is there allocate nothing, however many there are. */
static void changes_allocate_nothing(void **state)
{
    (void)state;
    uint64_t id = 0;
    assert_int_equal(list_make(), ZE_RESULT_SUCCESS);
    assert_int_equal(commands_append(&id), ZE_RESULT_SUCCESS);
    assert_int_equal(commands_change(id), ZE_RESULT_SUCCESS);
    long before = allocations_living();
    allocations_fail(1, true);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(geo_zeCommandListUpdateMutableCommandKernelsExp(list, 1, &id, &kernels[0]),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(commands_change(id), ZE_RESULT_SUCCESS);
    }
    assert_int_equal(allocations_count(), 0);
    allocations_end();
    assert_int_equal(allocations_living(), before);
    undo();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutable_lists_survive_failing_allocations),
        cmocka_unit_test(changes_allocate_nothing),
    };
    return cmocka_run_group_tests_name("sweep_mutable", tests, setup, NULL);
}
