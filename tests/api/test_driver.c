/* Drivers and the general rules: versions, extensions, error texts, null and foreign handles. */
#include "harness.h"

#include <geoid/driver.h>
#include <level_zero/ze_ddi_common.h>

#include <stdio.h>
#include <stdlib.h>

/* GEN-4, GEN-5, GEN-6 */
static void api_version_is_the_headers_one(void **state)
{
    struct api *api = *state;
    ze_api_version_t version = 0;
    assert_success(zeDriverGetApiVersion(api->driver, &version));
    assert_int_equal(version, ZE_API_VERSION_CURRENT);
    assert_int_equal(ZE_MAJOR_VERSION(version), 1);
}

/* GEN-8, INI-8 */
static void driver_properties_identify_the_driver(void **state)
{
    struct api *api = *state;
    ze_driver_properties_t first = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    ze_driver_properties_t second = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    static const ze_driver_uuid_t zero;
    assert_success(zeDriverGetProperties(api->driver, &first));
    assert_success(zeDriverGetProperties(api->driver, &second));
    /* Major and minor of the API, the build follows. */
    assert_int_equal(first.driverVersion >> 24, ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT));
    assert_int_equal(first.driverVersion >> 16 & 0xff, ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT));
    assert_true((first.driverVersion & 0xffff) >= 40000);
    assert_int_equal(first.driverVersion, second.driverVersion);
    assert_memory_equal(&first.uuid, &second.uuid, sizeof(first.uuid));
    assert_memory_not_equal(&first.uuid, &zero, sizeof(zero));
}

/* INI-3, INI-5 */
static void drivers_are_distinct_and_stable(void **state)
{
    (void)state;
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_driver_handle_t first[8], second[8];
    uint32_t count = 8, again = 8;
    assert_success(zeInitDrivers(&count, first, &types));
    assert_success(zeInitDrivers(&again, second, &types));
    assert_true(count >= 2); /* the main driver and the null driver */
    assert_int_equal(count, again);
    assert_memory_equal(first, second, count * sizeof(first[0]));
    ze_driver_properties_t a = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    ze_driver_properties_t b = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    assert_success(zeDriverGetProperties(first[0], &a));
    assert_success(zeDriverGetProperties(first[1], &b));
    assert_int_not_equal(a.driverVersion, b.driverVersion); /* clients merge drivers by it */
    assert_memory_not_equal(&a.uuid, &b.uuid, sizeof(a.uuid));
}

/* GEN-21, INI-8 */
static void extension_list_follows_the_list_protocol(void **state)
{
    struct api *api = *state;
    uint32_t total = 0;
    assert_success(zeDriverGetExtensionProperties(api->driver, &total, NULL));
    assert_true(total > 0);
    ze_driver_extension_properties_t *list = calloc(total + 2, sizeof(*list));
    assert_non_null(list);

    uint32_t count = total + 2; /* more than there are: lowered */
    assert_success(zeDriverGetExtensionProperties(api->driver, &count, list));
    assert_int_equal(count, total);
    for (uint32_t i = 0; i < total; i++) {
        assert_memory_equal(list[i].name, "ZE", 2);
        assert_true(strlen(list[i].name) < ZE_MAX_EXTENSION_NAME);
        assert_int_not_equal(list[i].version, 0);
        for (uint32_t k = 0; k < i; k++) {
            assert_string_not_equal(list[i].name, list[k].name);
        }
    }

    memset(list, 0x77, 2 * sizeof(*list)); /* fewer: only those are written */
    count = 1;
    assert_success(zeDriverGetExtensionProperties(api->driver, &count, list));
    assert_int_equal(count, 1);
    assert_int_not_equal(list[0].name[0], 0x77);
    assert_int_equal(list[1].name[0], 0x77);
    free(list);
}

static bool extension_listed(struct api *api, const char *name, uint32_t *version)
{
    ze_driver_extension_properties_t list[128];
    uint32_t count = 128;
    assert_success(zeDriverGetExtensionProperties(api->driver, &count, list));
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            *version = list[i].version;
            return true;
        }
    }
    return false;
}

/* EXN-8 */
static void extensions_clients_look_for_are_there(void **state)
{
    static const struct {
        const char *name;
        uint32_t version;
    } wanted[] = {
        {ZE_GLOBAL_OFFSET_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_DEVICE_IP_VERSION_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_EU_COUNT_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_MEMORY_FREE_POLICIES_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_DRIVER_DDI_HANDLES_EXT_NAME, ZE_MAKE_VERSION(1, 1)},
        {ZE_MODULE_PROGRAM_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_FLOAT_ATOMICS_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_SUBGROUPS_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_IMMEDIATE_COMMAND_LIST_APPEND_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
    };
    struct api *api = *state;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        uint32_t version = 0;
        if (!extension_listed(api, wanted[i].name, &version)) {
            fail_msg("%s is not listed", wanted[i].name);
        }
        assert_int_equal(version, wanted[i].version);
    }
}

