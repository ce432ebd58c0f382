/* Initialisation: which calls bring which drivers, in any order and from many threads. */
#include "scenario.h"

#include <level_zero/zes_api.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ALL         UINT32_MAX
#define ONE_DRIVER  "ZE_ENABLE_ALT_DRIVERS={a}"
#define TWO_DRIVERS "ZE_ENABLE_ALT_DRIVERS={a},{b}"
#define GPU_AND_NPU "ZE_ENABLE_ALT_DRIVERS={a},{npu}"

static ze_result_t init_drivers(uint32_t *count, ze_driver_handle_t *drivers, uint32_t flags)
{
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = flags};
    return zeInitDrivers(count, drivers, &desc);
}

/* The vendor id of a driver's first device tells the fake drivers apart. */
static uint32_t id_of(ze_driver_handle_t driver)
{
    uint32_t count = 1;
    ze_device_handle_t device;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    CHECK_RESULT(zeDeviceGet(driver, &count, &device), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDeviceGetProperties(device, &properties), ZE_RESULT_SUCCESS);
    return properties.vendorId;
}

static uint32_t driver_count(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    return count;
}

static void two_step(void)
{
    uint32_t count = 0;
    ze_driver_handle_t first[2] = {0}, second[2] = {0};
    CHECK_RESULT(init_drivers(&count, NULL, ALL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    CHECK_RESULT(init_drivers(&count, first, ALL), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && first[0]);
    CHECK_RESULT(init_drivers(&count, second, ALL), ZE_RESULT_SUCCESS);
    CHECK(first[0] == second[0]);
    CHECK(id_of(first[0]) == 1);
}

/* INI-1, INI-2, INI-3, INI-4 */
static void test_two_steps_give_the_same_handles_each_time(void **state)
{
    (void)state;
    scenario_passes("two_step", ONE_DRIVER, NULL);
}

static void bad_arguments(void)
{
    uint32_t count = 0;
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = 1};
    CHECK_RESULT(zeInit(4), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_RESULT(zeInit(0x80000001u), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_RESULT(zesInit(2), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_RESULT(init_drivers(&count, NULL, 0), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_RESULT(init_drivers(&count, NULL, 4), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_RESULT(zeInitDrivers(&count, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zeInitDrivers(NULL, NULL, &desc), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(!fake_is_loaded("a")); /* a refused call does nothing else */
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesDriverGet(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* INI-6, GEN-24 */
static void test_unknown_flags_and_null_pointers_are_refused(void **state)
{
    (void)state;
    scenario_passes("bad_arguments", ONE_DRIVER, NULL);
}

static void list_protocol(void)
{
    ze_driver_handle_t drivers[4] = {(void *)1, (void *)2, (void *)3, (void *)4};
    uint32_t count = 0;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    CHECK(count == 2 && drivers[0] == (void *)1); /* 0 asks for the number, whatever the array */
    count = 4;
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    CHECK(count == 2 && drivers[2] == (void *)3); /* lowered, and not written beyond */
    ze_driver_handle_t one[2] = {NULL, (void *)2};
    count = 1;
    CHECK_RESULT(zeDriverGet(&count, one), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && one[0] == drivers[0] && one[1] == (void *)2); /* only that many */
    count = 7;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 2);
    count = 1;
    CHECK_RESULT(init_drivers(&count, one, ALL), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && one[0] == drivers[0]);
}

/* GEN-21, INI-5 */
static void test_driver_lists_follow_the_list_protocol(void **state)
{
    (void)state;
    scenario_passes("list_protocol", TWO_DRIVERS, NULL);
}

static void old_and_new_way(void)
{
    uint32_t count = 2;
    ze_driver_handle_t by_init[2], by_drivers[2];
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    const int calls = fake_state("a")->init_calls;
    CHECK_RESULT(zeDriverGet(&count, by_init), ZE_RESULT_SUCCESS);
    CHECK(count == 2);
    CHECK_RESULT(init_drivers(&count, by_drivers, ALL), ZE_RESULT_SUCCESS);
    CHECK(count == 2 && memcmp(by_init, by_drivers, sizeof(by_init)) == 0);
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
    CHECK(fake_state("a")->started == 1 && fake_state("b")->started == 1);
    CHECK(fake_state("a")->init_calls == calls);
}

/* INI-1, INI-3, INI-4, INI-7 */
static void test_both_ways_to_initialise_give_the_same_drivers(void **state)
{
    (void)state;
    scenario_passes("old_and_new_way", TWO_DRIVERS, NULL);
}

static void npu_first(void)
{
    ze_driver_handle_t driver;
    uint32_t count = 1;
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
    CHECK_RESULT(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK(id_of(driver) == 3);
    /* another library of the same process */
    CHECK_RESULT(init_drivers(&count, &driver, ZE_INIT_DRIVER_TYPE_FLAG_GPU), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && id_of(driver) == 1);
    CHECK(driver_count() == 2);
    CHECK_RESULT(init_drivers(&count, &driver, ZE_INIT_DRIVER_TYPE_FLAG_NPU), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && id_of(driver) == 3);
    count = 0;
    CHECK_RESULT(init_drivers(&count, NULL, 3), ZE_RESULT_SUCCESS);
    CHECK(count == 2);
}

/* INI-6, INI-2: what the first caller asks for hides nothing from the next. */
static void test_first_initialisation_hides_no_driver(void **state)
{
    (void)state;
    scenario_passes("npu_first", GPU_AND_NPU, NULL);
}

static void no_npu(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(init_drivers(&count, NULL, ZE_INIT_DRIVER_TYPE_FLAG_NPU),
                 ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
}

/* INI-6 */
static void test_asking_for_an_absent_type_fails_and_leaves_no_trace(void **state)
{
    (void)state;
    scenario_passes("no_npu", ONE_DRIVER, NULL);
}

static void cpu_driver(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(init_drivers(&count, NULL, 3), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(init_drivers(&count, NULL, ALL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
}

/* INI-2, INI-6: a type without a flag of its own answers when every type is asked for. */
static void test_other_device_types_answer_only_to_all_types(void **state)
{
    (void)state;
    scenario_passes("cpu_driver", "ZE_ENABLE_ALT_DRIVERS={cpu}", NULL);
}

static void late_driver(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zesInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    scenario_setenv("ZE_ENABLE_ALT_DRIVERS", "{a}");
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
}

static void recovering_driver(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(strstr(explanation_of("a"), "ZE_RESULT_ERROR_DEVICE_LOST"));
    unsetenv("FAKE_FAIL_a");
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(strstr(explanation_of("a"), "in use"));
}

/* INI-1: a failure is not for ever. */
static void test_a_failed_initialisation_can_be_repeated(void **state)
{
    (void)state;
    scenario_passes("late_driver", "ZE_ENABLE_ALT_DRIVERS=/nowhere/libnone.so", NULL);
    scenario_passes("recovering_driver", ONE_DRIVER, "FAKE_FAIL_a=1", NULL);
}

static void one_fails(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
    CHECK(strstr(explanation_of("a"), "failed with ZE_RESULT_ERROR_DEVICE_LOST"));
    CHECK(strstr(explanation_of("empty"), "found no devices"));
    CHECK(strstr(explanation_of("b"), "in use"));
}

/* INI-5: drivers that fail or have no devices are left out, the others work. */
static void test_broken_and_empty_drivers_do_not_hinder_others(void **state)
{
    (void)state;
    scenario_passes("one_fails", "ZE_ENABLE_ALT_DRIVERS={a},{empty},{b}", "FAKE_FAIL_a=1", NULL);
}

#define THREADS 64

static pthread_barrier_t barrier;

static void *race_thread(void *argument)
{
    uintptr_t index = (uintptr_t)argument;
    ze_driver_handle_t drivers[2] = {0};
    uint32_t count = 2;
    pthread_barrier_wait(&barrier);
    switch (index % 4) {
    case 0:
        CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
        break;
    case 1:
        CHECK_RESULT(init_drivers(&count, drivers, ALL), ZE_RESULT_SUCCESS);
        CHECK(count == 2);
        break;
    case 2:
        CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zesDriverGet(&count, (zes_driver_handle_t *)drivers), ZE_RESULT_SUCCESS);
        CHECK(count == 2);
        break;
    default: /* callers that come too early get an error, never something half-made */
        for (int i = 0; i < 1000; i++) {
            ze_result_t result = zeDriverGet(&count, drivers);
            CHECK(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_UNINITIALIZED);
            result = zeContextDestroy(NULL);
            CHECK(result == ZE_RESULT_ERROR_INVALID_NULL_HANDLE ||
                  result == ZE_RESULT_ERROR_UNINITIALIZED);
        }
        CHECK_RESULT(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
    }
    count = 2;
    if (index % 4 != 2) {
        CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    }
    CHECK(count == 2 && drivers[0] && drivers[1]);
    return drivers[0];
}

static void race(void)
{
    pthread_t threads[THREADS];
    void *first = NULL;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, race_thread, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *driver;
        pthread_join(threads[i], &driver);
        first = first ? first : driver;
        CHECK(driver == first);
    }
    CHECK(fake_state("slow")->started == 1 && fake_state("slow")->worst == 1);
    CHECK(fake_state("b")->started == 1 && fake_state("b")->worst == 1);
}

/* INI-1, INI-7, GEN-13, GEN-17 */
static void test_many_threads_initialise_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        scenario_passes("race", "ZE_ENABLE_ALT_DRIVERS={slow},{b}", NULL);
    }
}

static void reentrant(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS); /* the driver calls zeInit: refused, no deadlock */
    CHECK(driver_count() == 1);
}

/* INI-7 */
static void test_a_driver_that_calls_back_does_not_lock_up(void **state)
{
    (void)state;
    scenario_passes("reentrant", "ZE_ENABLE_ALT_DRIVERS={reentrant}", NULL);
}

/* INI-7 */
static void test_a_driver_that_forks_does_not_lock_up(void **state)
{
    (void)state;
    scenario_passes("reentrant", "ZE_ENABLE_ALT_DRIVERS={forks}", NULL);
}

static void sysman_alone(void)
{
    uint32_t count = 0;
    zes_driver_handle_t driver;
    zes_device_handle_t device;
    CHECK_RESULT(zesDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK(fake_state("a")->sysman_lists == 0); /* this may take long, and nobody has asked */
    CHECK(strstr(explanation_of("a"), "\tin use\t"));
    CHECK(strstr(explanation_of("a"), "sysman: ZE_RESULT_SUCCESS, drivers not asked for"));
    CHECK_RESULT(zesDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    int lists = fake_state("a")->sysman_lists;
    CHECK(lists > 0);
    CHECK_RESULT(zesDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK(fake_state("a")->sysman_lists == lists); /* the loader's list */
    CHECK(strstr(explanation_of("a"), "sysman: ZE_RESULT_SUCCESS, 1 driver"));
    CHECK_RESULT(zesDeviceGet(driver, &count, &device), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    CHECK(fake_state("a")->init_calls == 0); /* the core was left alone */
    count = 0;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK(fake_state("a")->sysman_calls == 1);
}

/* INI-14, ENV-25 */
static void test_sysman_needs_no_core_initialisation(void **state)
{
    (void)state;
    scenario_passes("sysman_alone", ONE_DRIVER, NULL);
}

static void sysman_without_devices(void)
{
    uint32_t count = 1;
    zes_driver_handle_t driver;
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    CHECK_RESULT(zesDeviceGet(driver, &count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 0);
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
}

/* INI-14 */
static void test_sysman_needs_no_devices(void **state)
{
    (void)state;
    scenario_passes("sysman_without_devices", "ZE_ENABLE_ALT_DRIVERS={empty}", NULL);
}

static void sysman_of_two(void)
{
    uint32_t count = 2;
    zes_driver_handle_t drivers[2];
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    CHECK(count == 2 && drivers[0] != drivers[1]);
    for (int i = 0; i < 2; i++) {
        zes_device_handle_t devices[4];
        uint32_t found = 4;
        CHECK_RESULT(zesDeviceGet(drivers[i], &found, devices), ZE_RESULT_SUCCESS);
        CHECK(found == (i == 0 ? 1u : 2u));
    }
    count = 0;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
}

/* INI-14, INI-5 */
static void test_sysman_of_several_drivers(void **state)
{
    (void)state;
    scenario_passes("sysman_of_two", TWO_DRIVERS, NULL);
}

static void sysman_by_variable(void)
{
    uint32_t count = 0;
    bool wanted = getenv("ZES_ENABLE_SYSMAN") && *getenv("ZES_ENABLE_SYSMAN") == '1';
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    setenv("ZES_ENABLE_SYSMAN", "1", 1); /* too late to count */
    ze_result_t result = zesDriverGet(&count, NULL);
    CHECK(result == (wanted ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED));
    CHECK(count == (wanted ? 1u : 0u));
}

/* ENV-25 */
static void test_sysman_by_variable_is_read_at_core_initialisation(void **state)
{
    (void)state;
    scenario_passes("sysman_by_variable", ONE_DRIVER, "ZES_ENABLE_SYSMAN=1", NULL);
    scenario_passes("sysman_by_variable", ONE_DRIVER, "ZES_ENABLE_SYSMAN=0", NULL);
    scenario_passes("sysman_by_variable", ONE_DRIVER, NULL);
}

static void discovery_loop(void)
{
    uint32_t driver_total = 0, gpus = 0;
    CHECK_RESULT(init_drivers(&driver_total, NULL, ALL), ZE_RESULT_SUCCESS);
    ze_driver_handle_t drivers[4];
    CHECK_RESULT(init_drivers(&driver_total, drivers, ALL), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < driver_total; i++) {
        uint32_t count = 0;
        ze_device_handle_t devices[8];
        CHECK_RESULT(zeDeviceGet(drivers[i], &count, NULL), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeDeviceGet(drivers[i], &count, devices), ZE_RESULT_SUCCESS);
        for (uint32_t j = 0; j < count; j++) {
            ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
            CHECK_RESULT(zeDeviceGetProperties(devices[j], &properties), ZE_RESULT_SUCCESS);
            gpus += properties.type == ZE_DEVICE_TYPE_GPU;
        }
        ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
        CHECK_RESULT(zeDriverGetProperties(drivers[i], &properties), ZE_RESULT_SUCCESS);
        CHECK(properties.driverVersion == 0x01000001u + i);
    }
    CHECK(driver_total == 2 && gpus == 3);
}

/* INI-8, INI-16 */
static void test_the_discovery_loop_of_the_specification(void **state)
{
    (void)state;
    scenario_passes("discovery_loop", TWO_DRIVERS, NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(two_step),
    S(bad_arguments),
    S(list_protocol),
    S(old_and_new_way),
    S(npu_first),
    S(no_npu),
    S(cpu_driver),
    S(late_driver),
    S(recovering_driver),
    S(one_fails),
    S(race),
    S(reentrant),
    S(sysman_alone),
    S(sysman_without_devices),
    S(sysman_of_two),
    S(sysman_by_variable),
    S(discovery_loop),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_steps_give_the_same_handles_each_time),
        cmocka_unit_test(test_unknown_flags_and_null_pointers_are_refused),
        cmocka_unit_test(test_driver_lists_follow_the_list_protocol),
        cmocka_unit_test(test_both_ways_to_initialise_give_the_same_drivers),
        cmocka_unit_test(test_first_initialisation_hides_no_driver),
        cmocka_unit_test(test_asking_for_an_absent_type_fails_and_leaves_no_trace),
        cmocka_unit_test(test_other_device_types_answer_only_to_all_types),
        cmocka_unit_test(test_a_failed_initialisation_can_be_repeated),
        cmocka_unit_test(test_broken_and_empty_drivers_do_not_hinder_others),
        cmocka_unit_test(test_many_threads_initialise_at_once),
        cmocka_unit_test(test_a_driver_that_calls_back_does_not_lock_up),
        cmocka_unit_test(test_a_driver_that_forks_does_not_lock_up),
        cmocka_unit_test(test_sysman_needs_no_core_initialisation),
        cmocka_unit_test(test_sysman_needs_no_devices),
        cmocka_unit_test(test_sysman_of_several_drivers),
        cmocka_unit_test(test_sysman_by_variable_is_read_at_core_initialisation),
        cmocka_unit_test(test_the_discovery_loop_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
