/* ZEL_DRIVERS_ORDER: the order in which drivers are listed, and the default of the runtime API. */
#include "scenario.h"

#include <level_zero/zer_api.h>
#include <level_zero/zes_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ALL      UINT32_MAX
#define LISTED   8 /* drivers, at most */
#define TWO_GPUS "ZE_ENABLE_ALT_DRIVERS={a},{b},{npu}"
#define EACH     "ZE_ENABLE_ALT_DRIVERS={a},{integrated},{npu}"
#define ORDER    "ZEL_DRIVERS_ORDER="
#define WANTED   "FAKE_WANTED="

/* The names of fake drivers in the order of their handles, as "a,b". */
static const char *names_of(const ze_driver_handle_t *drivers, uint32_t count)
{
    static char text[1024];
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        uint32_t one = 1;
        ze_device_handle_t device;
        ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        CHECK_RESULT(zeDeviceGet(drivers[i], &one, &device), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeDeviceGetProperties(device, &properties), ZE_RESULT_SUCCESS);
        char name[64] = "";
        CHECK(sscanf(properties.name, "fake %63s", name) == 1);
        strcat(text, i ? "," : "");
        strcat(text, name);
    }
    return text;
}

static void names_check(const ze_driver_handle_t *drivers, uint32_t count, const char *wanted)
{
    const char *names = names_of(drivers, count);
    if (strcmp(names, wanted) != 0) {
        fprintf(stderr, "drivers %s, wanted %s\n", names, wanted);
        scenario_fail(__FILE__, __LINE__, "the order");
    }
}

static void init_drivers_check(uint32_t types, const char *wanted)
{
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = types};
    ze_driver_handle_t drivers[LISTED];
    uint32_t count = LISTED;
    CHECK_RESULT(zeInitDrivers(&count, drivers, &desc), ZE_RESULT_SUCCESS);
    names_check(drivers, count, wanted);
}

/* Both ways to list, and the default of the runtime API, are what FAKE_WANTED says. */
static void listed(void)
{
    const char *wanted = getenv("FAKE_WANTED"), *first = NULL;
    ze_driver_handle_t drivers[LISTED];
    uint32_t count = LISTED;
    CHECK(wanted);
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    names_check(drivers, count, wanted);
    init_drivers_check(ALL, wanted);
    CHECK_RESULT(zerGetLastErrorDescription(&first), ZE_RESULT_SUCCESS);
    CHECK(strncmp(first, wanted, strcspn(wanted, ",")) == 0);
    CHECK(zerGetDefaultContext() == (ze_context_handle_t)drivers[0]); /* as the fake makes it */
}

/* ENV-17 */
static void test_the_variable_orders_drivers_and_decides_the_default(void **state)
{
    (void)state;
    scenario_passes("listed", EACH, WANTED "a,integrated,npu", NULL);
    scenario_passes("listed", EACH, ORDER, WANTED "a,integrated,npu", NULL);
    scenario_passes("listed", EACH, ORDER "INTEGRATED_GPU_ONLY", WANTED "integrated,a,npu", NULL);
    scenario_passes("listed", EACH, ORDER "2", WANTED "npu,a,integrated", NULL);
}

#define KINDS "ZE_ENABLE_ALT_DRIVERS={both},{integrated},{cpu},{npu},{a},{b}"

/* ENV-18: the three forms, the four types, and all of them together. */
static void test_items_are_types_indices_and_indices_of_types(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {ORDER "GPU,NPU", WANTED "a,b,both,integrated,npu,cpu"},
        {ORDER "DISCRETE_GPU_ONLY,NPU", WANTED "a,b,npu,both,integrated,cpu"},
        {ORDER "INTEGRATED_GPU_ONLY", WANTED "integrated,a,b,both,cpu,npu"},
        {ORDER "NPU", WANTED "npu,a,b,both,integrated,cpu"},
        {ORDER "GPU:3", WANTED "integrated,a,b,both,cpu,npu"},
        {ORDER "DISCRETE_GPU_ONLY:1", WANTED "b,a,both,integrated,cpu,npu"},
        {ORDER "INTEGRATED_GPU_ONLY:0", WANTED "integrated,a,b,both,cpu,npu"},
        {ORDER "NPU:0,GPU:1", WANTED "npu,b,a,both,integrated,cpu"},
        {ORDER "5,2", WANTED "npu,both,a,b,integrated,cpu"},
        {ORDER "4,DISCRETE_GPU_ONLY:1,GPU,5", WANTED "cpu,b,a,both,integrated,npu"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scenario_passes("listed", KINDS, cases[i][0], cases[i][1], NULL);
    }
}

