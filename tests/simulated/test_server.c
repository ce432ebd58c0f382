/* examples/simulated/server.json: eight devices whose ports name each other. */
#include "simulated.h"

#include <stdbool.h>
#include <stdlib.h>

enum { PORTS = 4 };

static bool ids_are_equal(const zes_fabric_port_id_t *a, const zes_fabric_port_id_t *b)
{
    return a->fabricId == b->fabricId && a->attachId == b->attachId &&
           a->portNumber == b->portNumber;
}

/* SYC-17 */
static void every_link_has_two_ends(void **unused)
{
    zes_fabric_port_handle_t ports[PORTS];
    zes_fabric_port_id_t ids[8 * PORTS], remotes[8 * PORTS];
    uint32_t count, links = 0;
    (void)unused;
    zes_device_handle_t *devices = devices_of(driver, &count);
    assert_int_equal(count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t port_count = PORTS;
        assert_success(zesDeviceEnumFabricPorts(devices[i], &port_count, ports));
        assert_int_equal(port_count, PORTS);
        for (uint32_t k = 0; k < PORTS; k++, links++) {
            zes_fabric_port_properties_t properties = {
                .stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_PROPERTIES};
            zes_fabric_port_state_t state = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
            assert_success(zesFabricPortGetProperties(ports[k], &properties));
            assert_success(zesFabricPortGetState(ports[k], &state));
            ids[links] = properties.portId;
            remotes[links] = state.remotePortId;
        }
    }
    for (uint32_t i = 0; i < links; i++) {
        uint32_t ends = 0;
        for (uint32_t k = 0; k < links; k++) {
            ends += ids_are_equal(&ids[k], &remotes[i]) && ids_are_equal(&ids[i], &remotes[k]);
        }
        assert_int_equal(ends, 1);
    }
    free(devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_link_has_two_ends)};
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
