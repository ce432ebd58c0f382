/* The devices that objects were created for. */
#ifndef GEO_LAYERS_VALIDATION_DEVICES_H
#define GEO_LAYERS_VALIDATION_DEVICES_H

#include "layers/validation/objects/data.h"
#include "layers/validation/objects/rules.h"

/* Returns whether the devices are the same, one is part of the other, or both are parts of one
 * device. */
bool geo_val_devices_related(ze_device_handle_t one, ze_device_handle_t other);

/* Returns true when two objects were certainly created for unrelated devices. */
bool geo_val_devices_apart(const struct geo_val_object *one, const struct geo_val_object *other);

/* The model's data of a context. */
struct geo_val_context {
    struct geo_val_data data;
    ze_driver_handle_t driver;
    ze_device_handle_t *devices; /* the devices that it was created for; owned */
    uint32_t device_count;       /* 0: all devices of the driver */
};

struct geo_val_context *geo_val_devices_context(const void *handle);

/* For functions that take a context and a device: the rule that the context must contain the
 * device. */
bool geo_val_takes_device(enum geo_ddi_function_id id);
extern const struct geo_val_rule geo_val_device_rule;

#endif