/* INI-9, GEN-26, EXN-2 */
static void extension_functions_are_found_by_name(void **state)
{
    struct api *api = *state;
    void *address = NULL;
    assert_success(
        zeDriverGetExtensionFunctionAddress(api->driver, "zeKernelSetGlobalOffsetExp", &address));
    assert_non_null(address);
    address = &address;
    assert_result(zeDriverGetExtensionFunctionAddress(api->driver, "zeNoSuchFunctionExp", &address),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_ptr_equal(address, &address);
    assert_result(zeDriverGetExtensionFunctionAddress(api->driver, NULL, &address),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(
        zeDriverGetExtensionFunctionAddress(api->driver, "zeKernelSetGlobalOffsetExp", NULL),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

typedef ze_result_t (*function_status_fn)(const char *function, uint32_t *implemented);

/* GEN-6, GEN-26, INI-14 */
static void functions_tell_whether_they_are_implemented(void **state)
{
    struct api *api = *state;
    function_status_fn status = NULL;
    uint32_t implemented = 7;
    assert_success(zeDriverGetExtensionFunctionAddress(api->driver, "geoidDriverGetFunctionStatus",
                                                       (void **)&status));
    assert_success(status("zeMemAllocDevice", &implemented));
    assert_int_equal(implemented, 1);
    assert_success(status("zetTracerExpCreate", &implemented)); /* the tracing layer has it */
    assert_int_equal(implemented, 0);
    assert_result(status("zeNothing", &implemented), ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    /* The driver returns an error text for a function that it does not implement. Asks the driver's
     * own table, because the loader would ask the tracing layer. */
    const char *text = NULL;
    const ze_handle_t *handle = (const ze_handle_t *)(const void *)api->context;
    const zet_tracer_exp_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_TRACER_EXP_DESC};
    zet_tracer_exp_handle_t tracer = NULL;
    assert_result(handle->pTools->TracerExp->pfnCreate(api->context, &desc, &tracer),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    assert_non_null(strstr(text, "zetTracerExpCreate"));
}

/* Wants a line of the explanation: its name, and one of two outcomes. */
static void explanation_has(const char *text, const char *name, const char *one, const char *other)
{
    char first[64], second[64];
    snprintf(first, sizeof(first), "%s\t%s\t", name, one);
    snprintf(second, sizeof(second), "%s\t%s\t", name, other);
    if (!strstr(text, first) && !strstr(text, second)) {
        fail_msg("neither '%s' nor '%s' is in:\n%s", first, second, text);
    }
}

/* GEN-22: the size of a text is asked for first. */
static void drivers_explain_their_parts(void **state)
{
    struct api *api = *state;
    geoid_pfnDriverExplain_t explain = NULL;
    size_t size = 0;
    assert_success(
        zeDriverGetExtensionFunctionAddress(api->driver, "geoidDriverExplain", (void **)&explain));
    assert_success(explain(api->driver, NULL, &size));
    assert_true(size > 1);
    char *text = test_malloc(size + 1);
    memset(text, 'x', size + 1);
    size_t less = size - 1;
    assert_result(explain(api->driver, text, &less), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(less, size);
    assert_int_equal(text[0], 'x');
    size_t enough = size + 1;
    assert_success(explain(api->driver, text, &enough));
    assert_int_equal(enough, size);
    assert_int_equal(strlen(text), size - 1);
    explanation_has(text, "kernels", api->executes ? "ok" : "off", "-");
    explanation_has(text, "compiler", "ok", "-");
    explanation_has(text, "cache", "off", "ok");
    test_free(text);
    assert_result(explain(api->driver, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(explain(NULL, NULL, &size), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_not_equal(explain(api_foreign_handle(), NULL, &size), ZE_RESULT_SUCCESS);
}

/* GEN-11, GEN-24 */
static void last_error_names_what_was_wrong(void **state)
{
    struct api *api = *state;
    const char *text = NULL;
    assert_result(zeMemFree(api->context, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    assert_non_null(text);
    assert_non_null(strstr(text, "ptr"));
    assert_result(zeDriverGetLastErrorDescription(api->driver, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* GEN-24 */
static void null_arguments_have_their_codes(void **state)
{
    struct api *api = *state;
    uint32_t count = 0;
    ze_api_version_t version;
    void *pointer;
    ze_context_handle_t context;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

    assert_result(zeDriverGetApiVersion(NULL, &version), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeDriverGetApiVersion(api->driver, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDriverGetProperties(api->driver, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDriverGetIpcProperties(api->driver, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDriverGetExtensionProperties(api->driver, NULL, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDeviceGet(NULL, &count, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeDeviceGet(api->driver, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDeviceGetProperties(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeDeviceGetProperties(api->device, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeContextCreate(api->driver, NULL, &context),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeContextCreate(api->driver, &desc, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeContextCreate(NULL, &desc, &context), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeMemAllocHost(api->context, NULL, 16, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeMemAllocHost(api->context, &host, 16, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeMemAllocHost(NULL, &host, 16, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeModuleDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeKernelDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeModuleBuildLogDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeContextDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* GEN-15 */
static void foreign_and_mistyped_handles_are_refused(void **state)
{
    struct api *api = *state;
    void *pointer;
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    assert_result(zeMemAllocHost(api_foreign_handle(), &host, 16, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeMemAllocHost((ze_context_handle_t)api->device, &host, 16, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeKernelDestroy((ze_kernel_handle_t)api->context),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeContextGetStatus(api->context));
}

/* GEN-15 */
static void handles_of_another_driver_are_refused(void **state)
{
    struct api *api = *state;
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_driver_handle_t all[8];
    uint32_t count = 8, one = 1;
    ze_device_handle_t other = NULL;
    assert_success(zeInitDrivers(&count, all, &types));
    for (uint32_t i = 0; i < count; i++) {
        if (all[i] != api->driver) {
            assert_success(zeDeviceGet(all[i], &one, &other));
        }
    }
    assert_non_null(other);
    void *pointer;
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    assert_result(zeMemAllocDevice(api->context, &desc, 16, 0, other, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* INI-8, IPC-1 */
static void ipc_properties_say_what_can_be_shared(void **state)
{
    struct api *api = *state;
    ze_driver_ipc_properties_t ipc = {.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES};
    assert_success(zeDriverGetIpcProperties(api->driver, &ipc));
    assert_int_equal(ipc.flags, ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL);
}

/* EXN-5, EXN-7 */
static void unknown_structures_in_a_chain_are_skipped(void **state)
{
    struct api *api = *state;
    ze_driver_memory_free_ext_properties_t free_policies = {
        .stype = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES};
    ze_base_properties_t unknown = {(ze_structure_type_t)0x0003001b, &free_policies};
    ze_driver_ddi_handles_ext_properties_t ddi = {
        .stype = ZE_STRUCTURE_TYPE_DRIVER_DDI_HANDLES_EXT_PROPERTIES, .pNext = &unknown};
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
                                         .pNext = &ddi};
    assert_success(zeDriverGetProperties(api->driver, &properties));
    assert_int_equal(ddi.flags, ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED);
    assert_int_equal(free_policies.freePolicies,
                     ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE |
                         ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE);
    assert_ptr_equal(unknown.pNext, &free_policies);
}

/* EXN-7 */
static void a_chain_that_runs_in_a_circle_ends(void **state)
{
    struct api *api = *state;
    ze_base_properties_t circle = {(ze_structure_type_t)0x0003001b, NULL};
    circle.pNext = &circle;
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
                                         .pNext = &circle};
    assert_success(zeDriverGetProperties(api->driver, &properties));
    assert_int_not_equal(properties.driverVersion, 0);
}

/* CTX-1 */
static void default_context_is_the_drivers(void **state)
{
    struct api *api = *state;
    ze_context_handle_t context = zeDriverGetDefaultContext(api->driver);
    assert_non_null(context);
    assert_ptr_equal(context, zeDriverGetDefaultContext(api->driver));
    assert_success(zeContextGetStatus(context));
    assert_result(zeContextDestroy(context), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    assert_success(zeMemAllocHost(context, &host, 64, 0, &pointer));
    assert_success(zeMemFree(context, pointer));
    assert_null(zeDriverGetDefaultContext(NULL));
}

static const struct api_case cases[] = {
    API_CASE(api_version_is_the_headers_one),
    API_CASE(driver_properties_identify_the_driver),
    API_CASE(drivers_are_distinct_and_stable),
    API_CASE(extension_list_follows_the_list_protocol),
    API_CASE(extensions_clients_look_for_are_there),
    API_CASE(extension_functions_are_found_by_name),
    API_CASE(functions_tell_whether_they_are_implemented),
    API_CASE(drivers_explain_their_parts),
    API_CASE(last_error_names_what_was_wrong),
    API_CASE(null_arguments_have_their_codes),
    API_CASE(foreign_and_mistyped_handles_are_refused),
    API_CASE(handles_of_another_driver_are_refused),
    API_CASE(ipc_properties_say_what_can_be_shared),
    API_CASE(unknown_structures_in_a_chain_are_skipped),
    API_CASE(a_chain_that_runs_in_a_circle_ends),
    API_CASE(default_context_is_the_drivers),
};

API_MAIN("driver", cases)
