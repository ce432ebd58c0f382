/* The model's data of each object (model.h) in addition to its lifetime, and the lock that protects
 * all of it. */
#ifndef GEO_LAYERS_VALIDATION_DATA_H
#define GEO_LAYERS_VALIDATION_DATA_H

#include "layers/validation/objects/objects.h"

/* Types of objects that have data or whose type is queried. */
enum geo_val_kind {
    GEO_VAL_LIST,
    GEO_VAL_QUEUE,
    GEO_VAL_FENCE,
    GEO_VAL_KERNEL,
    GEO_VAL_POOL,
    GEO_VAL_EVENT,
    GEO_VAL_IMAGE,
    GEO_VAL_SAMPLER,
    GEO_VAL_GRAPH,
    GEO_VAL_EXECUTABLE,
    GEO_VAL_CONTEXT,
    GEO_VAL_PHYSICAL,
    GEO_VAL_MODULE,
    GEO_VAL_DEVICE,
    GEO_VAL_KINDS,
};

/* Common header of an object's data: the number of the lifetime that it describes. The handle may
 * be reused for a new object by a call that the model does not follow; the data is then
 * outdated. */
struct geo_val_data {
    uint64_t life;
};

/* Lock and unlock the model. With the lock held, the driver is called only to query a state, for at
 * most 10 ms. */
void geo_val_data_lock(void);
void geo_val_data_unlock(void);

/* Finds the object types when the library is loaded. commands.c calls it first. */
void geo_val_data_kinds_make(void);

/* Returns the type of a kind, as an index in geo_ddi_handles. */
unsigned geo_val_data_kind_type(enum geo_val_kind kind);
/* Returns whether the kind has this type. */
bool geo_val_data_kind_is(enum geo_val_kind kind, unsigned type);

/* Returns the record of an object, or NULL. */
struct geo_val_object *geo_val_data_kind_object(enum geo_val_kind kind, const void *handle);

/* Returns the data of an object, or NULL when nothing is known or memory ran out. */
void *geo_val_data_of(enum geo_val_kind kind, const void *handle);

/* Returns the data of an object whose lifetime starts. The memory is initially zeroed, and is
 * reused together with the handle. Returns NULL when memory ran out. */
void *geo_val_data_begin(enum geo_val_kind kind, const void *handle, size_t size);

#endif
