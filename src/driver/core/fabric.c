/* Builds the edges of the fabric and describes edges and vertices. See fabric.h. */
#include "driver/core/fabric.h"

#include "driver/core/device_properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

/* Does nothing: edges are never freed, because their handles may still be used. */
static void edge_destroy(struct geo_object *object)
{
    (void)object;
}

static bool is_shown(const struct geo_device *device)
{
    const struct geo_driver *driver = device->base.driver;
    for (uint32_t i = 0; i < driver->top_count; i++) {
        if (driver->tops[i] == device || driver->tops[i] == device->root) {
            return true;
        }
    }
    return false;
}

static bool are_joined(const struct geo_device *a, const struct geo_device *b)
{
    return a != b && a->root != b && b->root != a && is_shown(a) && is_shown(b);
}

/* Returns whether the edge joins two devices of its driver, in their order. */
static bool edge_is_valid(const struct geo_fabric_edge *edge)
{
    const struct geo_driver *driver = edge->base.driver;
    const struct geo_device *a = edge->ends[0]->device, *b = edge->ends[1]->device;
    return a->base.driver == driver && b->base.driver == driver && a < b && are_joined(a, b);
}

bool geo_fabric_build(struct geo_driver *driver)
{
    const uint32_t count = driver->device_count;
    GEO_ASSERT(count > 0 && !driver->edges && driver->edge_count == 0);
    driver->edges = calloc(count * (count - 1) / 2 + 1, sizeof(*driver->edges));
    if (!driver->edges) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (are_joined(&driver->devices[i], &driver->devices[k])) {
                struct geo_fabric_edge *edge = &driver->edges[driver->edge_count++];
                geo_object_init(&edge->base, GEO_OBJECT_FABRIC_EDGE, driver, edge_destroy);
                edge->ends[0] = &driver->devices[i].vertex;
                edge->ends[1] = &driver->devices[k].vertex;
                GEO_ASSERT(edge_is_valid(edge));
            }
        }
    }
    GEO_ASSERT(driver->edge_count <= count * (count - 1) / 2);
    return true;
}

struct geo_fabric_edge *geo_fabric_edge_between(const struct geo_fabric_vertex *a,
                                                const struct geo_fabric_vertex *b)
{
    const struct geo_driver *driver = a->base.driver;
    for (uint32_t i = 0; i < driver->edge_count; i++) {
        struct geo_fabric_edge *edge = &driver->edges[i];
        if ((edge->ends[0] == a && edge->ends[1] == b) ||
            (edge->ends[0] == b && edge->ends[1] == a)) {
            return edge;
        }
    }
    return NULL;
}

void geo_fabric_fill_vertex(const struct geo_fabric_vertex *vertex,
                            ze_fabric_vertex_exp_properties_t *out)
{
    const struct geo_device *device = vertex->device;
    GEO_ASSERT(&device->vertex == vertex);
    const ze_pci_address_ext_t address = geo_device_pci_address(device);
    memcpy(out->uuid.id, device->info->uuid, sizeof(out->uuid.id));
    out->type =
        device->root ? ZE_FABRIC_VERTEX_EXP_TYPE_SUBDEVICE : ZE_FABRIC_VERTEX_EXP_TYPE_DEVICE;
    out->remote = false;
    out->address = (ze_fabric_vertex_pci_exp_address_t){address.domain, address.bus, address.device,
                                                        address.function};
}

/* Makes the edge's identifier from those of its devices, so that it is as stable as they are. */
static void edge_identify(const struct geo_fabric_edge *edge, uint8_t out[ZE_MAX_UUID_SIZE])
{
    GEO_ASSERT(edge_is_valid(edge));
    uint64_t hash[2] = {FNV_OFFSET, FNV_OFFSET ^ FNV_PRIME};
    for (uint32_t end = 0; end < 2; end++) {
        for (uint32_t i = 0; i < ZE_MAX_DEVICE_UUID_SIZE; i++) {
            const uint8_t byte = edge->ends[end]->device->info->uuid[i];
            hash[0] = (hash[0] ^ byte) * FNV_PRIME;
            hash[1] = (hash[1] ^ byte) * FNV_PRIME;
        }
    }
    memcpy(out, hash, sizeof(hash));
}

/* Bandwidth and latency are reported as unknown: no interface of the system tells them. */
void geo_fabric_fill_edge(const struct geo_fabric_edge *edge, ze_fabric_edge_exp_properties_t *out)
{
    edge_identify(edge, out->uuid.id);
    memset(out->model, 0, sizeof(out->model));
    snprintf(out->model, sizeof(out->model), "System memory");
    out->bandwidth = 0;
    out->bandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
    out->latency = 0;
    out->latencyUnit = ZE_LATENCY_UNIT_UNKNOWN;
    out->duplexity = ZE_FABRIC_EDGE_EXP_DUPLEXITY_FULL_DUPLEX;
}
