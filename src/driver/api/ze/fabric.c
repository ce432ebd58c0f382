/* API functions of the fabric (ZE_experimental_fabric): one vertex for each device, and no edges,
 * because devices of this driver are joined by nothing but the machine's memory. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/device_properties.h"
#include "driver/core/driver.h"

#include <string.h>

ze_result_t geo_zeFabricVertexGetExp(ze_driver_handle_t hDriver, uint32_t *pCount,
                                     ze_fabric_vertex_handle_t *phVertices)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    uint32_t count = geo_list_protocol(pCount, driver->visible_count, phVertices);
    for (uint32_t i = 0; i < count; i++) {
        phVertices[i] = geo_fabric_vertex_handle(&driver->visible[i]->vertex);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricVertexGetSubVerticesExp(ze_fabric_vertex_handle_t hVertex, uint32_t *pCount,
                                                ze_fabric_vertex_handle_t *phSubvertices)
{
    struct geo_fabric_vertex *vertex;
    GEO_CHECK(geo_fabric_vertex_from(hVertex, &vertex));
    (void)geo_list_protocol(pCount, 0, phSubvertices); /* as many as there are sub-devices */
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricVertexGetPropertiesExp(ze_fabric_vertex_handle_t hVertex,
                                               ze_fabric_vertex_exp_properties_t *pVertexProperties)
{
    struct geo_fabric_vertex *vertex;
    GEO_CHECK(geo_fabric_vertex_from(hVertex, &vertex));
    const struct geo_device *device = vertex->device;
    memcpy(pVertexProperties->uuid.id, device->info->uuid, sizeof(pVertexProperties->uuid.id));
    pVertexProperties->type = ZE_FABRIC_VERTEX_EXP_TYPE_DEVICE;
    pVertexProperties->remote = false;
    const ze_pci_address_ext_t address = geo_device_pci_address(device);
    pVertexProperties->address = (ze_fabric_vertex_pci_exp_address_t){
        address.domain, address.bus, address.device, address.function};
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricVertexGetDeviceExp(ze_fabric_vertex_handle_t hVertex,
                                           ze_device_handle_t *phDevice)
{
    struct geo_fabric_vertex *vertex;
    GEO_CHECK(geo_fabric_vertex_from(hVertex, &vertex));
    *phDevice = geo_device_handle(vertex->device);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDeviceGetFabricVertexExp(ze_device_handle_t hDevice,
                                           ze_fabric_vertex_handle_t *phVertex)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from(hDevice, &device));
    *phVertex = geo_fabric_vertex_handle(&device->vertex);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricEdgeGetExp(ze_fabric_vertex_handle_t hVertexA,
                                   ze_fabric_vertex_handle_t hVertexB, uint32_t *pCount,
                                   ze_fabric_edge_handle_t *phEdges)
{
    struct geo_fabric_vertex *vertex;
    GEO_CHECK(geo_fabric_vertex_from(hVertexA, &vertex));
    GEO_CHECK(geo_fabric_vertex_from(hVertexB, &vertex));
    (void)geo_list_protocol(pCount, 0, phEdges);
    return ZE_RESULT_SUCCESS;
}

/* No edge was ever given out, so whatever comes is refused. */
ze_result_t geo_zeFabricEdgeGetVerticesExp(ze_fabric_edge_handle_t hEdge,
                                           ze_fabric_vertex_handle_t *phVertexA,
                                           ze_fabric_vertex_handle_t *phVertexB)
{
    (void)phVertexA;
    (void)phVertexB;
    return geo_object_refuse(hEdge, GEO_OBJECT_FABRIC_EDGE);
}

ze_result_t geo_zeFabricEdgeGetPropertiesExp(ze_fabric_edge_handle_t hEdge,
                                             ze_fabric_edge_exp_properties_t *pEdgeProperties)
{
    (void)pEdgeProperties;
    return geo_object_refuse(hEdge, GEO_OBJECT_FABRIC_EDGE);
}
