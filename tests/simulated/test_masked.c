/* Simulated devices alone, of which the core API shows what ZE_AFFINITY_MASK leaves: two tiles of
 * the first device's four (0.0,0.2). Sysman has all. */
#include "simulated.h"

#include <stdlib.h>

/* ENV-5, ENV-7 */
static void the_core_shows_what_the_mask_leaves(void **unused)
{
    ze_driver_handle_t core_driver;
    ze_device_handle_t shown[4], tiles[4];
    uint32_t count = 1, devices = 4, parts = 4;
    (void)unused;
    assert_success(zeInit(0));
    assert_success(zeDriverGet(&count, &core_driver));
    assert_success(zeDeviceGet(core_driver, &devices, shown));
    assert_int_equal(devices, 1);
    assert_success(zeDeviceGetSubDevices(shown[0], &parts, tiles));
    assert_int_equal(parts, 2);
    free(devices_of(driver, &count));
    assert_int_equal(count, 2);
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_success(zesDeviceGetProperties(device, &properties));
    assert_int_equal(properties.numSubdevices, 4);
}

static void a_long_model_is_marked_all_the_same(void **unused)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    (void)unused;
    assert_success(zesDeviceGetProperties(device, &properties));
    assert_string_equal(properties.modelName,
                        "Model of a maker who likes models that are long, ve (simulated)");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_core_shows_what_the_mask_leaves),
        cmocka_unit_test(a_long_model_is_marked_all_the_same),
    };
    return cmocka_run_group_tests(cases, simulated_setup, NULL);
}
