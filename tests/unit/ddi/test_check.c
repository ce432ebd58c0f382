/* The checks of a call: which of several faults is told, what chains are looked at, what a fault is
 * called. What each function checks is asked by tests/api/test_codes.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ddi/geo_ddi.h"

static int object;
static struct geo_ddi_breach breach;
static char text[200];

/* The code, and the words in `text`. */
static ze_result_t check(enum geo_ddi_function_id id, void **arguments)
{
    text[0] = '\0';
    const ze_result_t result = geo_ddi_call_check(id, arguments, 0, &breach);
    /* What fails a check is suspected, always. */
    assert_true(result == ZE_RESULT_SUCCESS || geo_ddi_suspicions[id](arguments));
    if (result != ZE_RESULT_SUCCESS)
        geo_ddi_breach_format(&breach, text, sizeof(text));
    return result;
}

static void right_calls_are_not_suspected(void **state)
{
    (void)state;
    ze_event_handle_t event = (ze_event_handle_t)(void *)&object, *events = NULL;
    ze_command_list_handle_t list = (ze_command_list_handle_t)(void *)&object;
    uint32_t count = 0;
    void *query[] = {&event}, *barrier[] = {&list, &event, &count, &events};
    assert_false(geo_ddi_suspicions[GEO_DDI_FN_zeEventQueryStatus](query));
    assert_false(geo_ddi_suspicions[GEO_DDI_FN_zeCommandListAppendBarrier](barrier));
    count = 1;
    assert_true(geo_ddi_suspicions[GEO_DDI_FN_zeCommandListAppendBarrier](barrier));
    assert_null(geo_ddi_suspicions[GEO_DDI_FN_zeDriverGetDefaultContext]);
}

/* Handles, pointers, values, chains, sizes. */
static void faults_are_told_in_order(void **state)
{
    (void)state;
    ze_relaxed_allocation_limits_exp_desc_t limits = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, .flags = 2};
    ze_host_mem_alloc_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = &limits, .flags = 0x80};
    ze_context_handle_t context = NULL;
    const ze_host_mem_alloc_desc_t *pdesc = NULL;
    size_t size = 0, alignment = 3;
    void *pointer, **pptr = &pointer;
    void *arguments[] = {&context, &pdesc, &size, &alignment, &pptr};
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_string_equal(text, "hContext is null");
    context = (ze_context_handle_t)(void *)&object;
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_string_equal(text, "host_desc is null");
    pdesc = &desc;
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_string_equal(text, "host_desc->flags has the unknown value 0x80");
    desc.flags = 0;
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_string_equal(text,
                        "ze_relaxed_allocation_limits_exp_desc_t::flags has the unknown value 0x2");
    limits.flags = 1;
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_string_equal(text, "size is 0");
    size = 1;
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments),
                     ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_string_equal(text, "alignment, 3, is not a power of two");
    /* Who puts up with it goes on behind it. */
    assert_int_equal(
        geo_ddi_call_check(GEO_DDI_FN_zeMemAllocHost, arguments, breach.number + 1, &breach),
        ZE_RESULT_SUCCESS);
}

/* EXN-7 */
static void chains_are_followed_where_they_are_chains(void **state)
{
    (void)state;
    ze_relaxed_allocation_limits_exp_desc_t limits = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, .flags = 2};
    ze_base_desc_t unknown = {(ze_structure_type_t)0x12345, &limits};
    ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
                                     .pNext = &unknown};
    ze_context_handle_t context = (ze_context_handle_t)(void *)&object;
    const ze_host_mem_alloc_desc_t *pdesc = &desc;
    size_t size = 1, alignment = 0;
    void *pointer, **pptr = &pointer;
    void *arguments[] = {&context, &pdesc, &size, &alignment, &pptr};
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.stype = (ze_structure_type_t)0; /* nobody initialised it: no chain */
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments), ZE_RESULT_SUCCESS);
    desc.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    unknown.pNext = &unknown; /* a loop ends */
    assert_int_equal(check(GEO_DDI_FN_zeMemAllocHost, arguments), ZE_RESULT_SUCCESS);
}

