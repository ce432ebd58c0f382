/* Unit test of the driver: the object base, error records and parameter checks. */
#include "unit.h"

#include "driver/core/check.h"
#include "driver/core/context.h"
#include "driver/core/inventory.h"

#include <pthread.h>

struct geo_probe {
    struct geo_object base;
    int *destroyed;
};

typedef struct probe_handle *probe_handle_t;
GEO_OBJECT_HANDLE(probe, GEO_OBJECT_EVENT, probe_handle_t)

static void probe_destroy(struct geo_object *object)
{
    (*((struct geo_probe *)object)->destroyed)++;
}

static int setup(void **state)
{
    (void)state;
    return geo_inventory_open() != ZE_RESULT_SUCCESS;
}

/* GEN-15 */
static void references_keep_an_object_but_not_its_handle(void **state)
{
    (void)state;
    int destroyed = 0;
    struct geo_probe probe = {.destroyed = &destroyed}, *found = NULL;
    geo_object_init(&probe.base, GEO_OBJECT_EVENT, geo_inventory_driver(0), probe_destroy);
    assert_int_equal(geo_probe_from(geo_probe_handle(&probe), &found), ZE_RESULT_SUCCESS);
    assert_ptr_equal(found, &probe);
    geo_object_ref(&probe.base);
    geo_object_close(&probe.base);
    assert_int_equal(destroyed, 0);
    assert_int_equal(geo_probe_from(geo_probe_handle(&probe), &found),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    geo_object_unref(&probe.base);
    assert_int_equal(destroyed, 1);
    geo_object_unref(NULL);
}

/* GEN-24 */
static void handles_that_name_nothing_are_refused(void **state)
{
    (void)state;
    struct geo_probe *found = NULL;
    struct geo_device *device = &geo_inventory_driver(0)->devices[0];
    assert_int_equal(geo_probe_from(NULL, &found), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(geo_probe_from((probe_handle_t)(uintptr_t)5, &found),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(geo_probe_from((probe_handle_t)(void *)device, &found),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(geo_error_text(), "event"));
    assert_null(found);
}

static void *fail_elsewhere(void *argument)
{
    (void)argument;
    const char *before = geo_error_text();
    bool empty = *before == '\0';
    (void)geo_fail(ZE_RESULT_ERROR_UNKNOWN, "%s", "the other thread's");
    return (void *)(uintptr_t)empty;
}

/* GEN-11 */
static void each_thread_has_its_last_error(void **state)
{
    (void)state;
    pthread_t thread;
    void *empty;
    assert_int_equal(geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "size %d", 17),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, &empty);
    assert_non_null(empty);
    assert_string_equal(geo_error_text(), "size 17");
    char *endless = malloc(100001);
    assert_non_null(endless);
    memset(endless, 'x', 100000);
    endless[100000] = 0;
    (void)geo_fail(ZE_RESULT_ERROR_UNKNOWN, "%s", endless);
    assert_in_range(strlen(geo_error_text()), 100, 1000);
    free(endless);
}

/* GEN-21 */
static void the_list_protocol_has_three_cases(void **state)
{
    (void)state;
    int output = 0;
    uint32_t count = 0;
    assert_int_equal(geo_count_protocol(&count, 5, &output), 0);
    assert_int_equal(count, 5);
    count = 9;
    assert_int_equal(geo_count_protocol(&count, 5, &output), 5);
    assert_int_equal(count, 5);
    count = 2;
    assert_int_equal(geo_count_protocol(&count, 5, &output), 2);
    assert_int_equal(count, 2);
    count = 9;
    assert_int_equal(geo_count_protocol(&count, 5, NULL), 0);
    assert_int_equal(count, 5);
}

/* EXN-7 */
static void chains_are_searched_to_their_end(void **state)
{
    (void)state;
    ze_base_properties_t last = {ZE_STRUCTURE_TYPE_EU_COUNT_EXT, NULL};
    ze_base_properties_t first = {(ze_structure_type_t)0x12345, &last};
    ze_base_properties_t circle = {(ze_structure_type_t)0x12345, &circle};
    assert_ptr_equal(geo_chain_find(&first, ZE_STRUCTURE_TYPE_EU_COUNT_EXT), &last);
    assert_null(geo_chain_find(&first, ZE_STRUCTURE_TYPE_SRGB_EXT_DESC));
    assert_null(geo_chain_find(NULL, ZE_STRUCTURE_TYPE_EU_COUNT_EXT));
    assert_null(geo_chain_find(&circle, ZE_STRUCTURE_TYPE_EU_COUNT_EXT));
}

static ze_result_t element_check(const void *element)
{
    GEO_CHECK_POINTER(element);
    return ZE_RESULT_SUCCESS;
}

/* GEN-24 */
static void a_null_element_is_named(void **state)
{
    assert_int_equal(element_check(state), ZE_RESULT_SUCCESS);
    assert_int_equal(element_check(NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_string_equal(geo_error_text(), "element is null");
}

/* CTX-5, CTX-7 */
static void a_lost_context_answers_device_lost(void **state)
{
    (void)state;
    struct geo_driver *driver = geo_inventory_driver(0);
    struct geo_context *context, *again;
    struct geo_device *device;
    assert_int_equal(geo_context_create(driver, 0, NULL, &context), ZE_RESULT_SUCCESS);
    const struct geo_fault fault = {.operation = GEO_COMMAND_NOP, .reason = "a test"};
    geo_context_lose(context, &driver->devices[0], &fault);
    assert_int_equal(geo_context_check_alive(context), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(geo_context_device_from(geo_context_handle(context),
                                             geo_device_handle(&driver->devices[0]), &again,
                                             &device),
                     ZE_RESULT_ERROR_DEVICE_LOST);
    atomic_store(&driver->devices[0].lost, false);
    geo_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_keep_an_object_but_not_its_handle),
        cmocka_unit_test(handles_that_name_nothing_are_refused),
        cmocka_unit_test(each_thread_has_its_last_error),
        cmocka_unit_test(the_list_protocol_has_three_cases),
        cmocka_unit_test(chains_are_searched_to_their_end),
        cmocka_unit_test(a_null_element_is_named),
        cmocka_unit_test(a_lost_context_answers_device_lost),
    };
    return cmocka_run_group_tests_name("object", tests, setup, NULL);
}
