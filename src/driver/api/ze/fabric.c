/* API functions of the fabric (ZE_experimental_fabric): a vertex for each device and sub-device,
 * and edges between them (core/fabric.h). */
#include "driver/core/fabric.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"

ze_result_t geo_zeFabricVertexGetExp(ze_driver_handle_t hDriver, uint32_t *pCount,
                                     ze_fabric_vertex_handle_t *phVertices)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    uint32_t count = geo_count_protocol(pCount, driver->top_count, phVertices);
    for (uint32_t i = 0; i < count; i++) {
        phVertices[i] = geo_fabric_vertex_handle(&driver->tops[i]->vertex);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricVertexGetSubVerticesExp(ze_fabric_vertex_handle_t hVertex, uint32_t *pCount,
                                                ze_fabric_vertex_handle_t *phSubvertices)
{
    struct geo_fabric_vertex *vertex;
    GEO_CHECK(geo_fabric_vertex_from(hVertex, &vertex));
    const struct geo_device *device = vertex->device;
    uint32_t count = geo_count_protocol(pCount, device->sub_count, phSubvertices);
    for (uint32_t i = 0; i < count; i++) {
        phSubvertices[i] = geo_fabric_vertex_handle(&device->subs[i]->vertex);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricVertexGetPropertiesExp(ze_fabric_vertex_handle_t hVertex,
                                               ze_fabric_vertex_exp_properties_t *pVertexProperties)
{
    struct geo_fabric_vertex *vertex;
    GEO_CHECK(geo_fabric_vertex_from(hVertex, &vertex));
    geo_fabric_fill_vertex(vertex, pVertexProperties);
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
    struct geo_fabric_vertex *a, *b;
    GEO_CHECK(geo_fabric_vertex_from(hVertexA, &a));
    GEO_CHECK(geo_fabric_vertex_from(hVertexB, &b));
    struct geo_fabric_edge *edge = geo_fabric_edge_between(a, b);
    if (geo_count_protocol(pCount, edge ? 1 : 0, phEdges)) {
        phEdges[0] = geo_fabric_edge_handle(edge);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricEdgeGetVerticesExp(ze_fabric_edge_handle_t hEdge,
                                           ze_fabric_vertex_handle_t *phVertexA,
                                           ze_fabric_vertex_handle_t *phVertexB)
{
    struct geo_fabric_edge *edge;
    GEO_CHECK(geo_fabric_edge_from(hEdge, &edge));
    *phVertexA = geo_fabric_vertex_handle(edge->ends[0]);
    *phVertexB = geo_fabric_vertex_handle(edge->ends[1]);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFabricEdgeGetPropertiesExp(ze_fabric_edge_handle_t hEdge,
                                             ze_fabric_edge_exp_properties_t *pEdgeProperties)
{
    struct geo_fabric_edge *edge;
    GEO_CHECK(geo_fabric_edge_from(hEdge, &edge));
    geo_fabric_fill_edge(edge, pEdgeProperties);
    return ZE_RESULT_SUCCESS;
}
