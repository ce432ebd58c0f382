/* API functions of fabric ports. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

#include <stdlib.h>

ze_result_t geo_zesFabricPortGetProperties(zes_fabric_port_handle_t hPort,
                                           zes_fabric_port_properties_t *pProperties)
{
    const struct geo_sysman_fabric_port *port;
    GEO_CHECK(geo_fabric_port_from(hPort, &port));
    GEO_PROPERTIES_WRITE(pProperties, port);
    geo_sysman_text(pProperties->model, sizeof(pProperties->model), port->properties.model, false);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFabricPortGetLinkType(zes_fabric_port_handle_t hPort,
                                         zes_fabric_link_type_t *pLinkType)
{
    const struct geo_sysman_fabric_port *port;
    GEO_CHECK(geo_fabric_port_from(hPort, &port));
    geo_sysman_text(pLinkType->desc, sizeof(pLinkType->desc), port->link_type.desc, false);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFabricPortGetConfig(zes_fabric_port_handle_t hPort,
                                       zes_fabric_port_config_t *pConfig)
{
    const struct geo_sysman_fabric_port *port;
    zes_fabric_port_config_t config = {0};
    GEO_CHECK(geo_fabric_port_from(hPort, &port));
    GEO_ASK(port, config, port, &config);
    GEO_VALUE_WRITE(pConfig, &config);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFabricPortSetConfig(zes_fabric_port_handle_t hPort,
                                       const zes_fabric_port_config_t *pConfig)
{
    const struct geo_sysman_fabric_port *port;
    const zes_fabric_port_config_t config = {.enabled = pConfig->enabled != 0,
                                             .beaconing = pConfig->beaconing != 0};
    GEO_CHECK(geo_fabric_port_from(hPort, &port));
    GEO_ASK(port, set_config, port, &config);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFabricPortGetState(zes_fabric_port_handle_t hPort,
                                      zes_fabric_port_state_t *pState)
{
    const struct geo_sysman_fabric_port *port;
    zes_fabric_port_state_t state = {0};
    GEO_CHECK(geo_fabric_port_from(hPort, &port));
    GEO_ASK(port, state, port, &state);
    GEO_VALUE_WRITE(pState, &state);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t throughput_read(const struct geo_sysman_fabric_port *port,
                                   zes_fabric_port_throughput_t *throughput)
{
    GEO_ASK(port, throughput, port, throughput);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFabricPortGetThroughput(zes_fabric_port_handle_t hPort,
                                           zes_fabric_port_throughput_t *pThroughput)
{
    const struct geo_sysman_fabric_port *port;
    zes_fabric_port_throughput_t throughput = {0};
    GEO_CHECK(geo_fabric_port_from(hPort, &port));
    GEO_CHECK(throughput_read(port, &throughput));
    *pThroughput = throughput;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFabricPortGetFabricErrorCounters(zes_fabric_port_handle_t hPort,
                                                    zes_fabric_port_error_counters_t *pErrors)
{
    const struct geo_sysman_fabric_port *port;
    zes_fabric_port_error_counters_t errors = {0};
    GEO_CHECK(geo_fabric_port_from(hPort, &port));
    GEO_ASK(port, errors, port, &errors);
    GEO_VALUE_WRITE(pErrors, &errors);
    return ZE_RESULT_SUCCESS;
}

/* ---- several ports ---- */

static ze_result_t port_of_root(const struct geo_sysman_root *root, zes_fabric_port_handle_t handle,
                                const struct geo_sysman_fabric_port **out)
{
    GEO_CHECK(geo_fabric_port_from(handle, out));
    return geo_component_of(handle)->root == root
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "port %s belongs to another device",
                          (*out)->base.name);
}

static ze_result_t throughputs_read(const struct geo_sysman_root *root, uint32_t count,
                                    zes_fabric_port_handle_t *ports,
                                    zes_fabric_port_throughput_t *const *out,
                                    zes_fabric_port_throughput_t *read)
{
    const struct geo_sysman_fabric_port *port;
    for (uint32_t i = 0; i < count; i++) {
        GEO_CHECK_POINTER(out[i]);
        GEO_CHECK(port_of_root(root, ports[i], &port));
        GEO_CHECK(throughput_read(port, &read[i]));
    }
    return ZE_RESULT_SUCCESS;
}

/* Reads the counters of several ports. Each element of pThroughput points to the structure for one
 * port. */
ze_result_t geo_zesFabricPortGetMultiPortThroughput(zes_device_handle_t hDevice, uint32_t numPorts,
                                                    zes_fabric_port_handle_t *phPort,
                                                    zes_fabric_port_throughput_t **pThroughput)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    zes_fabric_port_throughput_t *read = calloc(numPorts + UINT64_C(1), sizeof(*read));
    if (!read) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for counters");
    }
    ze_result_t result = throughputs_read(root, numPorts, phPort, pThroughput, read);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < numPorts; i++) {
        *pThroughput[i] = read[i];
    }
    free(read);
    return result;
}
