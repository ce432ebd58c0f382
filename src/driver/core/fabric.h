/* Edges of the fabric (ZE_experimental_fabric), which join devices; the devices are its vertices.
 * All devices of a driver here use the machine's memory. So any two devices that the core API shows
 * are joined, except a device and its own parts. Edges are read-only globals like the devices. */
#ifndef GEO_DRIVER_CORE_FABRIC_H
#define GEO_DRIVER_CORE_FABRIC_H

#include "driver/core/driver.h"

/* An edge; part of the driver's array. */
struct geo_fabric_edge {
    struct geo_object base;
    struct geo_fabric_vertex *ends[2]; /* in the order of their devices */
};

GEO_OBJECT_HANDLE(fabric_edge, GEO_OBJECT_FABRIC_EDGE, ze_fabric_edge_handle_t)

/* Creates the edges of a driver after its hierarchy was built. Returns false if memory is short. */
bool geo_fabric_build(struct geo_driver *driver);

/* Returns the edge between two vertices, in either order, or NULL. */
struct geo_fabric_edge *geo_fabric_edge_between(const struct geo_fabric_vertex *a,
                                                const struct geo_fabric_vertex *b);

void geo_fabric_fill_vertex(const struct geo_fabric_vertex *vertex,
                            ze_fabric_vertex_exp_properties_t *out);
void geo_fabric_fill_edge(const struct geo_fabric_edge *edge, ze_fabric_edge_exp_properties_t *out);

#endif
