/* Fabric ports: NVLinks. A port is identified by its GPU's PCI address and the link's number, so
 * that both ends of a link name each other. The only errors that NVML counts are recoveries: link
 * failures that were overcome. The GPUs have no firmware that counts other errors. */
#include "backend/cuda/sysman/sysman.h"

#include <stdio.h>

enum { PCI_DEVICES = 32 }; /* per bus */

struct port {
    struct geo_sysman_fabric_port port; /* first */
    unsigned link;
    unsigned version;
};

/* Lanes of a link in one direction, and their normal speed, by NVLink version. */
static const struct {
    int32_t lanes;
    int64_t bits; /* per second */
} versions[] = {
    {0, 0},
    {8, INT64_C(20000000000)},
    {8, INT64_C(25781250000)},
    {8, INT64_C(25781250000)}, /* 2.2 */
    {4, INT64_C(50000000000)}, /* 3.0 */
    {4, INT64_C(53125000000)}, /* 3.1 */
    {2, INT64_C(106250000000)},
    {2, INT64_C(212500000000)},
};

static const struct geo_sysman *sysman_of(const struct geo_sysman_fabric_port *object)
{
    return object->base.sysman;
}

static const struct port *port_of(const struct geo_sysman_fabric_port *object)
{
    return object->base.opaque;
}

static uint32_t fabric_id(const geo_nvml_pci *pci)
{
    return pci->domain << 16 | (pci->bus & 0xff) << 8 | (pci->device & 0xff);
}

/* Returns the speed. A link of an unknown version is reported as one lane. */
static zes_fabric_port_speed_t speed_of(unsigned version, uint64_t megabytes)
{
    const bool known = version < sizeof(versions) / sizeof(versions[0]) && versions[version].lanes;
    const int32_t lanes = known ? versions[version].lanes : 1;
    return (zes_fabric_port_speed_t){.bitRate = (int64_t)megabytes * 8000000 / lanes,
                                     .width = lanes};
}

static ze_result_t active_read(const struct geo_sysman_fabric_port *object, bool *active,
                               struct geo_strbuf *why)
{
    int on = 0;
    const struct geo_sysman *sysman = sysman_of(object);
    ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetNvLinkState,
                                      sysman->device->handle, port_of(object)->link, &on);
    *active = on != 0;
    return result;
}

static ze_result_t port_config(const struct geo_sysman_fabric_port *object,
                               zes_fabric_port_config_t *config, struct geo_strbuf *why)
{
    bool active;
    ze_result_t result = active_read(object, &active, why);
    config->enabled = active;
    config->beaconing = false;
    return result;
}

static zes_fabric_port_speed_t speed_read(const struct geo_sysman_fabric_port *object)
{
    const struct geo_sysman *sysman = sysman_of(object);
    const struct port *port = port_of(object);
    uint64_t megabytes = 0;
    if (geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_LINK_SPEED,
                            port->link, &megabytes, NULL) != ZE_RESULT_SUCCESS &&
        geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_LINK_SPEED_COMMON,
                            0, &megabytes, NULL) != ZE_RESULT_SUCCESS) {
        return (zes_fabric_port_speed_t){.bitRate = -1, .width = -1};
    }
    return speed_of(port->version, megabytes);
}

static void remote_read(const struct geo_sysman_fabric_port *object, zes_fabric_port_id_t *remote)
{
    const struct geo_sysman *sysman = sysman_of(object);
    const unsigned link = port_of(object)->link;
    geo_nvml_pci pci = {.domain = 0};
    uint64_t number = 0;
    if (GEO_NVML(sysman->nvml, DeviceGetNvLinkRemotePciInfo, sysman->device->handle, link, &pci) ==
            GEO_NVML_SUCCESS &&
        pci.device <
            PCI_DEVICES) { /* all bits are set for a switch that a virtual machine cannot see */
        remote->fabricId = fabric_id(&pci);
    }
    if (geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_LINK_REMOTE, link,
                            &number, NULL) == ZE_RESULT_SUCCESS) {
        remote->portNumber = (uint8_t)number;
    }
}

