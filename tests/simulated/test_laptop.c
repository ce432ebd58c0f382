/* examples/simulated/laptop.json. */
#include "simulated.h"

static void it_idles_at_the_beginning(void **unused)
{
    zes_freq_state_t state = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
    zes_device_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES};
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                          .pNext = &extension};
    uint32_t now, average;
    (void)unused;
    assert_success(zesDeviceGetProperties(device, &properties));
    assert_string_equal(properties.modelName, "Integrated graphics (simulated)");
    assert_int_equal(extension.flags, ZES_DEVICE_PROPERTY_FLAG_INTEGRATED);
    assert_success(zesFrequencyGetState(get_frequency(0), &state));
    assert_true(state.actual >= 300);
    assert_success(zesPowerGetUsage(get_power(0), &now, &average));
    assert_true(now >= 4500 && now <= 28000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_idles_at_the_beginning)};
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
