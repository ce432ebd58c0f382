/* Which device objects were made for. */
#ifndef GEO_LAYERS_VALIDATION_DEVICES_H
#define GEO_LAYERS_VALIDATION_DEVICES_H

#include "layers/validation/data.h"
#include "layers/validation/rules.h"

/* Returns whether one device is the other, a part of it, or both are parts of one. */
bool geo_val_devices_related(ze_device_handle_t one, ze_device_handle_t other);

/* Returns whether two objects were certainly made for devices that are not related. */
bool geo_val_objects_apart(const struct geo_val_object *one, const struct geo_val_object *other);

/* What is known of a context. */
struct geo_val_context {
    struct geo_val_data data;
    ze_driver_handle_t driver;
    ze_device_handle_t *devices; /* that it was made for; owned */
    uint32_t device_count;       /* 0: all of the driver */
};

struct geo_val_context *geo_val_context_of(const void *handle);

/* Of functions that take a context and a device: whether the context has the device. */
bool geo_val_takes_device(enum geo_ddi_function_id id);
extern const struct geo_val_rule geo_val_device_rule;

#endif