/* ENV-18: of the order without the variable, whatever was named before. */
static void test_indices_count_in_the_original_order(void **state)
{
    (void)state;
    scenario_passes("listed", TWO_GPUS, ORDER "2,1,0", WANTED "npu,b,a", NULL);
    scenario_passes("listed", TWO_GPUS, ORDER "0,2", WANTED "a,npu,b", NULL);
    scenario_passes("listed", TWO_GPUS, ORDER "GPU:1,GPU:0", WANTED "b,a,npu", NULL);
    scenario_passes("listed", KINDS, ORDER "GPU:0,GPU:2", WANTED "a,both,b,integrated,cpu,npu",
                    NULL);
}

static void one_kind(void)
{
    init_drivers_check(ZE_INIT_DRIVER_TYPE_FLAG_GPU, "a,integrated");
    init_drivers_check(ZE_INIT_DRIVER_TYPE_FLAG_NPU, "npu");
    init_drivers_check(ALL, "npu,a,integrated");
}

/* ENV-19 */
static void test_no_driver_is_hidden(void **state)
{
    (void)state;
    scenario_passes("listed", KINDS, ORDER "4", WANTED "cpu,a,b,both,integrated,npu", NULL);
    scenario_passes("listed", KINDS, ORDER "1,1,INTEGRATED_GPU_ONLY,GPU:1",
                    WANTED "b,integrated,a,both,cpu,npu", NULL);
    scenario_passes("listed", "ZE_ENABLE_ALT_DRIVERS={cpu},{a}", ORDER "NPU", WANTED "a,cpu", NULL);
    scenario_passes("one_kind", EACH, ORDER "NPU", NULL);
}

/* ENV-20 */
static void test_second_discrete_gpu_then_npus(void **state)
{
    (void)state;
    scenario_passes("listed", TWO_GPUS, ORDER "DISCRETE_GPU_ONLY:1, NPU", WANTED "b,npu,a", NULL);
}

/* ENV-21 */
static void test_third_and_first_driver(void **state)
{
    (void)state;
    scenario_passes("listed", EACH, ORDER "2,0", WANTED "npu,a,integrated", NULL);
}

/* ENV-22 */
static void test_second_gpu_then_first_npu(void **state)
{
    (void)state;
    scenario_passes("listed", EACH, ORDER "GPU:1, NPU:0", WANTED "integrated,npu,a", NULL);
}

/* ENV-23 */
static void test_npus_first(void **state)
{
    (void)state;
    scenario_passes("listed", EACH, ORDER "NPU", WANTED "npu,a,integrated", NULL);
}

static void test_bad_items_are_left_out_and_logged(void **state)
{
    (void)state;
    static struct scenario_outcome outcome;
    static const char *const lines[] = {"\"gpu\" is not a type", "\"NPU:\" is not a type",
                                        "\"NPU:1\" names no driver", "\"7\" names no driver"};
    scenario_run(&outcome, "listed", EACH, ORDER "gpu,NPU:,NPU:1,,7 , 1", "GEOID_LOG=loader=warn",
                 WANTED "integrated,a,npu", NULL);
    assert_int_equal(outcome.exit_code, 0);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_non_null(strstr(outcome.output, lines[i]));
    }
    assert_null(strstr(outcome.output, "\"1\""));
}

/* Indices count the drivers that are there, not the files that were tried. */
static void test_a_driver_that_fails_leaves_the_order_of_the_others(void **state)
{
    (void)state;
    scenario_passes("listed", "ZE_ENABLE_ALT_DRIVERS={a},{broken},{npu},{b}", "FAKE_FAIL_a=1",
                    ORDER "GPU,1", WANTED "b,npu", NULL);
    scenario_passes("listed", "ZE_ENABLE_ALT_DRIVERS={a},{broken},{npu},{b}", ORDER "2",
                    WANTED "npu,a,b", NULL);
}

