/* What the model (model.h) knows of objects, beyond that they live: a piece of data for each, and
 * the lock that guards all of it. */
#ifndef GEO_LAYERS_VALIDATION_DATA_H
#define GEO_LAYERS_VALIDATION_DATA_H

#include "layers/validation/objects.h"

/* Types of objects that have data or are asked for by type. */
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

/* The data of an object begins with the number of the life that it is of: a handle may come again
 * from a call that the model does not follow. */
struct geo_val_data {
    uint64_t life;
};

/* The lock of the model. The driver is called under it only to ask for a state, for 10 ms at most. */
void geo_val_model_lock(void);
void geo_val_model_unlock(void);

/* Finds the types when the library is loaded: commands.c calls it before all else. */
void geo_val_kinds_make(void);

/* The type of a kind among geo_ddi_handles. */
unsigned geo_val_kind_type(enum geo_val_kind kind);
/* Whether some object of the kind has the type. */
bool geo_val_kind_is(enum geo_val_kind kind, unsigned type);

/* The record of an object; NULL: none. */
struct geo_val_object *geo_val_kind_object(enum geo_val_kind kind, const void *handle);

/* What is known of an object, NULL: nothing, or memory ran out. */
void *geo_val_data_of(enum geo_val_kind kind, const void *handle);

/* Returns the data of an object whose life has begun; memory is zeroed at first and used again with
 * the handle. NULL: memory ran out. */
void *geo_val_data_begin(enum geo_val_kind kind, const void *handle, size_t size);

#endif