/* KRN-7, KRN-8 */
static void some_chains_hold_only_what_is_known(void **state)
{
    (void)state;
    ze_command_list_append_launch_kernel_param_cooperative_desc_t cooperative = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC};
    ze_command_list_handle_t list = (ze_command_list_handle_t)(void *)&object;
    ze_kernel_handle_t kernel = (ze_kernel_handle_t)(void *)&object;
    ze_group_count_t groups = {1, 1, 1};
    const ze_group_count_t *pgroups = &groups;
    const void *next = &cooperative;
    ze_event_handle_t signal = NULL, *waits = NULL;
    uint32_t count = 0;
    void *arguments[] = {&list, &kernel, &pgroups, &next, &signal, &count, &waits};
    const enum geo_ddi_function_id id = GEO_DDI_FN_zeCommandListAppendLaunchKernelWithParameters;
    assert_int_equal(check(id, arguments), ZE_RESULT_SUCCESS);
    ze_base_desc_t other = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL};
    cooperative.pNext = &other;
    assert_int_equal(check(id, arguments), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_string_equal(text, "pNext has a structure of type 0x15, which is not supported");
    count = 2;
    cooperative.pNext = NULL;
    assert_int_equal(check(id, arguments), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_string_equal(text, "phWaitEvents is null but numWaitEvents is not 0");
}

/* A program's modules stand in the chain instead. */
static void a_structure_can_take_the_place_of_members(void **state)
{
    (void)state;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC};
    ze_context_handle_t context = (ze_context_handle_t)(void *)&object;
    ze_device_handle_t device = (ze_device_handle_t)(void *)&object;
    const ze_module_desc_t *pdesc = &desc;
    ze_module_handle_t module, *pmodule = &module;
    ze_module_build_log_handle_t *plog = NULL;
    void *arguments[] = {&context, &device, &pdesc, &pmodule, &plog};
    assert_int_equal(check(GEO_DDI_FN_zeModuleCreate, arguments),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_string_equal(text, "desc->pInputModule is null");
    const size_t sizes[1] = {4};
    const uint8_t *inputs[1] = {(const uint8_t *)&object};
    ze_module_program_exp_desc_t program = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
                                            .count = 1,
                                            .inputSizes = sizes,
                                            .pInputModules = inputs};
    desc.pNext = &program;
    assert_int_equal(check(GEO_DDI_FN_zeModuleCreate, arguments), ZE_RESULT_SUCCESS);
    program.inputSizes = NULL;
    assert_int_equal(check(GEO_DDI_FN_zeModuleCreate, arguments),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_string_equal(text, "ze_module_program_exp_desc_t::inputSizes is null");
}

static void all_drivers_at_once_is_no_unknown_bit(void **state)
{
    (void)state;
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = UINT32_MAX};
    ze_init_driver_type_desc_t *pdesc = &desc;
    uint32_t count = 0, *pcount = &count;
    ze_driver_handle_t *drivers = NULL;
    void *arguments[] = {&pcount, &drivers, &pdesc};
    assert_int_equal(check(GEO_DDI_FN_zeInitDrivers, arguments), ZE_RESULT_SUCCESS);
    desc.flags = UINT32_MAX - 1;
    assert_int_equal(check(GEO_DDI_FN_zeInitDrivers, arguments),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = 0;
    assert_int_equal(check(GEO_DDI_FN_zeInitDrivers, arguments),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_string_equal(text, "desc->flags is 0");
}

/* Formats of acceleration structures: whatever a driver makes of the numbers between. */
static void open_enumerations_have_what_drivers_define(void **state)
{
    (void)state;
    ze_driver_handle_t driver = (ze_driver_handle_t)(void *)&object;
    uint32_t first = ZE_RTAS_FORMAT_EXT_MAX, second = 0x4711;
    void *arguments[] = {&driver, &first, &second};
    assert_int_equal(check(GEO_DDI_FN_zeDriverRTASFormatCompatibilityCheckExt, arguments),
                     ZE_RESULT_SUCCESS);
    second = INT32_MAX;
    assert_int_equal(check(GEO_DDI_FN_zeDriverRTASFormatCompatibilityCheckExt, arguments),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_string_equal(text, "rtasFormatB has the unknown value 0x7fffffff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_told_in_order),
        cmocka_unit_test(right_calls_are_not_suspected),
        cmocka_unit_test(chains_are_followed_where_they_are_chains),
        cmocka_unit_test(some_chains_hold_only_what_is_known),
        cmocka_unit_test(a_structure_can_take_the_place_of_members),
        cmocka_unit_test(all_drivers_at_once_is_no_unknown_bit),
        cmocka_unit_test(open_enumerations_have_what_drivers_define),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
