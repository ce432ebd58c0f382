/* Components: how they are listed, what their handles are, where they are. */
#include "sysman.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LISTED(name, handle_type, function, number)                                                \
    static void name##_list(void)                                                                  \
    {                                                                                              \
        handle_type all[4] = {NULL}, again[4] = {NULL}, of_other[4] = {NULL};                      \
        uint32_t count = 0;                                                                        \
        assert_success(function(device, &count, NULL));                                            \
        assert_int_equal(count, number);                                                           \
        count = 0;                                                                                 \
        assert_success(function(device, &count, all));                                             \
        assert_int_equal(count, number);                                                           \
        assert_null(all[0]);                                                                       \
        count = 4;                                                                                 \
        assert_success(function(device, &count, all));                                             \
        assert_int_equal(count, number);                                                           \
        assert_non_null(all[number - 1]);                                                          \
        assert_null(all[number]);                                                                  \
        count = 1;                                                                                 \
        assert_success(function(device, &count, again));                                           \
        assert_int_equal(count, 1);                                                                \
        assert_ptr_equal(again[0], all[0]);                                                        \
        assert_null(again[1]);                                                                     \
        count = 4;                                                                                 \
        assert_success(function(other_device, &count, of_other));                                  \
        assert_int_equal(count, number);                                                           \
        assert_ptr_not_equal(of_other[0], all[0]);                                                 \
        assert_unsupported(function(null_device, &count, all));                                    \
    }
SYSMAN_CLASSES(LISTED)

/* SYS-3 */
static void components_are_listed_with_the_same_handles(void **unused)
{
    (void)unused;
#define LIST(name, handle_type, function, number) name##_list();
    SYSMAN_CLASSES(LIST)
}

/* SYS-2 */
static void a_sub_device_stands_for_its_device(void **unused)
{
    ze_driver_handle_t drivers[2];
    ze_device_handle_t roots[2], parts[2];
    zes_fan_handle_t fans[4];
    zes_device_properties_t whole = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES}, part = whole;
    uint32_t count = 2;
    (void)unused;
    assert_success(zeInit(0));
    assert_success(zeDriverGet(&count, drivers));
    count = 2;
    assert_success(zeDeviceGet(drivers[0], &count, roots));
    assert_success(zeDeviceGetSubDevices(roots[0], &count, parts));
    assert_int_equal(count, 2);
    count = 4;
    assert_success(zesDeviceEnumFans((zes_device_handle_t)parts[1], &count, fans));
    assert_int_equal(count, 3);
    assert_ptr_equal(fans[0], get_fan(0));
    assert_success(zesDeviceGetProperties((zes_device_handle_t)parts[0], &part));
    assert_success(zesDeviceGetProperties(device, &whole));
    assert_memory_equal(&part, &whole, sizeof(whole));
}

/* SYS-1 */
static void a_core_handle_is_a_sysman_handle(void **unused)
{
    ze_driver_handle_t drivers[2];
    ze_device_handle_t roots[2];
    zes_fan_handle_t fans[4];
    uint32_t count = 2;
    (void)unused;
    assert_success(zeInit(0));
    assert_success(zeDriverGet(&count, drivers));
    assert_success(zeDeviceGet(drivers[0], &count, roots));
    count = 4;
    assert_success(zesDeviceEnumFans((zes_device_handle_t)roots[0], &count, fans));
    assert_ptr_equal(fans[2], get_fan(2));
}

/* SYS-3, SYS-4 */
static void properties_say_where_a_component_is(void **unused)
{
    zes_power_properties_t power;
    zes_fan_properties_t fan;
    zes_ras_properties_t ras;
    (void)unused;
    memset(&power, 0xa5, sizeof(power));
    power.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES;
    power.pNext = NULL;
    assert_success(zesPowerGetProperties(get_power(0), &power));
    assert_int_equal(power.stype, ZES_STRUCTURE_TYPE_POWER_PROPERTIES);
    assert_null(power.pNext);
    assert_int_equal(power.onSubdevice, 0);
    assert_int_equal(power.subdeviceId, 0);
    assert_success(zesPowerGetProperties(get_power(1), &power));
    assert_int_equal(power.onSubdevice, 1);
    assert_int_equal(power.subdeviceId, 1);
    memset(&fan, 0xa5, sizeof(fan));
    fan.pNext = NULL;
    assert_success(zesFanGetProperties(get_fan(2), &fan));
    assert_int_equal((uint32_t)fan.stype, 0xa5a5a5a5); /* the caller's */
    assert_int_equal(fan.onSubdevice, 1);
    assert_int_equal(fan.subdeviceId, 1);
    memset(&ras, 0xa5, sizeof(ras));
    assert_success(zesRasGetProperties(get_ras(0), &ras));
    assert_int_equal(ras.onSubdevice, 1);
    assert_int_equal(ras.subdeviceId, 0);
}