/* How often, and in which order, is not the variable's. */
static void calls_counted(void)
{
    listed();
    printf("%d %d %d, %d %d %d\n", fake_state("a")->init_calls,
           fake_state("integrated")->init_calls, fake_state("npu")->init_calls,
           fake_state("a")->started, fake_state("integrated")->started, fake_state("npu")->started);
}

static void test_ordering_initialises_nothing(void **state)
{
    (void)state;
    static struct scenario_outcome without, with;
    scenario_run(&without, "calls_counted", EACH, WANTED "a,integrated,npu", NULL);
    scenario_run(&with, "calls_counted", EACH, ORDER "NPU,1", WANTED "npu,integrated,a", NULL);
    assert_int_equal(without.exit_code, 0);
    assert_int_equal(with.exit_code, 0);
    assert_string_equal(with.output, without.output);
    assert_non_null(strstr(with.output, ", 1 1 1\n"));
}

static void later_npu(void)
{
    init_drivers_check(ZE_INIT_DRIVER_TYPE_FLAG_GPU, "a");
    scenario_setenv("ZE_ENABLE_ALT_DRIVERS", "{a},{npu}");
    init_drivers_check(ALL, "npu,a");
}

/* A library that is found by a later call takes its place in the order, too. */
static void test_a_driver_that_comes_later_is_ordered(void **state)
{
    (void)state;
    scenario_passes("later_npu", "ZE_ENABLE_ALT_DRIVERS={a}", ORDER "NPU", NULL);
}

static void sysman_list(void)
{
    zes_driver_handle_t drivers[LISTED];
    uint32_t count = LISTED;
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    names_check((const ze_driver_handle_t *)drivers, count, "a,integrated,npu");
}

/* What the handles of sysman stand for is not known without the core. */
static void test_sysman_keeps_its_order(void **state)
{
    (void)state;
    scenario_passes("sysman_list", EACH, ORDER "2", NULL);
}

/* As loaders in the field do; the default of the runtime API is the first. */
static void test_drivers_of_discrete_gpus_come_first(void **state)
{
    (void)state;
    scenario_passes("listed", KINDS, WANTED "a,b,both,integrated,cpu,npu", NULL);
    scenario_passes("listed", "ZE_ENABLE_ALT_DRIVERS={npu},{integrated},{both},{b},{a}",
                    WANTED "b,a,both,integrated,npu", NULL);
}

#define BY_ADDRESS "ZE_ENABLE_PCI_ID_DEVICE_ORDER=1"

/* ENV-15: across drivers, and before the other variable, whose indices count in this order. */
static void test_drivers_of_integrated_gpus_come_first_by_address(void **state)
{
    (void)state;
    static const char wanted[] = WANTED "integrated,both,a,b,cpu,npu";
    scenario_passes("listed", KINDS, BY_ADDRESS, wanted, NULL);
    scenario_passes("listed", KINDS, "ZE_ENABLE_PCI_ID_DEVICE_ORDER=0",
                    WANTED "a,b,both,integrated,cpu,npu", NULL);
    scenario_passes("listed", KINDS, BY_ADDRESS, ORDER "2,NPU",
                    WANTED "a,npu,integrated,both,b,cpu", NULL);
    scenario_passes("sysman_list", EACH, BY_ADDRESS, NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(listed), S(one_kind), S(calls_counted), S(later_npu), S(sysman_list),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_variable_orders_drivers_and_decides_the_default),
        cmocka_unit_test(test_items_are_types_indices_and_indices_of_types),
        cmocka_unit_test(test_indices_count_in_the_original_order),
        cmocka_unit_test(test_no_driver_is_hidden),
        cmocka_unit_test(test_second_discrete_gpu_then_npus),
        cmocka_unit_test(test_third_and_first_driver),
        cmocka_unit_test(test_second_gpu_then_first_npu),
        cmocka_unit_test(test_npus_first),
        cmocka_unit_test(test_bad_items_are_left_out_and_logged),
        cmocka_unit_test(test_a_driver_that_fails_leaves_the_order_of_the_others),
        cmocka_unit_test(test_ordering_initialises_nothing),
        cmocka_unit_test(test_a_driver_that_comes_later_is_ordered),
        cmocka_unit_test(test_sysman_keeps_its_order),
        cmocka_unit_test(test_drivers_of_discrete_gpus_come_first),
        cmocka_unit_test(test_drivers_of_integrated_gpus_come_first_by_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
