/* Firmware of a GPU, and its links to others. */
#include "gpu_fixture.h"

/* ---- firmware ---- */

/* SYC-14 */
static void firmware_has_versions(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *version;
    } expected[] = {{"VBIOS", "96.00.89.00.00"},
                    {"InfoROM image", "G520.0200.00.00"},
                    {"InfoROM OEM", "2.0"},
                    {"InfoROM ECC", "7.0"},
                    {"GSP", "550.54.15"}};
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FIRMWARE), 5);
    for (uint32_t i = 0; i < 5; i++) {
        const struct geo_sysman_firmware *firmware = gpus_component(&gpus, GEO_SYSMAN_FIRMWARE, i);
        char version[ZES_STRING_PROPERTY_SIZE] = "";
        assert_string_equal(firmware->properties.name, expected[i].name);
        assert_false(firmware->properties.canControl);
        assert_null(firmware->ops->flash);
        assert_works(&gpus, firmware->ops->version(firmware, version, &gpus.why));
        assert_string_equal(version, expected[i].version);
    }
    gpus_sysman(&gpus, 2, NULL);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FIRMWARE), 4);
    gpus_close(&gpus);
}

/* ---- ports ---- */

static const struct geo_sysman_fabric_port *port_at(const struct gpus *gpus, uint32_t index)
{
    return gpus_component(gpus, GEO_SYSMAN_FABRIC_PORT, index);
}

static void ports_are_described(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FABRIC_PORT), FAKE_LINKS);
    const struct geo_sysman_fabric_port *port = port_at(&gpus, 1);
    assert_string_equal(port->properties.model, "NVLink");
    assert_string_equal(port->link_type.desc, "NVLink");
    assert_int_equal(port->properties.portId.portNumber, 1);
    assert_int_equal(port->properties.maxRxSpeed.width, 2);
    assert_int_equal(port->properties.maxRxSpeed.bitRate, 106250000000);
    assert_int_equal(port->properties.maxTxSpeed.bitRate, 106250000000);
    gpus_sysman(&gpus, 2, NULL);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FABRIC_PORT), 0);
    gpus_close(&gpus);
}

/* SYC-17 */
static void both_ends_of_a_link_name_each_other(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_fabric_port_id_t ids[2];
    gpus_open(&gpus, GPU_LIBRARY_NEW, 1);
    ids[1] = port_at(&gpus, 1)->properties.portId;
    gpus_sysman(&gpus, 0, NULL);
    ids[0] = port_at(&gpus, 0)->properties.portId;
    assert_true(ids[0].fabricId != ids[1].fabricId);
    for (uint32_t i = 0; i < 2; i++) {
        zes_fabric_port_state_t state = {0};
        gpus_sysman(&gpus, i, NULL);
        const struct geo_sysman_fabric_port *port = port_at(&gpus, i);
        assert_works(&gpus, port->ops->state(port, &state, &gpus.why));
        assert_int_equal(state.status, ZES_FABRIC_PORT_STATUS_HEALTHY);
        assert_int_equal(state.remotePortId.fabricId, ids[1 - i].fabricId);
        assert_int_equal(state.remotePortId.portNumber, ids[1 - i].portNumber);
        assert_int_equal(state.rxSpeed.bitRate, 26562 * 8000000ll / 2);
        assert_int_equal(state.rxSpeed.width, 2);
    }
    gpus_close(&gpus);
}

/* All bits are set where a virtual machine does not see the switch at the other end. */
static void a_switch_that_is_not_seen_has_no_identity(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_fabric_port_state_t state = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_fabric_port *port = port_at(&gpus, 0);
    gpus.fake->switched = true;
    assert_works(&gpus, port->ops->state(port, &state, &gpus.why));
    assert_int_equal(state.status, ZES_FABRIC_PORT_STATUS_HEALTHY);
    assert_int_equal(state.remotePortId.fabricId, 0);
    gpus_close(&gpus);
}

static void a_link_that_is_off_is_disabled(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_fabric_port_state_t state = {0};
    zes_fabric_port_config_t config = {.beaconing = true};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_fabric_port *port = port_at(&gpus, 0);
    assert_works(&gpus, port->ops->config(port, &config, &gpus.why));
    assert_true(config.enabled);
    assert_false(config.beaconing);
    gpus_state(&gpus, 0)->links[0].active = 0;
    assert_works(&gpus, port->ops->config(port, &config, &gpus.why));
    assert_false(config.enabled);
    assert_works(&gpus, port->ops->state(port, &state, &gpus.why));
    assert_int_equal(state.status, ZES_FABRIC_PORT_STATUS_DISABLED);
    assert_int_equal(state.rxSpeed.bitRate, 0);
    assert_null(port->ops->set_config);
    gpus_close(&gpus);
}

/* SYC-16 */
static void ports_count_bytes_and_recoveries(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_fabric_port_throughput_t throughput = {0};
    zes_fabric_port_error_counters_t errors = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_fabric_port *port = port_at(&gpus, 0);
    assert_works(&gpus, port->ops->throughput(port, &throughput, &gpus.why));
    assert_int_equal(throughput.rxCounter, 100 * 1024);
    assert_int_equal(throughput.txCounter, 200 * 1024);
    assert_true(throughput.timestamp != 0);
    gpus.fake->fields_missing[0] = GEO_NVML_FIELD_LINK_DATA_RX;
    gpus.fake->fields_missing[1] = GEO_NVML_FIELD_LINK_DATA_TX;
    assert_works(&gpus, port->ops->throughput(port, &throughput, &gpus.why));
    assert_int_equal(throughput.rxCounter, 101);
    assert_int_equal(throughput.txCounter, 201);
    assert_works(&gpus, port->ops->errors(port, &errors, &gpus.why));
    assert_int_equal(errors.linkFailureCount, 3);
    gpus.fake->fields_missing[2] = GEO_NVML_FIELD_LINK_RECOVERIES; /* there is a function, too */
    gpus_state(&gpus, 0)->links[0].recoveries = 4;
    assert_works(&gpus, port->ops->errors(port, &errors, &gpus.why));
    assert_int_equal(errors.linkFailureCount, 4);
    assert_int_equal(errors.fwErrorCount + errors.fwCommErrorCount + errors.linkDegradeCount, 0);
    gpus.fake->fields_missing[3] = GEO_NVML_FIELD_LINK_RCV_BYTES;
    assert_unsupported(&gpus, port->ops->throughput(port, &throughput, &gpus.why), "field 204: ");
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(firmware_has_versions),
        cmocka_unit_test(ports_are_described),
        cmocka_unit_test(both_ends_of_a_link_name_each_other),
        cmocka_unit_test(a_switch_that_is_not_seen_has_no_identity),
        cmocka_unit_test(a_link_that_is_off_is_disabled),
        cmocka_unit_test(ports_count_bytes_and_recoveries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