static ze_result_t port_state(const struct geo_sysman_fabric_port *object,
                              zes_fabric_port_state_t *state, struct geo_strbuf *why)
{
    bool active;
    ze_result_t result = active_read(object, &active, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    state->status = active ? ZES_FABRIC_PORT_STATUS_HEALTHY : ZES_FABRIC_PORT_STATUS_DISABLED;
    if (active) {
        state->rxSpeed = state->txSpeed = speed_read(object);
        remote_read(object, &state->remotePortId);
    }
    return ZE_RESULT_SUCCESS;
}

/* Reads a traffic counter. The KiB counters count payload only; newer GPUs count bytes. */
static ze_result_t counter_read(const struct geo_sysman_fabric_port *object, unsigned kibibytes,
                                unsigned bytes, uint64_t *counter, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(object);
    const unsigned link = port_of(object)->link;
    if (geo_nvml_field_read(sysman->nvml, sysman->device->handle, kibibytes, link, counter, NULL) ==
        ZE_RESULT_SUCCESS) {
        *counter *= 1024u;
        return ZE_RESULT_SUCCESS;
    }
    return geo_nvml_field_read(sysman->nvml, sysman->device->handle, bytes, link, counter, why);
}

static ze_result_t port_throughput(const struct geo_sysman_fabric_port *object,
                                   zes_fabric_port_throughput_t *throughput, struct geo_strbuf *why)
{
    ze_result_t result = counter_read(object, GEO_NVML_FIELD_LINK_DATA_RX,
                                      GEO_NVML_FIELD_LINK_RCV_BYTES, &throughput->rxCounter, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = counter_read(object, GEO_NVML_FIELD_LINK_DATA_TX, GEO_NVML_FIELD_LINK_XMIT_BYTES,
                              &throughput->txCounter, why);
    }
    throughput->timestamp = geo_backend_clock_us();
    return result;
}

static ze_result_t port_errors(const struct geo_sysman_fabric_port *object,
                               zes_fabric_port_error_counters_t *errors, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(object);
    unsigned long long recoveries = 0;
    uint64_t value = 0;
    if (geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_LINK_RECOVERIES,
                            port_of(object)->link, &value, NULL) == ZE_RESULT_SUCCESS) {
        errors->linkFailureCount = value;
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t result =
        GEO_NVML_ASK(sysman->nvml, why, DeviceGetNvLinkErrorCounter, sysman->device->handle,
                     port_of(object)->link, GEO_NVML_LINK_ERROR_RECOVERY, &recoveries);
    errors->linkFailureCount = recoveries;
    return result;
}

static const struct geo_sysman_fabric_port_ops port_ops = {
    .config = port_config,
    .state = port_state,
    .throughput = port_throughput,
    .errors = port_errors,
};

/* ---- finding ---- */

static void port_add(struct geo_component_list *list, unsigned link)
{
    const struct geo_sysman *sysman = list->sysman;
    struct port *port = geo_gpu_list_add_numbered(list, sizeof(*port), "nvlink", link);
    if (!port) {
        return;
    }
    zes_fabric_port_properties_t *properties = &port->port.properties;
    port->link = link;
    (void)GEO_NVML(sysman->nvml, DeviceGetNvLinkVersion, sysman->device->handle, link,
                   &port->version);
    const bool known =
        port->version < sizeof(versions) / sizeof(versions[0]) && versions[port->version].lanes;
    properties->portId.fabricId = sysman->device->on_bus ? fabric_id(&sysman->device->pci) : 0;
    properties->portId.portNumber = (uint8_t)link;
    properties->maxRxSpeed.bitRate = known ? versions[port->version].bits : -1;
    properties->maxRxSpeed.width = known ? versions[port->version].lanes : -1;
    properties->maxTxSpeed = properties->maxRxSpeed;
    snprintf(properties->model, sizeof(properties->model), "NVLink");
    snprintf(port->port.link_type.desc, sizeof(port->port.link_type.desc), "NVLink");
    port->port.ops = &port_ops;
}

void geo_gpu_find_fabric(struct geo_component_list *list)
{
    int active;
    for (unsigned link = 0; link < GEO_NVML_LINKS; link++) {
        if (geo_gpu_has(GEO_NVML(list->sysman->nvml, DeviceGetNvLinkState,
                                 list->sysman->device->handle, link, &active))) {
            port_add(list, link);
        }
    }
}
