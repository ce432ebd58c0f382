/* Converts the backend's description of a device to the property structures of the API. Each
 * function writes all output fields of its structure and of every known structure in its chain. */
#ifndef GEO_DRIVER_CORE_DEVICE_PROPERTIES_H
#define GEO_DRIVER_CORE_DEVICE_PROPERTIES_H

#include "driver/core/driver.h"

/* Number of memories of every device, from which the ordinal of an allocation chooses. */
#define GEO_DEVICE_MEMORIES 1u

void geo_device_fill_properties(const struct geo_device *device, ze_device_properties_t *out);
void geo_device_fill_compute(const struct geo_device *device, ze_device_compute_properties_t *out);
void geo_device_fill_module(const struct geo_device *device, ze_device_module_properties_t *out);
void geo_device_fill_group(const struct geo_device *device, uint32_t ordinal,
                           ze_command_queue_group_properties_t *out);
void geo_device_fill_memory(const struct geo_device *device, ze_device_memory_properties_t *out);
void geo_device_fill_memory_access(const struct geo_device *device,
                                   ze_device_memory_access_properties_t *out);
void geo_device_fill_cache(const struct geo_device *device, uint32_t index,
                           ze_device_cache_properties_t *out);
void geo_device_fill_p2p(const struct geo_device *device, const struct geo_device *peer,
                         ze_device_p2p_properties_t *out);
void geo_device_fill_vector_width(const struct geo_device *device,
                                  ze_device_vector_width_properties_ext_t *out);

/* Returns whether the device can access memory of the peer: always for itself and inside one
 * driver. */
bool geo_device_reaches(const struct geo_device *device, const struct geo_device *peer);

/* Returns the PCI address of the device. A device without one gets an invented address: on the last
 * bus of the last domain, which real machines do not use, numbered in the order of the devices.
 * Parts have the address of their device. */
ze_pci_address_ext_t geo_device_pci_address(const struct geo_device *device);

#endif