/* GEN-24 */
static void foreign_handles_are_refused(void **unused)
{
    zes_fan_properties_t fan;
    zes_led_state_t led = {.stype = ZES_STRUCTURE_TYPE_LED_STATE};
    int32_t speed = -7;
    (void)unused;
    assert_result(zesFanGetState(NULL, ZES_FAN_SPEED_UNITS_RPM, &speed),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_invalid(zesFanGetProperties((zes_fan_handle_t)(void *)get_led(0), &fan));
    assert_non_null(strstr(sysman_error(), "fan"));
    assert_invalid(zesLedGetState((zes_led_handle_t)(void *)get_fan(0), &led));
    assert_invalid(
        zesFanGetState((zes_fan_handle_t)(void *)device, ZES_FAN_SPEED_UNITS_RPM, &speed));
    assert_invalid(zesDeviceReset((zes_device_handle_t)(void *)get_fan(0), 0));
    assert_int_equal(speed, -7);
}

static void virtual_functions_may_come_later(void **unused)
{
    zes_vf_handle_t before = get_function(0), handles[4] = {NULL};
    uint32_t count = 4;
    (void)unused;
    assert_success(zesDeviceEnumActiveVFExp(device, &count, handles));
    assert_int_equal(count, 1);
    state->functions = 2;
    count = 4;
    assert_success(zesDeviceEnumActiveVFExp(device, &count, handles));
    assert_int_equal(count, 2);
    assert_ptr_equal(handles[0], before);
    assert_ptr_equal(handles[1], get_function(1));
}

static void *enumerate(void *start)
{
    zes_psu_handle_t *psus = calloc(1, sizeof(*psus));
    uint32_t count = 1;
    assert_non_null(psus);
    pthread_barrier_wait(start);
    assert_success(zesDeviceEnumPsus(other_device, &count, psus));
    return psus;
}

/* SYS-1 */
static void threads_get_the_same_handles(void **unused)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    zes_psu_handle_t *first = NULL;
    (void)unused;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, enumerate, &start), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        zes_psu_handle_t *psus = result;
        first = first ? first : psus;
        assert_ptr_equal(*psus, *first);
        if (psus != first) {
            free(psus);
        }
    }
    free(first);
    pthread_barrier_destroy(&start);
}

static void handles_are_valid_in_a_child(void **unused)
{
    zes_fan_handle_t fan = get_fan(0);
    int status = 0;
    (void)unused;
    state->fan_speed = 900;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int32_t speed = 0;
        bool right = zesFanGetState(fan, ZES_FAN_SPEED_UNITS_RPM, &speed) == ZE_RESULT_SUCCESS &&
                     speed == 900 && get_fan(0) == fan;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* EXN-2 */
static void extensions_are_those_of_the_backend(void **unused)
{
    zes_driver_extension_properties_t all[16];
    uint32_t count = 16;
    bool found = false;
    (void)unused;
    assert_success(zesDriverGetExtensionProperties(null_driver, &count, all));
    assert_int_equal(count, 1);
    assert_string_equal(all[0].name, ZES_SYSMAN_DEVICE_MAPPING_EXP_NAME);
    count = 16;
    assert_success(zesDriverGetExtensionProperties(driver, &count, all));
    assert_int_equal(count, 13);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(all[i].name, ZES_VIRTUAL_FUNCTION_MANAGEMENT_EXP_NAME) == 0) {
            assert_int_equal(all[i].version, ZES_VF_MANAGEMENT_EXP_VERSION_CURRENT);
            found = true;
        }
    }
    assert_true(found);
}

/* EXN-2 */
static void functions_are_found_by_name(void **unused)
{
    void *found = NULL;
    (void)unused;
    assert_success(zesDriverGetExtensionFunctionAddress(
        driver, "zesVFManagementGetVFCapabilitiesExp2", &found));
    assert_non_null(found);
    assert_unsupported(zesDriverGetExtensionFunctionAddress(driver, "zesNobodyGetNothing", &found));
}

static void a_backend_without_sysman_has_nothing(void **unused)
{
    ze_bool_t yes = 7;
    uint32_t count = 1, fired = 9;
    zes_event_type_flags_t events = 9;
    zes_device_state_t state_of = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE};
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    zes_pwr_handle_t power = NULL;
    (void)unused;
    assert_unsupported(zesDeviceGetState(null_device, &state_of));
    assert_unsupported(zesDeviceReset(null_device, 0));
    assert_unsupported(zesDeviceEccAvailable(null_device, &yes));
    assert_unsupported(zesDeviceProcessesGetState(null_device, &count, NULL));
    assert_unsupported(zesDeviceGetCardPowerDomain(null_device, &power));
    assert_unsupported(zesDeviceGetOverclockDomains(null_device, &count));
    assert_unsupported(zesDeviceEventRegister(null_device, ZES_EVENT_TYPE_FLAG_MEM_HEALTH));
    assert_unsupported(
        zesDriverEventListen((ze_driver_handle_t)null_driver, 0, 1, &null_device, &fired, &events));
    assert_success(zesDeviceGetProperties(null_device, &properties));
    assert_string_equal(properties.serialNumber, "unknown");
    assert_int_equal(yes, 7);
    assert_int_equal(count, 1);
    assert_int_equal(fired, 9);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(components_are_listed_with_the_same_handles),
        SYSMAN_CASE(a_sub_device_stands_for_its_device),
        SYSMAN_CASE(a_core_handle_is_a_sysman_handle),
        SYSMAN_CASE(properties_say_where_a_component_is),
        SYSMAN_CASE(foreign_handles_are_refused),
        SYSMAN_CASE(virtual_functions_may_come_later),
        SYSMAN_CASE(threads_get_the_same_handles),
        SYSMAN_CASE(handles_are_valid_in_a_child),
        SYSMAN_CASE(extensions_are_those_of_the_backend),
        SYSMAN_CASE(functions_are_found_by_name),
        SYSMAN_CASE(a_backend_without_sysman_has_nothing),
    };
    return cmocka_run_group_tests_name("sysman handles", cases, sysman_setup, NULL);
}
