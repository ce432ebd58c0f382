/* GEOID_SIMULATED_ONLY: simulated devices without any other, in the lists of the core API, too: for
 * programs that take the first driver of sysman, or find devices through the core. */
#include "simulated.h"

#include <stdlib.h>

static ze_device_handle_t core_devices[8];
static uint32_t core_count;

static int setup(void **unused)
{
    ze_driver_handle_t core_driver;
    uint32_t drivers = 1;
    assert_success(zeInit(0)); /* these are of type VPU */
    assert_success(zeDriverGet(&drivers, &core_driver));
    core_count = 8;
    assert_success(zeDeviceGet(core_driver, &core_count, core_devices));
    return simulated_setup(unused);
}

/* hwloc takes the drivers of both lists to be the same ones in the same order. */
static void both_lists_have_one_driver(void **unused)
{
    uint32_t core = 0, managed = 0;
    zes_driver_handle_t found;
    (void)unused;
    assert_success(zeDriverGet(&core, NULL));
    assert_success(zesDriverGet(&managed, NULL));
    assert_int_equal(core, 1);
    assert_int_equal(managed, 1);
    assert_success(zesDriverGet(&managed, &found));
    assert_ptr_equal(found, driver);
}

static void devices_of_the_core_are_those_of_sysman(void **unused)
{
    uint32_t count;
    zes_device_handle_t *devices = devices_of(driver, &count);
    (void)unused;
    assert_int_equal(count, 2);
    assert_int_equal(core_count, count);
    for (uint32_t i = 0; i < count; i++) {
        ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        zes_uuid_t uuid;
        zes_device_handle_t same;
        ze_bool_t on_tile;
        uint32_t tile, tiles = 0;
        assert_success(zeDeviceGetProperties(core_devices[i], &properties));
        memcpy(uuid.id, properties.uuid.id, sizeof(uuid.id));
        assert_success(zesDriverGetDeviceByUuidExp(driver, uuid, &same, &on_tile, &tile));
        assert_ptr_equal(same, devices[i]);
        ze_pci_ext_properties_t address = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
        zes_pci_properties_t pci = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES};
        assert_success(zeDevicePciGetPropertiesExt(core_devices[i], &address));
        assert_success(zesDevicePciGetProperties(devices[i], &pci));
        assert_memory_equal(&address.address, &pci.address, sizeof(pci.address));
        assert_int_equal(address.address.bus, 16 * i + 3);
        assert_success(zeDeviceGetSubDevices(core_devices[i], &tiles, NULL));
        assert_int_equal(tiles, 2);
    }
    free(devices);
}

/* As programs did before there was zesInit. */
static void a_handle_of_the_core_is_one_of_sysman(void **unused)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    uint32_t sensors = 0;
    (void)unused;
    assert_success(zesDeviceGetProperties((zes_device_handle_t)core_devices[1], &properties));
    assert_string_equal(properties.serialNumber, "S-1");
    assert_success(
        zesDeviceEnumTemperatureSensors((zes_device_handle_t)core_devices[1], &sensors, NULL));
    assert_int_equal(sensors, 4);
}

static void nothing_runs_on_them(void **unused)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context = NULL;
    uint32_t groups = 0;
    (void)unused;
    assert_unsupported(zeContextCreate((ze_driver_handle_t)driver, &desc, &context));
    assert_success(zeDeviceGetCommandQueueGroupProperties(core_devices[0], &groups, NULL));
    assert_int_equal(groups, 0);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(both_lists_have_one_driver),
        cmocka_unit_test(devices_of_the_core_are_those_of_sysman),
        cmocka_unit_test(a_handle_of_the_core_is_one_of_sysman),
        cmocka_unit_test(nothing_runs_on_them),
    };
    return cmocka_run_group_tests(cases, setup, NULL);
}
