/* Iterates over the values of a call: every argument, and the data behind pointers, each with its
 * description. Checks, records of handles and printing are visitors of one iteration. None of them
 * knows individual functions.
 *
 *     zeEventPoolCreate(hContext, desc, numDevices, phDevices, phEventPool)
 *
 *     BEFORE   ARGUMENT hContext      HANDLE
 *              ARGUMENT desc          STRUCT *
 *              MEMBER   flags         FLAGS      behind the pointer; parent: desc
 *              MEMBER   count         VALUE
 *              LINK     pNext         a structure of the chain, with its own members
 *              ARGUMENT numDevices    VALUE
 *              ARGUMENT phDevices     HANDLE *
 *              ELEMENT  [0]           HANDLE     numDevices of them
 *              ARGUMENT phEventPool   HANDLE *
 *     AFTER    ELEMENT  phEventPool   HANDLE     the new object
 *
 * BEFORE visits the inputs: all arguments, then the input data behind pointers. AFTER visits the
 * outputs, and nothing when the call failed. A null pointer is visited as an argument or member,
 * and not followed. Untyped memory, strings and arrays of numbers are not followed either. A
 * structure's chain is followed only if its stype is valid. */
#ifndef GEO_LAYERS_WALK_H
#define GEO_LAYERS_WALK_H

#include "layers/layer.h"

enum geo_layer_phase { GEO_LAYER_BEFORE, GEO_LAYER_AFTER };

enum geo_layer_place {
    GEO_LAYER_ARGUMENT, /* of the call */
    GEO_LAYER_MEMBER,   /* of a structure */
    GEO_LAYER_ELEMENT,  /* behind a pointer: the only value, or one of an array */
    GEO_LAYER_LINK,     /* a structure in a chain */
};

struct geo_layer_value {
    enum geo_layer_place place;
    const struct geo_ddi_param *param;      /* LINK: the pNext that starts the chain */
    const struct geo_ddi_struct *structure; /* LINK: its type; NULL: unknown */
    /* LINK: the structure that has the chain; NULL: the function. */
    const struct geo_ddi_struct *base;
    void *address;                        /* address of the value */
    size_t index;                         /* ELEMENT, LINK: its index */
    const struct geo_layer_value *parent; /* the pointer or structure that leads to it */
};

/* A visitor. A result other than SUCCESS ends the iteration and becomes its result. The value is
 * valid only during the call. */
typedef ze_result_t (*geo_layer_visit_fn)(const struct geo_layer_value *value, void *user);

ze_result_t geo_layer_walk(const struct geo_layer_call *call, enum geo_layer_phase phase,
                           geo_layer_visit_fn visit, void *user);

#endif
